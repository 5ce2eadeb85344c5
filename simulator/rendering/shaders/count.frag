// Faces of solids along a line of sight: those seen from inside count one, those from outside minus one, with their
// colours. What is left beyond a section plane is one in what the plane cuts, and zero beside it and in its hollows.
#include "frame.glsl"
flat in vec4 v_colour;
flat in vec4 v_state;
layout(location = 0) out vec4 out_sum;

void main() {
    if (v_state.w > 0.5) discard;  // no part of the mechanism
    out_sum = (gl_FrontFacing ? -1.0 : 1.0) * vec4(v_colour.rgb, 1.0);
}
