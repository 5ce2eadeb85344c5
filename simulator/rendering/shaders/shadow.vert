#include "frame.glsl"
#include "instance.glsl"
layout(location = 0) in vec3 in_position;

void main() { gl_Position = u_light * vec4(to_world(in_position), 1.0); }
