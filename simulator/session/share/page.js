// The page: what is played, what is touched, what is shown beside it.

const DEGREES = 180 / Math.PI;
const SERIES = {light: ["#0072b2", "#d55e00", "#008a5f", "#b3478a", "#946200", "#5b4fc4", "#3d8fc4", "#4d5766"],
  dark: ["#56a8e0", "#ff9147", "#3cc79a", "#e286bf", "#d6a53a", "#9d92f5", "#7cc0ee", "#a9b4c4"]};
const BUDGET = 12;  // ms of a picture for physics
const KEPT = 20;    // s of curves
const PAPER = {picture: 1440, narrowest: 1.8, plot: [680, 150]};  // px of what is printed, whatever the screen

const el = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...inside) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in made && name !== "list") made[name] = value; else made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
};

const shown = (value, unit, digits = 2) => {
  const fixed = (number) => number.toFixed(digits - 1).replace(/^-(0\.?0*)$/, "$1");
  if (unit.startsWith("rad")) return `${fixed(value * DEGREES)}°${unit.slice(3)}`;
  if (unit.startsWith("m")) return `${fixed(value * 1e3)} mm${unit.slice(1)}`;
  return `${value.toPrecision(3)} ${unit}`;
};

const small = (value, unit) => {
  const size = Math.abs(value);
  return size === 0 ? `0 ${unit}` : `${size.toExponential(1).replace("e-", "·10⁻").replace("e+", "·10").replace(/⁻(\d+)$/, (_, d) => "⁻" + [...d].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join(""))} ${unit}`;
};

// A run that was recorded by the program.
class Recording {
  static async load(content) {
    const [times, poses, rows] = await Promise.all([content.times, content.poses, content.rows].map(async (text) => {
      const bytes = await unpacked(text);
      return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    }));
    return Object.assign(new Recording(), {times, poses, rows, width: content.width, count: content.count, time: 0, failure: content.failure});
  }

  get duration() { return this.times[this.count - 1]; }

  get frame() {
    let low = 0, high = this.count - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (this.times[middle] <= this.time) low = middle; else high = middle; }
    return this.times[high] <= this.time ? high : low;
  }

  get row() { const k = this.frame; return this.rows.subarray(k * this.width, (k + 1) * this.width); }

  // Poses between two pictures: places in between, and the shorter way of a quaternion.
  place() {
    const n = this.poses.length / this.count, k = this.frame, next = Math.min(k + 1, this.count - 1);
    const span = this.times[next] - this.times[k], s = span > 0 ? Math.min(Math.max((this.time - this.times[k]) / span, 0), 1) : 0;
    const out = new Float64Array(n);
    for (let b = 0; b < n; b += 7) {
      const A = k * n + b, B = next * n + b, p = this.poses;
      const sign = p[A + 3] * p[B + 3] + p[A + 4] * p[B + 4] + p[A + 5] * p[B + 5] + p[A + 6] * p[B + 6] < 0 ? -1 : 1;
      for (let c = 0; c < 7; c++) out[b + c] = (1 - s) * p[A + c] + s * p[B + c] * (c < 3 ? 1 : sign);
      const size = Math.hypot(out[b + 3], out[b + 4], out[b + 5], out[b + 6]);
      for (let c = 3; c < 7; c++) out[b + c] /= size;
    }
    return out;
  }
}

// Curves over the last seconds, or over a recording.
class Curves {
  constructor() { this.clear(); }
  clear() { this.times = []; this.values = []; }
  add(time, values) {
    if (this.times.length && time <= this.times[this.times.length - 1]) return;
    this.times.push(time);
    this.values.push(values);
    while (this.times.length > 2 && this.times[0] < time - KEPT) { this.times.shift(); this.values.shift(); }
  }
}

function plot(canvas, times, series, options) {
  const ratio = options.size ? 3 : Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = options.size || [canvas.clientWidth, canvas.clientHeight];
  if (!width) return;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const c = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const muted = style.getPropertyValue("--muted"), border = style.getPropertyValue("--border");
  c.scale(ratio, ratio);
  c.font = "11px system-ui, sans-serif";
  const left = 46, right = width - 8, top = 8, bottom = height - 20;
  const t0 = options.from ?? times[0] ?? 0, t1 = Math.max(options.to ?? times[times.length - 1] ?? 1, t0 + 1e-6);
  let low = Infinity, high = -Infinity;
  for (const {values} of series) for (const value of values) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
  if (!(high >= low)) { low = -1; high = 1; }
  if (options.logarithmic) { low = Math.min(low, -17); high = Math.max(Math.ceil(high), -12); }
  const least = options.least || 1e-9;
  if (high - low < least) { const middle = (low + high) / 2; low = middle - least / 2; high = middle + least / 2; }
  if (!options.logarithmic) { const room = 0.06 * (high - low); low -= room; high += room; }
  const x = (t) => left + (right - left) * (t - t0) / (t1 - t0), y = (v) => bottom - (bottom - top) * (v - low) / (high - low);
  const step = (range, most) => { const raw = range / most, power = 10 ** Math.floor(Math.log10(raw)); return [1, 2, 5, 10].find((f) => f * power >= raw) * power; };
  c.strokeStyle = border;
  c.fillStyle = muted;
  c.lineWidth = 1;
  c.textAlign = "right";
  c.textBaseline = "middle";
  const dy = options.logarithmic ? Math.max(1, Math.round(step(high - low, 4))) : step(high - low, 4);
  for (let v = Math.ceil(low / dy) * dy; v <= high + 1e-9 * dy; v += dy) {
    c.beginPath();
    c.moveTo(left, y(v));
    c.lineTo(right, y(v));
    c.stroke();
    const power = [...String(Math.abs(Math.round(v)))].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("");
    c.fillText(options.logarithmic ? `10${v < 0 ? "⁻" : ""}${power}` : String(+v.toPrecision(6)), left - 5, y(v));
  }
  c.textAlign = "center";
  c.textBaseline = "top";
  const dx = step(t1 - t0, 5);
  for (let t = Math.ceil(t0 / dx) * dx; t <= t1 + 1e-9; t += dx) c.fillText(`${+t.toPrecision(6)} s`, Math.min(Math.max(x(t), left + 8), right - 14), bottom + 5);
  c.save();
  c.beginPath();
  c.rect(left, top - 4, right - left + 4, bottom - top + 8);
  c.clip();
  for (const {values, colour, dash} of series) {
    c.strokeStyle = colour;
    c.lineWidth = 1.8;
    c.lineJoin = "round";
    c.setLineDash(dash || []);
    c.beginPath();
    let begun = false;
    values.forEach((value, i) => {
      if (!Number.isFinite(value)) { begun = false; return; }
      if (begun) c.lineTo(x(times[i]), y(value)); else c.moveTo(x(times[i]), y(value));
      begun = true;
    });
    c.stroke();
  }
  c.setLineDash([]);
  if (options.now !== undefined) {
    c.strokeStyle = muted;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x(options.now), top);
    c.lineTo(x(options.now), bottom);
    c.stroke();
  }
  c.restore();
}

class Page {
  constructor(shared) {
    this.shared = shared;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.printing = false;
    this.curves = new Curves();
    this.playing = false;
    this.speed = 1;
    this.owed = 0;
    this.dirty = true;
    this.pictures = 0;
    this.pointers = new Map();
    this.dark.addEventListener("change", () => { this.dirty = true; });
    addEventListener("resize", () => { this.dirty = true; });
    new ResizeObserver(() => { this.dirty = true; }).observe(el("stage"));
    this.listen();
  }

  async show(number) {
    const step = this.shared.steps[number];
    this.number = number;
    this.playing = false;
    this.ready = false;
    const content = this.content = step.content;
    this.scene = this.shared.scenes[content.scene];
    const canvas = el("view").cloneNode(false);
    el("view").replaceWith(canvas);
    try {
      this.view = await View.load(canvas, this.scene, this.shared.shaders);
      this.view.resize();
      this.view.camera.look(step.camera);
      this.view.motion = content.corners;
      this.view.fit();
    } catch (error) {
      this.view = null;
      this.remark(`There is no 3-D view: ${error.message}.`);
    }
    this.listen_to_canvas(canvas);
    this.recording = await Recording.load(content.recording);
    this.live = null;
    let reason = content.live.reason || "";
    if (!reason && typeof WebAssembly === "undefined") reason = "this browser has no WebAssembly";
    if (!reason) {
      try {
        this.live = await Live.load({...content.live, kernels: this.shared.kernels});
        this.live.reset();
      } catch (error) {
        reason = `this browser does not run the physics (${error.message})`;
      }
    }
    this.reason = reason;
    this.lay_out(step);
    this.choose(this.live ? "live" : "recording");
    this.ready = true;
    this.play(step.run && (this.live || this.recording.count > 1));
    this.paint();
  }

  // -- what is played --------------------------------------------------------------------------------------------------

  get source() { return this.mode === "live" ? this.live : this.recording; }

  choose(mode) {
    this.mode = mode;
    this.curves.clear();
    el("live").setAttribute("aria-pressed", mode === "live");
    el("recorded").setAttribute("aria-pressed", mode === "recording");
    el("live").disabled = !this.live;
    el("live").title = this.live ? "The page computes the motion" : this.reason;
    el("scrub").disabled = mode !== "recording";
    el("scrub").max = this.recording.duration;
    el("move").hidden = !(this.live && this.content.live.motors.length) || mode !== "live";
    if (this.live && mode === "live") this.curves.add(this.live.time, this.sample(this.live.row));
    this.remark(this.live ? "" : `A recording is played: ${this.reason}.`);
    this.dirty = true;
  }

  play(on) {
    this.playing = Boolean(on);
    this.owed = 0;
    if (on && this.mode === "recording" && this.recording.time >= this.recording.duration) this.recording.time = 0;
    el("play").setAttribute("aria-label", on ? "Pause" : "Run");
    el("play").title = on ? "Pause (space)" : "Run (space)";
    el("play").classList.toggle("on", this.playing);
    this.dirty = true;
  }

  reset() {
    if (this.live) this.live.reset();
    this.recording.time = 0;
    this.curves.clear();
    this.remark(this.live ? "" : `A recording is played: ${this.reason}.`);
    for (const control of this.controls) control.free();
    if (this.live && this.mode === "live") this.curves.add(this.live.time, this.sample(this.live.row));
    this.dirty = true;
  }

  // Advance by so many seconds of the wall clock.
  advance(seconds) {
    if (!this.playing) return;
    if (this.mode === "recording") {
      this.recording.time += seconds * this.speed;
      if (this.recording.time >= this.recording.duration) {
        this.recording.time = this.recording.duration;
        this.play(false);
        if (this.recording.failure) this.remark(this.recording.failure);
      }
      return;
    }
    this.owed += seconds * this.speed / this.live.now.h;
    const begun = performance.now();
    while (this.owed >= 1 && !this.live.stopped) {
      const steps = Math.min(Math.floor(this.owed), 4);
      this.live.advance(steps);
      this.owed -= steps;
      if (performance.now() - begun > BUDGET) { this.owed = Math.min(this.owed, 1); break; }
    }
    if (this.live.stopped) {
      this.play(false);
      this.remark(this.live.stopped[0].toUpperCase() + this.live.stopped.slice(1) + ".");
    }
    this.curves.add(this.live.time, this.sample(this.live.row));
  }

  sample(row) {
    return [...this.traced.map((axis) => row[1 + 3 * axis]), this.residual(row)];
  }

  // The largest residual of couplings and loops.
  residual(row) {
    const {coupling, energy} = this.content.places;
    let worst = 0;
    for (let k = coupling; k < energy; k++) if (!this.content.slack.includes(k)) worst = Math.max(worst, Math.abs(row[k]));
    return worst;
  }

  // -- what is shown ---------------------------------------------------------------------------------------------------

  get look() { return this.dark.matches && !this.printing ? "dark" : "light"; }
  get theme() { return this.scene.themes[this.look]; }
  colour(i) { const all = SERIES[this.look]; return all[i % all.length]; }

  start() {
    let last = performance.now(), times = [];
    const tick = (now) => {
      requestAnimationFrame(tick);
      if (!this.ready) return;
      const seconds = Math.min(Math.max(now - last, 0) / 1e3, 0.1);
      last = now;
      const moves = this.playing;
      this.advance(seconds);
      if (moves || this.dirty) { this.paint(); times.push(now); this.pace(now, moves); }
      times = times.filter((time) => time > now - 1000);
      this.rate = times.length;
    };
    requestAnimationFrame(tick);
  }

  // Fewer pixels where pictures take long: a mechanism that stutters is worse than one with rough edges.
  pace(now, moves) {
    const spent = now - (this.painted || 0);
    this.painted = now;
    if (!this.view || !moves || spent > 500) return;
    this.slow = 0.9 * (this.slow || 16) + 0.1 * spent;
    if (this.slow > 55 && this.view.most > 0.75) {
      this.view.most *= 0.8;
      this.slow = 30;
    }
  }

  paint() {
    this.dirty = false;
    this.pictures += 1;
    const source = this.source;
    if (this.view) {
      this.view.place(source.place());
      this.view.draw(this.theme);
      this.draw_cables();
      this.draw_hand();
    }
    this.write();
    window.parent !== window && this.report();
  }

  report() {
    const now = performance.now();
    if (now - (this.reported || 0) < 100) {  // what is left out is told later: the last state counts
      this.waiting ||= setTimeout(() => { this.waiting = 0; this.report(); }, 110);
      return;
    }
    this.reported = now;
    const row = this.source.row, axes = this.content.axes;
    const values = (offset) => axes.map((_, i) => row[offset + 3 * i]);
    window.parent.postMessage({simulator: {time: this.source.time, position: values(1), velocity: values(2), playing: this.playing}}, "*");
  }

  draw_cables() {
    const overlay = el("cables"), lines = this.mode === "live" && this.live ? this.live.cables() : [];
    while (overlay.children.length > lines.length) overlay.lastChild.remove();
    while (overlay.children.length < lines.length) overlay.append(document.createElementNS(overlay.namespaceURI, "polyline"));
    lines.forEach((line, i) => overlay.children[i].setAttribute("points", line.map((point) => this.view.pixel(point).slice(0, 2).join()).join(" ")));
  }

  draw_hand() {
    const hold = this.mode === "live" && this.live && this.live.hold, overlay = el("hand");
    overlay.style.display = hold ? "" : "none";
    if (!hold) return;
    const [x1, y1] = this.view.pixel(this.view.world(hold.body, hold.point)), [x2, y2] = this.view.pixel(hold.target);
    const line = overlay.querySelector("line");
    Object.entries({x1, y1, x2, y2}).forEach(([name, value]) => line.setAttribute(name, value));
    const [a, b] = overlay.querySelectorAll("circle");
    a.setAttribute("cx", x1); a.setAttribute("cy", y1);
    b.setAttribute("cx", x2); b.setAttribute("cy", y2);
  }

  write() {
    const row = this.source.row, {axes, places, couplings, loops} = this.content;
    el("time").textContent = `${this.source.time.toFixed(2)} s`;
    if (document.activeElement !== el("scrub") || this.playing) el("scrub").value = this.mode === "recording" ? this.recording.time : 0;
    const worst = this.residual(row);
    el("worst").textContent = couplings.length + loops.length ? `largest residual ${small(worst, "")}` : "";
    const now = performance.now();
    if (now - (this.written || 0) < 90 && this.playing && !this.printing) return;
    this.written = now;
    this.readings.forEach(({position, velocity}, i) => {
      position.textContent = shown(row[1 + 3 * i], axes[i].unit);
      velocity.textContent = shown(row[2 + 3 * i], `${axes[i].unit}/s`);
    });
    this.laws.forEach((cell, i) => { cell.textContent = small(row[places.coupling + i], couplings[i].unit); });
    this.gaps.forEach((cell, i) => { cell.textContent = `${small(row[places.loop + 2 * i], "m")}, ${small(row[places.loop + 2 * i + 1], "rad")}`; });
    el("energy").textContent = `kinetic ${row[places.energy].toPrecision(4)} J, potential ${row[places.energy + 1].toPrecision(4)} J`;
    for (const control of this.controls) control.follow(row[1 + 3 * control.motor.axis]);
    this.draw_plots();
  }

  // On paper a page has no screen's width, is light, and folds nothing up.
  print(on) {
    if (!this.ready || this.printing === on) return;
    this.printing = on;
    document.documentElement.classList.toggle("paper", on);
    if (on) this.folded = !el("all").open;
    el("all").open = on || !this.folded;
    if (this.view && on) {
      // A browser prints the WebGL picture that it showed last, if any: what is drawn here is copied.
      this.view.size_given = [PAPER.picture, Math.round(PAPER.picture / Math.max(this.view.aspect, PAPER.narrowest))];
      this.view.place(this.source.place());
      this.view.draw(this.theme);
      [el("printed").width, el("printed").height] = this.view.size_given;
      el("printed").getContext("2d").drawImage(this.view.canvas, 0, 0);
      this.view.size_given = null;
    }
    this.written = 0;
    this.paint();
  }

  draw_plots() {
    const {axes} = this.content, size = this.printing ? PAPER.plot : null;
    const n = this.traced.length;
    let times = this.curves.times, all = this.curves.values, options = {from: Math.max(0, (times[times.length - 1] || 0) - 10), to: Math.max(times[times.length - 1] || 0, 10)};
    if (this.mode === "recording") {
      const r = this.recording;
      times = Array.from(r.times);
      all = this.recorded_samples ||= times.map((_, k) => this.sample(r.rows.subarray(k * r.width, (k + 1) * r.width)));
      options = {from: 0, to: r.duration, now: r.time};
    }
    const lines = (unit) => this.traced.map((axis, i) => ({axis, i})).filter(({axis}) => axes[axis].unit === unit && this.visible.has(axis));
    for (const [unit, id, factor, least] of [["rad", "angles", DEGREES, 0.1], ["m", "ways", 1e3, 0.1]]) {
      const drawn = lines(unit);
      el(id).parentElement.hidden = !this.traced.some((axis) => axes[axis].unit === unit);
      plot(el(id), times, drawn.map(({i}) => ({values: all.map((v) => v[i] * factor), colour: this.colour(i)})), {...options, least, size});
    }
    el("residuals").parentElement.hidden = !(this.content.couplings.length + this.content.loops.length);
    plot(el("residuals"), times, [{values: all.map((v) => Math.log10(Math.max(v[n], 1e-17))), colour: this.colour(3)}], {...options, logarithmic: true, size});
  }

  remark(text) {
    el("remark").textContent = text;
    el("remark").hidden = !text;
  }

  // -- what stands beside it -------------------------------------------------------------------------------------------

  lay_out(step) {
    const {axes, couplings, loops} = this.content;
    const many = this.shared.steps.length > 1;
    el("steps").hidden = !many;
    el("step").textContent = many ? `${this.number + 1} / ${this.shared.steps.length}` : "";
    el("before").disabled = this.number === 0;
    el("after").disabled = this.number === this.shared.steps.length - 1;
    el("words").hidden = !(step.notes || many);
    el("heading").textContent = many ? step.title : "";
    el("heading").hidden = !many;
    el("notes").innerHTML = step.notes;
    el("question").hidden = !step.question;
    el("asked").innerHTML = step.question;
    el("answer").innerHTML = step.answer;
    el("question").open = false;
    this.recorded_samples = null;
    this.traced = step.traces;
    this.visible = new Set(this.traced);
    this.controls = this.live ? this.content.live.motors.map((motor) => new Control(this, motor)) : [];
    el("controls").replaceChildren(...this.controls.map((control) => control.element));
    this.readings = axes.map(() => ({position: make("td"), velocity: make("td")}));
    el("readings").replaceChildren(...axes.map((axis, i) => make("tr", {}, make("th", {scope: "row"}, axis.name), this.readings[i].position, this.readings[i].velocity)));
    this.laws = couplings.map(() => make("td"));
    this.gaps = loops.map(() => make("td"));
    el("law_rows").replaceChildren(...couplings.map(({text}, i) => make("tr", {}, make("th", {scope: "row"}, text), this.laws[i])),
      ...loops.map((name, i) => make("tr", {}, make("th", {scope: "row"}, `loop closed by ${name}`), this.gaps[i])));
    el("laws").hidden = !(couplings.length + loops.length);
    el("legend").replaceChildren(...this.traced.map((axis, i) => {
      const box = make("input", {type: "checkbox", checked: true});
      box.addEventListener("change", () => { if (box.checked) this.visible.add(axis); else this.visible.delete(axis); this.written = 0; this.dirty = true; });
      const role = couplings.some(({follower}) => follower === axis) ? "follower" : couplings.some(({leader}) => leader === axis) ? "leader" : "";
      const name = make("span", {}, axes[axis].name);
      if (role) name.append(make("small", {}, role));
      const key = make("i");
      key.style.setProperty("--colour", `var(--series-${i % 8})`);
      return make("label", {}, box, key, name);
    }));
  }

  // -- hands -----------------------------------------------------------------------------------------------------------

  listen() {
    el("play").addEventListener("click", () => this.play(!this.playing));
    el("reset").addEventListener("click", () => this.reset());
    el("speed").addEventListener("change", () => { this.speed = Number(el("speed").value); });
    el("live").addEventListener("click", () => this.choose("live"));
    el("recorded").addEventListener("click", () => this.choose("recording"));
    el("scrub").addEventListener("input", () => this.scrub(Number(el("scrub").value)));
    el("before").addEventListener("click", () => this.show(this.number - 1));
    el("after").addEventListener("click", () => this.show(this.number + 1));
    el("camera").addEventListener("change", () => { if (this.view && el("camera").value) { this.view.camera.look(el("camera").value); this.view.fit(); this.dirty = true; } el("camera").value = ""; });
    el("fit").addEventListener("click", () => { if (this.view) { this.view.fit(); this.dirty = true; } });
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("message", (event) => {
      const order = event.source === window.parent && event.data && event.data.simulator_order && event.data.simulator_order.order;
      if (order === "reset") this.reset();
      else if (order === "run" || order === "pause") this.play(order === "run");
    });
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => document.documentElement.classList.toggle("by_pointer", kind === "pointerdown"), true);
  }

  scrub(time) {
    this.play(false);
    this.recording.time = Math.min(Math.max(time, 0), this.recording.duration);
    this.dirty = true;
  }

  key(event) {
    const inside = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY)$/.test(event.target.tagName) && !(event.target.type === "range" && event.key === " ");
    if (event.ctrlKey || event.metaKey || event.altKey || (inside && !(event.target.tagName === "BUTTON" && event.key !== " " && event.key !== "Enter"))) return;
    const turn = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[event.key];
    const camera = this.view && this.view.camera;
    if (event.key === " ") this.play(!this.playing);
    else if (turn && turn[0] && this.mode === "recording" && document.activeElement !== el("view")) this.scrub(this.recording.time + Math.sign(turn[0]) * this.recording.duration / 100);
    else if (event.key === "r") this.reset();
    else if (!camera) return;
    else if (turn && document.activeElement === el("view")) camera.orbit(...turn);
    else if (event.key === "+" || event.key === "=") camera.distance *= 0.88;
    else if (event.key === "-") camera.distance *= 1.14;
    else if (event.key === "f") this.view.fit();
    else if ("1234".includes(event.key)) { camera.look(["iso", "front", "right", "top"]["1234".indexOf(event.key)]); this.view.fit(); }
    else return;
    event.preventDefault();
    this.dirty = true;
  }

  listen_to_canvas(canvas) {
    const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    const ndc = ([x, y]) => [2 * x / canvas.clientWidth - 1, 1 - 2 * y / canvas.clientHeight];
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.view || !this.ready) return;
      canvas.focus({preventScroll: true});
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, place(event));
      if (this.pointers.size > 1) { this.let_go(); this.action = "pinch"; return; }
      const hit = event.button === 0 && !event.shiftKey ? this.view.hit(...ndc(place(event))) : null;
      this.action = event.button !== 0 || event.shiftKey ? "pan" : "orbit";
      if (hit && hit.body > 0 && this.mode === "live" && this.live && this.live.grab(hit.body - 1, hit.local, hit.point)) {
        this.live.hold.body = hit.body;
        this.action = "pull";
        this.depth = V.dot(V.sub(hit.point, this.view.camera.eye), this.view.camera.axes.backward);
        this.view.selected = hit.body;
        if (!this.playing) this.play(true);
      }
      this.dirty = true;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.view || !this.ready) return;
      const here = place(event), before = this.pointers.get(event.pointerId);
      if (!before) { this.hover(ndc(here)); return; }
      const dx = here[0] - before[0], dy = here[1] - before[1], height = canvas.clientHeight, camera = this.view.camera;
      if (this.action === "pinch" && this.pointers.size === 2) {
        const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(here[0] - other[0], here[1] - other[1]);
        camera.distance *= was / Math.max(is, 1);
        camera.pan(-dx / height / 2, dy / height / 2);
      } else if (this.action === "orbit") camera.orbit(-dx * 0.008, dy * 0.008);
      else if (this.action === "pan") camera.pan(-dx / height, dy / height);
      else if (this.action === "pull") {
        const {from, along} = camera.ray(...ndc(here), this.view.aspect), k = this.depth / V.dot(along, camera.axes.backward);
        this.live.aim(V.add(from, along, k));
      }
      this.pointers.set(event.pointerId, here);
      this.dirty = true;
    });
    const end = (event) => {
      this.pointers.delete(event.pointerId);
      if (!this.pointers.size) { this.let_go(); this.action = ""; } else if (this.action === "pinch") this.action = "orbit";
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      // The wheel of a page around this one goes on scrolling it, until this picture is clicked.
      if (!this.view || (window.parent !== window && document.activeElement !== canvas)) return;
      event.preventDefault();
      this.view.camera.distance *= Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.0012);
      this.dirty = true;
    }, {passive: false});
    canvas.addEventListener("dblclick", () => { if (this.view) { this.view.fit(); this.dirty = true; } });
    canvas.addEventListener("pointerleave", () => { el("name").hidden = true; if (this.view) { this.view.hovered = -1; this.dirty = true; } });
  }

  hover(at) {
    if (this.looking || this.scene.triangles > 80000) return;
    this.looking = true;
    requestAnimationFrame(() => {
      this.looking = false;
      if (!this.view || !this.ready || this.action) return;
      const hit = this.view.hit(...at), body = hit ? hit.body : -1;
      el("name").hidden = !hit;
      if (hit) el("name").textContent = hit.link;
      this.view.canvas.style.cursor = hit && body > 0 && this.mode === "live" ? "grab" : "";
      if (this.view.hovered !== body) { this.view.hovered = body; this.dirty = true; }
    });
  }

  let_go() {
    if (this.live) this.live.let_go();
    if (this.view) this.view.selected = -1;
    this.dirty = true;
  }
}

// The controls of one freedom: free, or a motor that holds a position or a velocity.
class Control {
  constructor(page, motor) {
    this.page = page;
    this.motor = motor;
    const {name, unit} = page.content.axes[motor.axis];
    this.unit = unit;
    this.kind = make("select", {"aria-label": `How ${name} is driven`});
    this.idle = motor.driven ? "given" : "free";
    for (const [value, text] of [...(motor.driven ? [["given", "as given"]] : []), ["free", "free"], ["position", "position"], ["velocity", "velocity"]]) this.kind.append(make("option", {value}, text));
    this.slider = make("input", {type: "range", step: "any", "aria-label": `${name}`});
    this.value = make("output");
    this.element = make("div", {className: "control"}, make("div", {className: "line"}, make("b", {}, name), this.kind), make("div", {className: "line"}, this.slider, this.value));
    this.kind.addEventListener("change", () => this.change(this.kind.value));
    this.slider.addEventListener("input", () => { if (this.holds) this.give(); else this.change("position", Number(this.slider.value)); });
    this.free();
  }

  range(kind) {
    const {lower, upper, fastest} = this.motor;
    this.slider.min = kind === "velocity" ? -fastest : lower;
    this.slider.max = kind === "velocity" ? fastest : upper;
  }

  get holds() { return this.kind.value === "position" || this.kind.value === "velocity"; }

  free() {
    this.kind.value = this.idle;
    this.range(this.idle);
  }

  change(kind, value) {
    const row = this.page.live.row;
    this.kind.value = kind;
    this.range(kind);
    if (value === undefined) value = kind === "velocity" ? row[2 + 3 * this.motor.axis] : row[1 + 3 * this.motor.axis];
    this.slider.value = value;
    if (this.holds) this.give(); else this.page.live.drive(this.motor, kind, 0);
  }

  give() {
    const kind = this.kind.value;
    let value = Number(this.slider.value);
    if (kind === "position") {
      // A turn is as good as the next one: the motor goes the short way.
      const now = this.page.live.row[1 + 3 * this.motor.axis];
      if (this.unit === "rad" && this.motor.upper - this.motor.lower > 6.2) value += 2 * Math.PI * Math.round((now - value) / (2 * Math.PI));
    }
    this.page.live.drive(this.motor, kind, value);
    this.show(value);
    if (!this.page.playing) this.page.play(true);
    this.page.dirty = true;
  }

  show(value) { this.value.textContent = shown(value, this.kind.value === "velocity" ? `${this.unit}/s` : this.unit); }

  follow(position) {
    if (this.holds) { this.show(Number(this.slider.value)); return; }
    let at = position;
    if (this.unit === "rad" && this.motor.upper - this.motor.lower > 6.2) at = Math.atan2(Math.sin(position), Math.cos(position));
    this.slider.value = at;
    this.show(position);
  }
}

addEventListener("DOMContentLoaded", async () => {
  const shared = JSON.parse(el("shared").textContent);
  window.page = new Page(shared);
  try {
    await window.page.show(0);
  } catch (error) {
    window.page.remark(`This page cannot be shown: ${error.message}`);
    throw error;
  }
  window.page.start();
  document.documentElement.dataset.ready = "yes";
});
