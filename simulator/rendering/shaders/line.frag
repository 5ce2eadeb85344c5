noperspective in vec2 v_offset;
flat in vec2 v_extent;
in vec4 v_colour;
layout(location = 0) out vec4 out_colour;

void main() {
    float beyond = max(max(-v_offset.x, v_offset.x - v_extent.x), 0.0);
    float distance_px = length(vec2(beyond, v_offset.y));
    float cover = clamp(v_extent.y + 0.5 - distance_px, 0.0, 1.0) * min(1.0, 2.0 * v_extent.y);
    if (cover <= 0.0) discard;
    out_colour = vec4(v_colour.rgb, v_colour.a * cover);
}
