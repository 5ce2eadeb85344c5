in vec2 v_ndc;
uniform sampler2D u_picture;
layout(location = 0) out vec4 out_colour;

// Half a step of noise hides the bands of a smooth sky in 8 bits.
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }

void main() {
    vec3 colour = texture(u_picture, v_ndc * 0.5 + 0.5).rgb;
    out_colour = vec4(colour + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
