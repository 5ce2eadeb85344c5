#include "instance.glsl"
layout(location = 0) in vec3 in_position;
uniform vec4 u_section;  // as in frame.glsl
uniform mat4 u_pick;  // world -> clip space of the few pixels around the pointer
out vec3 v_point;
flat out float v_number;

void main() {
    v_point = to_world(in_position);
    v_number = i_state.y;
    gl_ClipDistance[0] = u_section.w - dot(u_section.xyz, v_point);
    gl_Position = u_pick * vec4(v_point, 1.0);
}
