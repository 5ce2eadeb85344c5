// SHADOW_TAPS is defined by programs.py; 0 leaves the shadow map out altogether, which a software rasteriser feels.
#if SHADOW_TAPS == 0
float light_reaching(vec3 point, vec3 normal, float cosine) { return 1.0; }
#else
uniform sampler2DShadow u_shadow_map;

// The part of the key light that reaches a point, in [0, 1]: taps on a golden-angle spiral, each of them bilinear. Each tap is
// compared with the depth of the surface's own tangent plane there, so that a slanted face does not shade itself.
float light_reaching(vec3 point, vec3 normal, float cosine) {
    vec3 from = point + normal * u_shadow.y * (1.3 - cosine);
    vec3 s = (u_light * vec4(from, 1.0)).xyz * 0.5 + 0.5;
    if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
    mat3 rows = transpose(mat3(u_light));
    vec3 n = vec3(dot(rows[0], normal) / dot(rows[0], rows[0]), dot(rows[1], normal) / dot(rows[1], rows[1]),
                  dot(rows[2], normal) / dot(rows[2], rows[2]));
    vec2 slope = clamp(-n.xy / min(n.z, -1e-4), -4.0, 4.0);
    float below = s.z - 0.10 * u_shadow.x;  // the facets of a hollow rise this much over each other's planes
    float sum = 0.0;
    for (int i = 0; i < SHADOW_TAPS; ++i) {
        float radius = sqrt((float(i) + 0.5) / float(SHADOW_TAPS)) * u_shadow.x;
        float angle = float(i) * 2.399963;
        vec2 step_uv = radius * vec2(cos(angle), sin(angle));
        sum += texture(u_shadow_map, vec3(s.xy + step_uv, below + dot(slope, step_uv)));
    }
    return sum / float(SHADOW_TAPS);
}
#endif
