#include "frame.glsl"
out vec2 v_ndc;
out vec3 v_sight;  // direction of the line of sight, not normalized

void main() {
    v_ndc = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    vec4 far = u_inverse_view_projection * vec4(v_ndc, 1.0, 1.0);
    vec4 near = u_inverse_view_projection * vec4(v_ndc, -1.0, 1.0);
    v_sight = far.xyz / far.w - near.xyz / near.w;
    gl_Position = vec4(v_ndc, 1.0, 1.0);
}
