layout(location = 4) in mat4 i_model;    // geometry -> world, scale included
layout(location = 8) in vec4 i_colour;   // sRGB, opacity
layout(location = 9) in vec4 i_state;    // x: 0 plain, 1 hovered, 2 selected; y: number of the link; z: distance between edges [m];
                                         // w: 1 for what stands in the place of a missing mesh

vec3 to_world(vec3 position) { return (i_model * vec4(position, 1.0)).xyz; }

// Normals go by the inverse transpose; for a rotation times a scale that is division by the squared column lengths.
vec3 normal_to_world(vec3 normal) {
    mat3 m = mat3(i_model);
    return m * (normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2])));
}
