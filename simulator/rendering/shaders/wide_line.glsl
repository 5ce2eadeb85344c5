// A segment of the world as a rectangle of the picture, `half_width` px to either side with round ends.
noperspective out vec2 v_offset;  // px from the segment's start: along, across
flat out vec2 v_extent;           // px: length, half width

const float FEATHER = 0.75;

void emit_wide(vec4 start, vec4 end, vec2 corner, float half_width) {
    const float NEAR = 1e-5;
    if (start.w < NEAR && end.w < NEAR) { gl_Position = vec4(0.0, 0.0, 2.0, 1.0); return; }
    if (start.w < NEAR) start = mix(start, end, (NEAR - start.w) / (end.w - start.w));
    if (end.w < NEAR) end = mix(end, start, (NEAR - end.w) / (start.w - end.w));
    vec2 half_size = 0.5 * u_viewport.xy;
    vec2 a = start.xy / start.w * half_size;
    vec2 b = end.xy / end.w * half_size;
    float len = length(b - a);
    vec2 along = len > 1e-4 ? (b - a) / len : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    float reach = half_width + FEATHER;
    vec4 here = corner.x > 0.5 ? end : start;
    vec2 point = (corner.x > 0.5 ? b + along * reach : a - along * reach) + across * corner.y * reach;
    v_offset = vec2(corner.x > 0.5 ? len + reach : -reach, corner.y * reach);
    v_extent = vec2(len, half_width);
    gl_Position = vec4(point / half_size * here.w, here.z, here.w);
}
