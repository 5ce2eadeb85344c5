// The face that a section plane cuts, hatched as on paper, where more faces were left than entered: see count.frag.
#include "frame.glsl"
in vec2 v_ndc;
uniform sampler2D u_picture;
layout(location = 0) out vec4 out_colour;

void main() {
    vec4 sum = texelFetch(u_picture, ivec2(gl_FragCoord.xy), 0);
    if (sum.a < 0.5) discard;
    vec4 near = u_inverse_view_projection * vec4(v_ndc, -1.0, 1.0);
    vec4 far = u_inverse_view_projection * vec4(v_ndc, 1.0, 1.0);
    vec3 start = near.xyz / near.w;
    vec3 sight = far.xyz / far.w - start;
    float along = within_section(start) / dot(u_section.xyz, sight);
    vec4 clip = u_view_projection * vec4(start + along * sight, 1.0);
    gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
    float stripe = step(0.72, fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * u_viewport.z)));
    out_colour = vec4(sum.rgb / sum.a * mix(0.80, 0.45, stripe), 1.0);
}
