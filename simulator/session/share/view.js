// The 3-D view: the renderer of the program (simulator/rendering) on WebGL 2, with its shaders and colours.

const V = {
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  add: (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  norm: (a) => Math.hypot(a[0], a[1], a[2]),
  unit: (a) => { const n = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / n, a[1] / n, a[2] / n]; },
};

// Matrices are column after column, as WebGL has them.
function product(a, b) {
  const c = new Float64Array(16);
  for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++) {
    c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
  }
  return c;
}

function inverse(m) {
  const a = Array.from({length: 4}, (_, i) => [...Array.from({length: 4}, (_, j) => m[4 * j + i]), ...Array.from({length: 4}, (_, j) => +(i === j))]);
  for (let k = 0; k < 4; k++) {
    let p = k;
    for (let i = k + 1; i < 4; i++) if (Math.abs(a[i][k]) > Math.abs(a[p][k])) p = i;
    [a[k], a[p]] = [a[p], a[k]];
    const d = a[k][k] || 1e-300;
    for (let j = 0; j < 8; j++) a[k][j] /= d;
    for (let i = 0; i < 4; i++) if (i !== k) { const f = a[i][k]; for (let j = 0; j < 8; j++) a[i][j] -= f * a[k][j]; }
  }
  const out = new Float64Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) out[4 * j + i] = a[i][4 + j];
  return out;
}

function posed(poses, at) {
  const x = poses[at + 3], y = poses[at + 4], z = poses[at + 5], w = poses[at + 6];
  return [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
    2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, poses[at], poses[at + 1], poses[at + 2], 1];
}

class Camera {
  constructor(name, target, distance) {
    this.target = target;
    this.distance = distance;
    this.fov = 28 * Math.PI / 180;
    this.look(name);
  }

  look(name) {
    const d = Math.PI / 180;
    [this.azimuth, this.elevation] = {iso: [-60 * d, 22 * d], front: [-90 * d, 0], right: [0, 0], left: [180 * d, 0],
      back: [90 * d, 0], top: [-90 * d, 89.9 * d], bottom: [-90 * d, -89.9 * d]}[name] || [-60 * d, 22 * d];
  }

  get axes() {
    const level = Math.cos(this.elevation);
    const backward = [level * Math.cos(this.azimuth), level * Math.sin(this.azimuth), Math.sin(this.elevation)];
    const right = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    return {right, up: V.cross(backward, right), backward};
  }

  get eye() { return V.add(this.target, this.axes.backward, this.distance); }

  matrix(aspect, reach) {
    const {right, up, backward} = this.axes, eye = this.eye;
    const far = this.distance + 1.05 * reach, near = Math.max(0.02 * this.distance, far / 20000);
    const view = new Float64Array([right[0], up[0], backward[0], 0, right[1], up[1], backward[1], 0, right[2], up[2],
      backward[2], 0, -V.dot(right, eye), -V.dot(up, eye), -V.dot(backward, eye), 1]);
    const scale = 1 / Math.tan(this.fov / 2), projection = new Float64Array(16);
    projection[0] = scale / aspect;
    projection[5] = scale;
    projection[10] = (far + near) / (near - far);
    projection[14] = 2 * far * near / (near - far);
    projection[11] = -1;
    return product(projection, view);
  }

  orbit(da, de) {
    this.azimuth += da;
    this.elevation = Math.min(Math.max(this.elevation + de, -1.569), 1.569);
  }

  pan(right, up) {
    const {right: r, up: u} = this.axes, size = 2 * this.distance * Math.tan(this.fov / 2);
    this.target = V.add(V.add(this.target, r, right * size), u, up * size);
  }

  ray(x, y, aspect) {
    const {right, up, backward} = this.axes, half = Math.tan(this.fov / 2);
    return {from: this.eye, along: V.unit(V.add(V.add(V.add([0, 0, 0], backward, -1), right, x * half * aspect), up, y * half))};
  }

  // So that all points are in the picture.
  fit(points, aspect) {
    for (let round = 0; round < 5; round++) {
      const {right, up, backward} = this.axes, t = Math.tan(this.fov / 2) / 1.18;
      let needed = 1e-6, low = [1e9, 1e9], high = [-1e9, -1e9];
      for (const point of points) {
        const r = V.sub(point, this.target);
        needed = Math.max(needed, Math.max(Math.abs(V.dot(r, up)), Math.abs(V.dot(r, right)) / aspect) / t + V.dot(r, backward));
      }
      this.distance = needed;
      for (const point of points) {
        const r = V.sub(point, this.target), depth = this.distance - V.dot(r, backward);
        const x = V.dot(r, right) / depth, y = V.dot(r, up) / depth;
        low = [Math.min(low[0], x), Math.min(low[1], y)];
        high = [Math.max(high[0], x), Math.max(high[1], y)];
      }
      this.target = V.add(V.add(this.target, right, this.distance * (low[0] + high[0]) / 2), up, this.distance * (low[1] + high[1]) / 2);
    }
  }
}

class View {
  static async load(canvas, scene, shaders) {
    const gl = canvas.getContext("webgl2", {antialias: true, alpha: false, preserveDrawingBuffer: true});
    if (!gl) throw new Error("this browser draws no WebGL 2");
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    const images = await Promise.all(scene.pictures.map(async (picture) => {
      if (!picture) return null;
      const image = new Image();
      image.src = picture.image;
      await image.decode();
      return image;
    }));
    return new View(canvas, gl, scene, shaders, images, await unpacked(scene.data), /swiftshader|llvmpipe|software|basic render/i.test(name));
  }

  constructor(canvas, gl, scene, shaders, images, data, software) {
    Object.assign(this, {canvas, gl, scene, software});
    this.taps = software ? 0 : 12;
    this.most = software ? 1 : 2;
    this.programs = {};
    for (const [name, [vertex, fragment]] of Object.entries(shaders)) this.programs[name] = this.program(vertex, fragment);
    this.frame = gl.createBuffer();
    this.empty = gl.createVertexArray();
    this.surfaces = scene.surfaces.map((surface) => this.upload(surface, data));
    this.triangles = scene.surfaces.map((surface) => ({
      positions: new Float32Array(data.buffer, data.byteOffset + surface.positions[0], surface.positions[1]),
      corners: new Uint32Array(data.buffer, data.byteOffset + surface.triangles[0], surface.triangles[1]),
    }));
    this.textures = images.map((image) => image && this.texture(image));
    this.size = 2048;
    if (this.taps) this.make_shadow_map();
    this.models = scene.drawables.map(() => new Float64Array(16));
    this.selected = -1;
    this.hovered = -1;
    this.camera = new Camera("iso", scene.centre, 4 * scene.radius);
    this.motion = [];  // points around what a motion reaches
    this.size_given = null;  // [px] of a picture that is not the screen's
  }

  program(vertex, fragment) {
    const gl = this.gl, head = `#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp sampler2DShadow;\n#define SHADOW_TAPS ${this.taps}\n`;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, head + text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const block = gl.getUniformBlockIndex(program, "Frame");
    if (block !== gl.INVALID_INDEX) gl.uniformBlockBinding(program, block, 0);
    const places = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const {name} = gl.getActiveUniform(program, i);
      places[name] = gl.getUniformLocation(program, name);
    }
    return {program, places};
  }

  // A picture, its lowest row first. The shaders take light for the square of a colour's number: texels are such that the
  // curve of sRGB, by which WebGL averages light, decodes them to that.
  texture(image) {
    const gl = this.gl, width = image.naturalWidth, height = image.naturalHeight, paper = document.createElement("canvas");
    paper.width = width;
    paper.height = height;
    const c = paper.getContext("2d");
    c.setTransform(1, 0, 0, -1, 0, height);
    c.drawImage(image, 0, 0);
    const texels = c.getImageData(0, 0, width, height).data;
    const curve = Uint8Array.from({length: 256}, (_, i) => {
      const light = (i / 255) ** 2;
      return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
    });
    for (let i = 0; i < texels.length; i++) if (i % 4 !== 3) texels[i] = curve[texels[i]];
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(texels.buffer));
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    return made;
  }

  upload(surface, data) {
    const gl = this.gl;
    const part = (type, [begin, count]) => new type(data.buffer, data.byteOffset + begin, count);
    const buffer = (target, content) => {
      const made = gl.createBuffer();
      gl.bindBuffer(target, made);
      gl.bufferData(target, content, gl.STATIC_DRAW);
      return made;
    };
    const mesh = gl.createVertexArray();
    gl.bindVertexArray(mesh);
    buffer(gl.ARRAY_BUFFER, part(Float32Array, surface.positions));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffer(gl.ARRAY_BUFFER, part(Int8Array, surface.normals));
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 3, 0);
    if (surface.uv) {
      buffer(gl.ARRAY_BUFFER, part(Float32Array, surface.uv));
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 2, gl.FLOAT, false, 0, 0);
    }
    buffer(gl.ELEMENT_ARRAY_BUFFER, part(Uint32Array, surface.triangles));
    const segments = part(Float32Array, surface.segments), sides = part(Int8Array, surface.sides);
    const count = segments.length / 6, corners = new Float32Array(4 * 15 * count), order = new Uint32Array(6 * count);
    const ends = [[0, -1], [0, 1], [1, -1], [1, 1]];
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 4; k++) {
        const at = 15 * (4 * i + k);
        for (let c = 0; c < 6; c++) { corners[at + c] = segments[6 * i + c]; corners[at + 6 + c] = sides[6 * i + c] / 127; }
        corners[at + 12] = ends[k][0];
        corners[at + 13] = ends[k][1];
        corners[at + 14] = +(i < surface.features);
      }
      order.set([0, 1, 2, 2, 1, 3].map((k) => 4 * i + k), 6 * i);
    }
    const edges = gl.createVertexArray();
    gl.bindVertexArray(edges);
    buffer(gl.ARRAY_BUFFER, corners);
    [[0, 0], [1, 3], [2, 6], [3, 9], [10, 12]].forEach(([place, first]) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 60, 4 * first);
    });
    buffer(gl.ELEMENT_ARRAY_BUFFER, order);
    gl.bindVertexArray(null);
    return {mesh, edges, indices: surface.triangles[1], lines: 6 * (this.software ? surface.features : count)};
  }

  make_shadow_map() {
    const gl = this.gl;
    this.shadow_map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadow_map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.size, this.size);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]]) {
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    }
    this.shadow_target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow_target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow_map, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  get aspect() { return this.canvas.width / Math.max(this.canvas.height, 1); }

  fit() {
    const corners = [this.motion, this.scene.corners, [this.scene.centre]].find((points) => points.length);
    this.camera.fit(corners, this.aspect);
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, this.most);
    const [width, height] = this.size_given || [this.canvas.clientWidth, this.canvas.clientHeight].map((size) => Math.max(1, Math.round(size * ratio)));
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.ratio = this.size_given ? 2 : ratio;
  }

  // Bodies at these poses (n_bodies - 1, 7): the world is left out.
  place(poses) {
    const still = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], bodies = new Map();
    this.scene.drawables.forEach(({body, matrix}, i) => {
      if (!bodies.has(body)) bodies.set(body, body === 0 ? still : posed(poses, 7 * (body - 1)));
      this.models[i] = product(bodies.get(body), matrix);
    });
    this.bodies = bodies;
  }

  shadow_view() {
    const {light, centre, radius} = this.scene;
    const right = V.unit(V.cross([0, 0, 1], light)), up = V.cross(light, right);
    const size = Math.pow(1.1, Math.ceil(Math.log(1.6 * radius) / Math.log(1.1)));
    const m = new Float64Array(16);
    [right, up, light].forEach((axis, i) => {
      const k = i === 2 ? -1 / (2 * size) : 1 / size;
      for (let j = 0; j < 3; j++) m[4 * j + i] = axis[j] * k;
      m[12 + i] = -V.dot(axis, centre) * k;
    });
    m[15] = 1;
    return {matrix: m, radius: size};
  }

  draw(theme) {
    const gl = this.gl, scene = this.scene, camera = this.camera;
    this.resize();
    const reach = 4.5 * Math.max(scene.radius, camera.distance);
    const matrix = camera.matrix(this.aspect, reach), shadow = this.shadow_view(), eye = camera.eye;
    this.matrix = matrix;
    const height = this.canvas.height, width = this.canvas.width;
    const rows = [...matrix, ...inverse(matrix), ...shadow.matrix, ...eye, 1, ...camera.axes.backward, 0, ...scene.light, 0,
      width, height, this.ratio, 2 * Math.tan(camera.fov / 2) / height,
      0.5 * scene.softness, 2.5 * 2 * shadow.radius / this.size, 0, theme.shadow, ...theme.key_light, 0, ...theme.sky_light, 0,
      ...theme.ground_light, 0, ...theme.sky, 0, ...theme.horizon, 0, ...theme.edge, theme.edge_weight, ...theme.selected, 0,
      ...theme.hovered, 0, 0, 0, 0, 0];
    gl.bindBuffer(gl.UNIFORM_BUFFER, this.frame);
    gl.bufferData(gl.UNIFORM_BUFFER, new Float32Array(rows), gl.DYNAMIC_DRAW);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, this.frame);
    const opaque = [], clear = [];
    scene.drawables.forEach((drawable, i) => (drawable.colour[3] >= 0.995 && !drawable.stands_in ? opaque : clear).push(i));
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    if (this.taps) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow_target);
      gl.viewport(0, 0, this.size, this.size);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1.5, 2);
      this.meshes("shadow", opaque);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D, this.shadow_map);
    }
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.meshes("mesh", opaque);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.depthMask(false);
    gl.useProgram(this.programs.background.program);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    this.draw_floor(theme, reach);
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.draw_edges(opaque);
    clear.sort((a, b) => V.norm(V.sub(this.models[b].slice(12, 15), eye)) - V.norm(V.sub(this.models[a].slice(12, 15), eye)));
    for (const i of clear) {
      gl.enable(gl.CULL_FACE);
      for (const hidden of [gl.FRONT, gl.BACK]) { gl.cullFace(hidden); this.meshes("mesh", [i]); }
      gl.disable(gl.CULL_FACE);
      this.draw_edges([i]);
    }
    gl.depthMask(true);
  }

  attributes(i) {
    const gl = this.gl, drawable = this.scene.drawables[i], m = this.models[i];
    for (let c = 0; c < 4; c++) gl.vertexAttrib4f(4 + c, m[4 * c], m[4 * c + 1], m[4 * c + 2], m[4 * c + 3]);
    gl.vertexAttrib4f(8, ...drawable.colour);
    const lit = drawable.body === this.selected && drawable.body ? 2 : drawable.body === this.hovered && drawable.body ? 1 : 0;
    gl.vertexAttrib4f(9, lit, 0, drawable.apart, +drawable.stands_in);
  }

  meshes(name, members) {
    const gl = this.gl;
    for (const i of members) {
      const {surface: number, picture} = this.scene.drawables[i], surface = this.surfaces[number];
      const textured = name === "mesh" && picture !== null, {program, places} = this.programs[textured ? "textured" : name];
      gl.useProgram(program);
      if (textured) {
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, this.textures[picture]);
        gl.activeTexture(gl.TEXTURE0);
        gl.uniform1i(places.u_albedo, 1);
        gl.uniform3f(places.u_place, ...this.scene.pictures[picture].place);
      }
      gl.bindVertexArray(surface.mesh);
      this.attributes(i);
      gl.drawElements(gl.TRIANGLES, surface.indices, gl.UNSIGNED_INT, 0);
    }
  }

  draw_edges(members) {
    const gl = this.gl, {program, places} = this.programs.edge;
    gl.useProgram(program);
    gl.uniform2f(places.u_widths, ...this.scene.widths);
    gl.uniform1f(places.u_only_lit, 0);
    for (const i of members) {
      const surface = this.surfaces[this.scene.drawables[i].surface];
      if (!surface.lines) continue;
      gl.bindVertexArray(surface.edges);
      this.attributes(i);
      gl.drawElements(gl.TRIANGLES, surface.lines, gl.UNSIGNED_INT, 0);
    }
  }

  draw_floor(theme, reach) {
    const gl = this.gl, {program, places} = this.programs.floor, {floor, grid, radius} = this.scene, camera = this.camera;
    const below = camera.eye[2] < floor.z;
    gl.depthMask(floor.ground && !below);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(program);
    gl.uniform4f(places.u_place, camera.target[0], camera.target[1], floor.z - 2e-4 * radius, reach);
    gl.uniform4f(places.u_floor, ...theme.floor, below ? 0.25 : 1);
    gl.uniform4f(places.u_minor, ...theme.grid_minor, grid[0]);
    gl.uniform4f(places.u_major, ...theme.grid_major, grid[1]);
    gl.uniform3f(places.u_axis_x, ...theme.axis_x);
    gl.uniform3f(places.u_axis_y, ...theme.axis_y);
    gl.uniform1f(places.u_behind, floor.ground ? 0 : 1);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  // What a line of sight meets first: the drawable, its body, the point in the world and in the body.
  hit(x, y) {
    const {from, along} = this.camera.ray(x, y, this.aspect);
    let best = null;
    this.scene.drawables.forEach((drawable, i) => {
      const back = inverse(this.models[i]), {positions: p, corners: c} = this.triangles[drawable.surface];
      const at = (v, w) => [0, 1, 2].map((k) => back[k] * v[0] + back[4 + k] * v[1] + back[8 + k] * v[2] + back[12 + k] * w);
      const o = at(from, 1), d = at(along, 0);
      for (let t = 0; t < c.length; t += 3) {
        const A = 3 * c[t], B = 3 * c[t + 1], C = 3 * c[t + 2];
        const e = [p[B] - p[A], p[B + 1] - p[A + 1], p[B + 2] - p[A + 2]], f = [p[C] - p[A], p[C + 1] - p[A + 1], p[C + 2] - p[A + 2]];
        const h = V.cross(d, f), det = V.dot(e, h);
        if (Math.abs(det) < 1e-30) continue;
        const s = [o[0] - p[A], o[1] - p[A + 1], o[2] - p[A + 2]], u = V.dot(s, h) / det;
        if (u < 0 || u > 1) continue;
        const q = V.cross(s, e), v = V.dot(d, q) / det;
        if (v < 0 || u + v > 1) continue;
        const depth = V.dot(f, q) / det;
        if (depth > 1e-9 && (!best || depth < best.depth)) best = {depth, drawable: i};
      }
    });
    if (!best) return null;
    const drawable = this.scene.drawables[best.drawable], point = V.add(from, along, best.depth);
    return {...best, body: drawable.body, link: drawable.link, point, local: this.local(drawable.body, point)};
  }

  local(body, point) {
    const m = this.bodies.get(body), r = [point[0] - m[12], point[1] - m[13], point[2] - m[14]];
    return [0, 1, 2].map((k) => m[4 * k] * r[0] + m[4 * k + 1] * r[1] + m[4 * k + 2] * r[2]);
  }

  world(body, local) {
    const m = this.bodies.get(body);
    return [0, 1, 2].map((k) => m[k] * local[0] + m[4 + k] * local[1] + m[8 + k] * local[2] + m[12 + k]);
  }

  // Where a point of the world is on the canvas [css px].
  pixel(point) {
    const m = this.matrix, w = m[3] * point[0] + m[7] * point[1] + m[11] * point[2] + m[15];
    const x = (m[0] * point[0] + m[4] * point[1] + m[8] * point[2] + m[12]) / w, y = (m[1] * point[0] + m[5] * point[1] + m[9] * point[2] + m[13]) / w;
    return [(1 + x) * this.canvas.clientWidth / 2, (1 - y) * this.canvas.clientHeight / 2];
  }
}
