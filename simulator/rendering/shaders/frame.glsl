// What every shader of a frame may know. Filled by uniforms.py in exactly this order; std140, so only mat4 and vec4.
layout(std140) uniform Frame {
    mat4 u_view_projection;          // world -> clip
    mat4 u_inverse_view_projection;  // clip -> world
    mat4 u_light;                    // world -> clip space of the shadow map
    vec4 u_eye;                      // xyz: eye [m]; w: 1 for a perspective view, 0 for a parallel one
    vec4 u_backward;                 // xyz: unit vector towards the eye along the optical axis
    vec4 u_light_direction;          // xyz: unit vector to the key light
    vec4 u_viewport;                 // xy: width, height [px]; z: pixels per unit of line width; w: metres per pixel and unit of clip w
    vec4 u_shadow;                   // x: softness [uv]; y: offset along the normal [m]; w: darkness on the floor
    vec4 u_key;                      // linear light
    vec4 u_sky_light;
    vec4 u_ground_light;
    vec4 u_sky;                      // sRGB paint from here on
    vec4 u_horizon;
    vec4 u_edge;                     // w: weight of this colour against the part's own
    vec4 u_selected;
    vec4 u_hovered;
    vec4 u_section;                  // xyz: normal of the section plane, zero where nothing is cut; w: its offset [m]
};

// A gamma of 2: close to sRGB, and a fraction of the cost of pow() on a software rasteriser.
vec3 to_linear(vec3 c) { return c * c; }
vec3 to_display(vec3 c) { return sqrt(max(c, 0.0)); }

// How far a point is within what a section leaves; clips where the caller has switched that on.
float within_section(vec3 point) { return u_section.w - dot(u_section.xyz, point); }

// Unit vector from a point of the world towards the eye.
vec3 towards_eye(vec3 point) { return u_eye.w > 0.5 ? normalize(u_eye.xyz - point) : u_backward.xyz; }

// A point moved a little towards the eye, so that lines on a surface are not hidden by it.
vec3 pulled(vec3 point, float amount) {
    return u_eye.w > 0.5 ? mix(point, u_eye.xyz, amount) : point + u_backward.xyz * amount * length(u_eye.xyz - point);
}
