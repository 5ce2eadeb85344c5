out vec2 v_ndc;

void main() {
    v_ndc = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(v_ndc, 1.0, 1.0);
}
