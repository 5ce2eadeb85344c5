#include "frame.glsl"
#include "shadow.glsl"
in vec3 v_point;
uniform vec4 u_place;
uniform vec4 u_floor;       // rgb: paint; w: opacity
uniform vec4 u_minor;       // rgb; w: distance [m]
uniform vec4 u_major;       // rgb; w: distance [m]
uniform vec3 u_axis_x;
uniform vec3 u_axis_y;
layout(location = 0) out vec4 out_colour;

// How much of a line `width` px wide lies in this pixel; lines closer than some pixels fade instead of flickering.
float cover(float metres, float metres_per_pixel, float width) {
    return clamp(0.5 * width + 0.5 - metres / metres_per_pixel, 0.0, 1.0);
}

float grid(vec2 point, vec2 pixel, float spacing, float width) {
    vec2 away = abs(fract(point / spacing - 0.5) - 0.5) * spacing;
    vec2 room = clamp(spacing / pixel / 8.0 - 0.5, 0.0, 1.0);
    return max(cover(away.x, pixel.x, width) * room.x, cover(away.y, pixel.y, width) * room.y);
}

void main() {
    vec2 pixel = max(fwidth(v_point.xy), 1e-7);
    float line = max(u_viewport.z, 1.0);
    vec3 colour = u_floor.rgb;
    colour = mix(colour, u_minor.rgb, grid(v_point.xy, pixel, u_minor.w, line));
    colour = mix(colour, u_major.rgb, grid(v_point.xy, pixel, u_major.w, line));
    colour = mix(colour, u_axis_x, cover(abs(v_point.y), pixel.y, 1.6 * line));
    colour = mix(colour, u_axis_y, cover(abs(v_point.x), pixel.x, 1.6 * line));
    float reaching = light_reaching(v_point, vec3(0.0, 0.0, 1.0), u_light_direction.z);
    colour *= 1.0 - u_shadow.w * (1.0 - reaching) * vec3(1.0, 0.95, 0.84);  // what the sky still lights is bluish
    float near = 1.0 - smoothstep(0.1, 1.0, length(v_point.xy - u_place.xy) / u_place.w);
    out_colour = vec4(colour, u_floor.w * near);
}
