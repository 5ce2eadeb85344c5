in vec3 v_point;
flat in float v_number;
layout(location = 0) out vec4 out_hit;  // xyz: the point [m]; w: 1 + number of the link, 0 for nothing

void main() { out_hit = vec4(v_point, v_number + 1.0); }
