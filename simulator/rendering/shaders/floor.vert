#include "frame.glsl"
uniform vec4 u_place;    // xyz: the centre [m]; w: half size [m]
uniform float u_behind;  // 1: behind everything else, so that it hides nothing
out vec3 v_point;

void main() {
    vec2 corner = vec2(float(gl_VertexID / 2), float(gl_VertexID % 2)) * 2.0 - 1.0;
    v_point = vec3(u_place.xy + corner * u_place.w, u_place.z);
    gl_Position = u_view_projection * vec4(v_point, 1.0);
    if (u_behind > 0.5) gl_Position.z = gl_Position.w * 0.999999;
}
