#include "frame.glsl"
#include "instance.glsl"
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
#ifdef TEXTURED
layout(location = 2) in vec2 in_uv;
uniform vec3 u_place;  // xy: copies of the picture per unit of u and v; z: 1 where it has holes
out vec2 v_uv;
#endif
out vec3 v_point;
out vec3 v_normal;
flat out vec4 v_colour;
flat out vec4 v_state;

void main() {
    v_point = to_world(in_position);
    v_normal = normal_to_world(in_normal);
    v_colour = i_colour;
    v_state = i_state;
#ifdef TEXTURED
    v_uv = (in_uv - 0.5) * u_place.xy + 0.5;
#endif
    gl_ClipDistance[0] = within_section(v_point);
    gl_Position = u_view_projection * vec4(v_point, 1.0);
}
