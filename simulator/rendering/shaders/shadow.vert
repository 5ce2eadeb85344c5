#include "frame.glsl"
#include "instance.glsl"
layout(location = 0) in vec3 in_position;

void main() {
    vec3 point = to_world(in_position);
    gl_ClipDistance[0] = within_section(point);
    gl_Position = u_light * vec4(point, 1.0);
}
