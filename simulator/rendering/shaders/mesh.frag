#include "frame.glsl"
#include "shadow.glsl"
in vec3 v_point;
in vec3 v_normal;
flat in vec4 v_colour;
flat in vec4 v_state;
#ifdef TEXTURED
in vec2 v_uv;
uniform sampler2D u_albedo;  // linear light with a gamma of 2, see textures.py
uniform vec3 u_place;
#endif
layout(location = 0) out vec4 out_colour;

// Powers by multiplication: a software rasteriser feels every pow().
float to_the_48th(float x) {
    float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
    return x16 * x16 * x16;
}

void main() {
    if (v_state.w > 0.5) {  // no part of the mechanism: lines over its front, and nothing between them
        float across = fract((gl_FragCoord.x - gl_FragCoord.y) / (11.0 * u_viewport.z));
        out_colour = vec4(v_colour.rgb, gl_FrontFacing && across < 0.1 ? 0.45 : 0.0);  // it is blended, without depth
        return;
    }
    vec3 N = normalize(gl_FrontFacing ? v_normal : -v_normal);
    vec3 V = towards_eye(v_point);
    vec3 L = u_light_direction.xyz;
    float facing = max(dot(N, V), 0.0);
    float cosine = max(dot(N, L), 0.0);
    vec3 flat_normal = normalize(cross(dFdx(v_point), dFdy(v_point)));  // of the facet itself: it is what casts the shadow
    flat_normal *= dot(flat_normal, N) < 0.0 ? -1.0 : 1.0;
    float reaching = cosine > 0.0 ? light_reaching(v_point, flat_normal, cosine) : 0.0;

    vec3 paint = to_linear(v_colour.rgb);
#ifdef TEXTURED
    vec4 texel = texture(u_albedo, v_uv);
    paint *= texel.rgb;
#endif
    vec3 ambient = mix(u_ground_light.rgb, u_sky_light.rgb, N.z * 0.5 + 0.5);
    vec3 fill = vec3(0.10) * facing;
    vec3 light = ambient + fill + u_key.rgb * cosine * reaching;

    // A satin lacquer: a broad highlight of the key light, and the sky mirrored at grazing angles.
    vec3 H = normalize(L + V);
    float gloss = 0.22 * to_the_48th(max(dot(N, H), 0.0)) * reaching * step(0.0, cosine);
    float past = max(1.0 - facing, 0.0), past2 = past * past;
    float fresnel = 0.02 + 0.22 * past2 * past2 * past;
    vec3 mirrored = mix(u_ground_light.rgb, u_sky_light.rgb, clamp(reflect(-V, N).z * 0.5 + 0.5, 0.0, 1.0));
    vec3 colour = to_display(paint * light + gloss * u_key.rgb + fresnel * mirrored);

    if (!gl_FrontFacing && dot(u_section.xyz, u_section.xyz) > 0.0) {  // the inside of what is cut: hatched, as on paper
        float stripe = step(0.72, fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * u_viewport.z)));
        colour = v_colour.rgb * mix(0.80, 0.45, stripe);
    }
    if (v_state.x > 0.5) {
        bool chosen = v_state.x > 1.5;
        float rim = past2 * sqrt(past);
        vec3 accent = chosen ? u_selected.rgb : u_hovered.rgb;
        colour = mix(colour * 1.10 + 0.03, accent, (chosen ? 0.10 : 0.04) + 0.55 * rim);
    }
#ifdef TEXTURED
    if (u_place.z > 0.5 && texel.a < 0.5) discard;
#endif
    out_colour = vec4(colour, v_colour.a);
}
