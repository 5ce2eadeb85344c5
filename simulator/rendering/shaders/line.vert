#include "frame.glsl"
#include "wide_line.glsl"
layout(location = 0) in vec3 i_start;
layout(location = 1) in vec3 i_end;
layout(location = 2) in vec4 i_colour;
layout(location = 3) in float i_width;  // px
out vec4 v_colour;

void main() {
    vec2 corner = vec2(float(gl_VertexID / 2), float(gl_VertexID % 2) * 2.0 - 1.0);
    v_colour = vec4(i_colour.rgb, i_colour.a);
    vec4 a = u_view_projection * vec4(pulled(i_start, 0.0012), 1.0);
    vec4 b = u_view_projection * vec4(pulled(i_end, 0.0012), 1.0);
    emit_wide(a, b, corner, 0.5 * i_width * u_viewport.z);
}
