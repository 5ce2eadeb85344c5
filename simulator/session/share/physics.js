"use strict";
// The kernels of the program in WebAssembly, and mechanisms in their memory (simulator/engine/flattened.py has the layout).

const DONE = 0, ROOM = 1, ROWS = 2, TROUBLE = 3, CROWDED = 4;
const FAILED = new Set([ROOM, TROUBLE, CROWDED]);
const HALVINGS = 6, FOR_ENERGY = 2, BALANCED = 1e-3;  // engine/stepping.py
const ROUNDED = 1e-13, NOTHING = 1e-13;  // physics/step/watch.py
const SHORT = 4;  // of the report: physics/step/block.py

class Kernels {
  // Compiled kernels with memory for images of these sizes [bytes].
  static async load(bytes, sizes) {
    const {instance} = await WebAssembly.instantiate(bytes, {});
    const calls = instance.exports;
    let next = Math.ceil(calls.__heap_base.value / 16) * 16;
    const bases = sizes.map((size) => { const base = next; next += Math.ceil(size / 16) * 16; return base; });
    const missing = next - calls.memory.buffer.byteLength;
    if (missing > 0) calls.memory.grow(Math.ceil(missing / 65536));
    return new Kernels(calls, bases);
  }

  constructor(calls, bases) {
    this.calls = calls;
    this.bases = bases;
    this.buffer = calls.memory.buffer;
  }
}

class Mechanism {
  // One image at `base`; `description` has its addresses and tables, `bytes` its content.
  constructor(kernels, base, description, bytes) {
    this.kernels = kernels;
    this.base = base;
    this.tables = description.tables;
    this.lastStep = description.last_step;
    this.energy = description.energy;
    this.content = bytes;
    this.memory = new Uint8Array(kernels.buffer, base, bytes.length);
    this.kept = new Uint8Array(bytes.length);
    this.addresses = description.addresses;
    this.entry = kernels.calls[this.tables.advance.entry + "_wasm"];
    this.rewind();
    this.row = this.array("advance", "journal.row");
    this.report = this.array("advance", "journal.report");
    this.first = this.array("advance", "span.first");
    this.steps = this.array("advance", "span.steps");
    this.dt = this.array("advance", "dt");
    this.trend = this.array("advance", "journal.orders.trend");
    this.begin = this.array("advance", "journal.orders.begin");
    this.poses = this.array("bodies", "poses");
    this.h = this.dt[0];
  }

  // The image as it was made.
  rewind() {
    this.memory.set(this.content);
    const words = new BigInt64Array(this.kernels.buffer, this.base, this.content.length >> 3);
    for (const place of this.addresses) words[place >> 3] += BigInt(this.base);
    this.stopped = "";
  }

  array(table, name) {
    const {offset, kind, shape} = this.tables[table].arguments[name];
    const count = shape.reduce((all, one) => all * one, 1);
    const type = {f8: Float64Array, i8: BigInt64Array, b1: Uint8Array}[kind];
    return new type(this.kernels.buffer, this.base + offset, count);
  }

  call(table) {
    return this.kernels.calls[this.tables[table].entry + "_wasm"](this.base + this.tables[table].offset);
  }

  get time() { return Number(this.first[0]) * this.h; }
  get step() { return Number(this.first[0]); }

  // Makes so many steps, or fewer; `stopped` says then why.
  advance(count) {
    let left = Math.min(count, this.lastStep - this.step);
    if (left < count) this.stopped = "the drive is recorded up to here; reset to begin again";
    while (left > 0 && !this.stopped) {
      let why = this.call_steps(left);
      const made = Number(this.report[0]);
      left -= made;
      if (why === TROUBLE || (made === 0 && !FAILED.has(why))) {
        why = this.make_step(HALVINGS);
        left -= 1;
      }
      if (why === ROOM || why === CROWDED) this.stopped = "more touches at once than this page has room for; the program has more";
      if (why === TROUBLE) this.stopped = "the mechanism is jammed: no motion from here closes its loops";
    }
  }

  // Steps in one call; a step that is not good is taken back, and what was made before it is made again.
  call_steps(count) {
    this.kept.set(this.memory);
    const why = this.run(count);
    if (!FAILED.has(why)) return why;
    const made = Number(this.report[0]);
    this.memory.set(this.kept);
    this.report[0] = 0n;
    if (made > 0) this.run(made);
    return why;
  }

  run(count) {
    this.steps[0] = BigInt(count);
    const failed = this.entry(this.base + this.tables.advance.offset);
    this.first[0] += this.report[0];
    return failed ? TROUBLE : Number(this.report[2]);
  }

  // One step, in halves and halves of these where it cannot be made otherwise; DONE, or why not.
  make_step(halvings) {
    const before = this.memory.slice(), error = this.row[this.energy + 4];
    this.report[SHORT] = halvings > HALVINGS - FOR_ENERGY ? 0n : 1n;
    const why = this.run(1), made = this.report[0] === 1n;
    this.report[SHORT] = 0n;
    if (made && (halvings === 0 || this.is_good(halvings, error))) return DONE;
    this.memory.set(before);
    if (halvings === 0 || !(made || why === TROUBLE)) return made ? TROUBLE : why;
    const first = this.first[0], told = first - this.begin[0], dt = this.dt[0];
    let ended = DONE;
    this.dt[0] = 0.5 * dt;
    this.first[0] = 2n * first;
    this.restart_trend();
    for (let half = 0; half < 2 && ended === DONE; half++) {
      this.begin[0] = this.first[0] - told;  // both halves have the orders of the whole step
      ended = this.make_step(halvings - 1);
    }
    if (ended !== DONE) {
      this.memory.set(before);
      return ended;
    }
    this.dt[0] = dt;
    this.first[0] = first + 1n;
    this.begin[0] = first - told;
    this.restart_trend();
    return DONE;
  }

  // Whether a step need not be made in halves; `error` [J] of the energy balance before it.
  is_good(halvings, error) {
    const rounding = ROUNDED * Math.abs(this.row[this.energy + 1]) + NOTHING;
    return halvings === HALVINGS
      || Math.abs(this.row[this.energy + 4] - error) < BALANCED * this.row[this.energy] + rounding;
  }

  // The effort of a motor at the end of a step continues its means over steps of one length.
  restart_trend() {
    for (let i = 0; i < this.trend.length; i++) this.trend[i] = i % 3 === 2 ? NaN : 0;
  }

  // Poses of all bodies for the state: x, y, z and the quaternion, without the world.
  place() {
    this.call("refresh");
    this.call("bodies");
    return this.poses;
  }

  look() {
    const time = this.time;
    this.call("watch");
    this.row[0] = time;
  }
}

// A mechanism as the document has it, until somebody takes hold of it: then the same one with a spring to pull with and a
// motor at every freedom, from the same state. The first is to the last bit what the program computes.
class Live {
  static async load(shared) {
    const images = await Promise.all(shared.images.map((image) => unpacked(image.data)));
    const kernels = await Kernels.load(await unpacked(shared.kernels), images.map((image) => image.length));
    return new Live(shared, shared.images.map((image, i) => new Mechanism(kernels, kernels.bases[i], image, images[i])));
  }

  constructor(shared, mechanisms) {
    this.shared = shared;
    [this.own, this.handled] = mechanisms;
    this.now = this.own;
    this.hold = null;
    const hand = shared.hand;
    const lines = this.handled.tables.advance.arguments["lines.1"].shape[1];
    const kinds = this.handled.array("advance", "lines.0");
    const numbers = this.handled.array("advance", "lines.1");
    const F = this.handled.array("advance", "F"), N = this.handled.array("advance", "N");
    this.line = (line) => ({kind: kinds.subarray(2 * line, 2 * line + 1), numbers: numbers.subarray(lines * line, lines * (line + 1))});
    this.spring = {
      ends: N.subarray(hand.ends, hand.ends + 2),
      points: F.subarray(hand.points, hand.points + 6),
      passive: F.subarray(hand.passive, hand.passive + 3),
      line: this.line(hand.line),
    };
    this.given = new Map(shared.motors.map(({axis, line}) => [axis, {kind: this.line(line).kind[0], numbers: this.line(line).numbers.slice(0, 3)}]));
    this.release_all();
  }

  get time() { return this.now.time; }
  get row() { return this.now.row; }
  get stopped() { return this.now.stopped; }

  reset() {
    this.own.rewind();
    this.handled.rewind();
    this.release_all();
    this.now = this.own;
    this.hold = null;
    this.now.look();
  }

  release_all() {
    this.slacken();
    for (const {line, driven} of this.shared.motors) if (!driven) this.line(line).numbers[0] = 0;
  }

  // From here on with the spring and the motors.
  take_in_hand() {
    if (this.now === this.handled) return;
    const from = this.own, to = this.handled;
    for (const name of this.shared.carried.arrays) {
      if (from.tables.advance.arguments[name]) to.array("advance", name).set(from.array("advance", name));
    }
    const before = from.array("advance", "F"), after = to.array("advance", "F");
    for (const [source, target, count] of this.shared.carried.blocks) after.set(before.subarray(source, source + count), target);
    to.first[0] = from.first[0];
    to.stopped = "";
    if (from.step > 0) for (const {line} of this.shared.motors) this.line(line).numbers[this.shared.columns.kick] = 0;
    this.now = to;
    to.place();
    to.look();
  }

  advance(steps) {
    this.now.advance(steps);
  }

  // Lines of points in the world along every piece of every cable, as `physics.tree.cables` has laid it.
  cables() {
    const {places, width, parts} = this.shared.cables;
    const F = this.now.array("advance", "F"), place = places[this.now === this.own ? 0 : 1];
    const lines = [];
    parts.forEach(([kind, sense], e) => {
      const now = F.subarray(place + width * e, place + width * (e + 1)), at = (i) => [now[i], now[i + 1], now[i + 2]];
      if (kind === 4) lines.push([]);
      else if (now[22] > 0) {
        const line = lines[lines.length - 1];
        line.push(...(kind === 0 ? [at(0)] : arc(at(0), at(3), at(12), now[18], kind === 2 ? at(24).map((x) => sense * x) : null, line[line.length - 1])));
      }
    });
    return lines;
  }

  place() { return this.now.place(); }

  // Pulls a point of a body, in its frame [m], towards a place in the world [m].
  grab(body, point, target) {
    const {node, X, mass} = this.shared.bodies[body];
    if (node < 0) return false;
    this.take_in_hand();
    const pace = 2 * Math.PI * 1.5;
    const stiffness = mass * pace * pace, damping = 1.4 * mass * pace;
    const inNode = [0, 1, 2].map((i) => X[4 * i] * point[0] + X[4 * i + 1] * point[1] + X[4 * i + 2] * point[2] + X[4 * i + 3]);
    this.spring.ends[0] = BigInt(node);
    this.spring.ends[1] = -1n;
    this.spring.points.set([...inNode, ...target]);
    this.spring.passive.set([damping, stiffness, 0]);
    this.spring.line.numbers[this.shared.columns.stiffness] = stiffness;
    this.spring.line.numbers[this.shared.columns.damping] = damping;
    this.hold = {body, point, target};
    return true;
  }

  aim(target) {
    if (!this.hold) return;
    this.hold.target = target;
    this.spring.points.set(target, 3);
  }

  let_go() {
    this.hold = null;
    this.slacken();
  }

  slacken() {
    this.spring.ends.set([-1n, -1n]);
    this.spring.points.set([0, 0, 0, 0, 0, 1]);
    this.spring.passive.fill(0);
    this.spring.line.numbers[this.shared.columns.stiffness] = 0;
    this.spring.line.numbers[this.shared.columns.damping] = 0;
  }

  // Drives an axis: `kind` "position", "velocity", "free", or "given", as the document or whoever made the page drives it.
  drive(motor, kind, value) {
    this.take_in_hand();
    const {kind: code, numbers} = this.line(motor.line);
    if (kind === "free" || kind === "given") {
      const given = this.given.get(motor.axis);
      if (kind === "given") { code[0] = given.kind; numbers.set(given.numbers); } else numbers[0] = 0;
      return;
    }
    code[0] = kind === "velocity" ? 0n : 1n;
    numbers[0] = motor.effort;
    numbers[1] = value;
    numbers[2] = kind === "velocity" ? 0 : motor.top;
  }
}

// Points from where a cable comes to a cylinder or sphere to where it leaves it; its axis, or null in the plane of how it comes.
function arc(start, end, centre, wrap, axis, before) {
  const minus = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const first = minus(start, centre), last = minus(end, centre);
  const normal = axis || cross(first, minus(start, before)), size = Math.hypot(...normal) || 1;
  const k = normal.map((x) => x / size), low = dot(first, k), high = dot(last, k);
  const out = first.map((x, i) => x - low * k[i]), across = cross(k, out), count = Math.max(1, Math.ceil(12 * wrap));
  return Array.from({length: count + 1}, (_, n) => {
    const share = n / count, c = Math.cos(share * wrap), s = Math.sin(share * wrap), z = low + share * (high - low);
    return centre.map((x, i) => x + c * out[i] + s * across[i] + z * k[i]);
  });
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
