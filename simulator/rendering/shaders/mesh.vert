#include "frame.glsl"
#include "instance.glsl"
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
out vec3 v_point;
out vec3 v_normal;
flat out vec4 v_colour;
flat out vec4 v_state;

void main() {
    v_point = to_world(in_position);
    v_normal = normal_to_world(in_normal);
    v_colour = i_colour;
    v_state = i_state;
    gl_Position = u_view_projection * vec4(v_point, 1.0);
}
