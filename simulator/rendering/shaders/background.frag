#include "frame.glsl"
in vec2 v_ndc;
in vec3 v_sight;
layout(location = 0) out vec4 out_colour;

// The sky by the height of the line of sight above the horizon; below it, the colour into which the floor fades.
void main() {
    float height = u_eye.w > 0.5 ? normalize(v_sight).z : 0.25 + 0.25 * v_ndc.y;
    out_colour = vec4(mix(u_horizon.rgb, u_sky.rgb, smoothstep(-0.02, 0.55, height)), 1.0);
}
