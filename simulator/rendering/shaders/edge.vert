#include "frame.glsl"
#include "instance.glsl"
#include "wide_line.glsl"
layout(location = 0) in vec3 in_start;
layout(location = 1) in vec3 in_end;
layout(location = 2) in vec3 in_normal_a;  // unit normals of the two faces beside the edge
layout(location = 3) in vec3 in_normal_b;
layout(location = 10) in vec3 in_corner;   // x: 0 start, 1 end; y: -1 or 1 across; z: 1 for a feature edge
uniform vec2 u_widths;                     // px: half width of a feature edge, of an outline
uniform float u_only_lit;                  // 1: draw nothing but hovered and selected links
out vec4 v_colour;

void main() {
    bool lit = i_state.x > 0.5;
    vec3 start = to_world(in_start);
    vec3 V = towards_eye(start);
    float side_a = dot(normal_to_world(in_normal_a), V);
    float side_b = dot(normal_to_world(in_normal_b), V);
    bool outline = side_a * side_b <= 0.0;
    bool shown = in_corner.z > 0.5 ? (side_a > 0.0 || side_b > 0.0 || in_normal_a == in_normal_b) : outline;
    gl_ClipDistance[0] = within_section(in_corner.x > 0.5 ? to_world(in_end) : start);
    if (!shown || (u_only_lit > 0.5 && !lit)) {
        v_colour = vec4(0.0);
        v_offset = vec2(0.0);
        v_extent = vec2(0.0);
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        return;
    }
    vec4 a = u_view_projection * vec4(pulled(start, 0.0008), 1.0);
    vec3 accent = i_state.x > 1.5 ? u_selected.rgb : u_hovered.rgb;
    vec3 own = i_state.w > 0.5 ? i_colour.rgb : mix(i_colour.rgb * 0.30, u_edge.rgb, u_edge.w);
    v_colour = lit ? vec4(accent * (outline ? 1.0 : 0.82), 1.0) : vec4(own, mix(0.35, 0.92, i_colour.a));
    // Where edges would lie closer than a few pixels, a distant gear say, they fade instead of blackening the part.
    float apart = i_state.z / (u_viewport.w * abs(a.w) * max(u_viewport.z, 1.0));
    if (!lit) v_colour.a *= mix(0.12, 1.0, smoothstep(1.0, 9.0, apart));
    // Selected: known by the width of its outline, whatever eyes see of hue; less of it where teeth lie close together.
    float thicker = mix(1.2, i_state.x > 1.5 ? 2.8 : 2.0, smoothstep(6.0, 36.0, apart));
    float width = (outline ? u_widths.y : u_widths.x) * (lit ? (outline ? thicker : 1.3) : 1.0);
    vec4 b = u_view_projection * vec4(pulled(to_world(in_end), 0.0008), 1.0);
    emit_wide(a, b, in_corner.xy, width * u_viewport.z);
}
