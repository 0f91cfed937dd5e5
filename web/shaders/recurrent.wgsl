// RNN, GRU and LSTM. A trace has the states before the first step and after every other: a row for each direction and
// sequence, with h, and in a second part LSTM's c, or what GRU's last product is made of. KIND tells what a dispatch does:
//
//   begin                  the states before the first step
//   rnn lstm linear        a step: of GRU where linear_before_reset is set
//   reset update           a step of other GRUs: its first two gates, and the third
//   sequence final         an output: h after every step, or part PART after the last
//
// What does not depend on the state, X times W, is done for all steps before.
struct Params {
  count: u32,
  hidden: u32,
  batch: u32,
  rows: u32, // of a step: directions times sequences
  length: u32,
  step: u32,
  reversed: u32, // a bit for each direction
  // Between steps, directions and sequences: of the projection, or of what the states come from or go to.
  by_step: u32,
  by_direction: u32,
  by_sequence: u32,
  clip: f32,
  f: vec2<f32>, // alpha and beta
  g: vec2<f32>,
  h: vec2<f32>,
}
//:if KIND == begin
//:if INITIAL_H
@next var<storage, read> initial_h: array<f32>;
//:end
//:if INITIAL_C
@next var<storage, read> initial_c: array<f32>;
//:end
//:elif KIND in sequence final
@next var<storage, read> trace: array<f32>;
//:else
@next var<storage, read> projected: array<f32>;
//:if STEP == 4
@next var<storage, read> weights: array<vec4<f32>>;
//:else
@next var<storage, read> weights: array<f32>;
//:end
//:if BIAS
@next var<storage, read> bias: array<f32>;
//:end
//:if PEEPHOLE
@next var<storage, read> peephole: array<f32>;
//:end
//:end
//:if LENGTHS
@next var<storage, read> lengths: array<i32>;
//:end
//:if KIND in sequence final
@next var<storage, read_write> y: array<f32>;
//:else
@next var<storage, read_write> trace: array<f32>;
//:end
@next var<uniform> p: Params;

const PARTS = {{PARTS}}u;

fn steps_of(sequence: u32) -> u32 {
//:if LENGTHS
  return u32(lengths[sequence]);
//:else
  return p.length;
//:end
}
fn is_reversed(direction: u32) -> bool {
  return ((p.reversed >> direction) & 1u) != 0u;
}

//:if KIND == begin
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let unit = i % p.hidden;
  let part = (i / p.hidden) % PARTS;
  let row = i / (p.hidden * PARTS);
  let source = (row / p.batch) * p.by_direction + (row % p.batch) * p.by_sequence + unit;
  var value = 0.0;
//:if INITIAL_H
  if (part == 0u) { value = initial_h[source]; }
//:end
//:if INITIAL_C
  if (part == 1u) { value = initial_c[source]; }
//:end
  trace[i] = value;
}
//:elif KIND in sequence final
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let unit = i % p.hidden;
  let row = (i / p.hidden) % p.rows;
  let direction = row / p.batch;
  let sequence = row % p.batch;
  let to = direction * p.by_direction + sequence * p.by_sequence + unit;
//:if KIND == final
  y[to] = trace[((p.length * p.rows + row) * PARTS + {{PART}}u) * p.hidden + unit];
//:else
  let time = i / (p.hidden * p.rows);
  let steps = steps_of(sequence);
  var value = 0.0;
  if (time < steps) {
    let after = select(time + 1u, steps - time, is_reversed(direction));
    value = trace[(after * p.rows + row) * PARTS * p.hidden + unit];
  }
  y[time * p.by_step + to] = value;
//:end
}
//:else
//:include functions
fn relu(x: f32, by: vec2<f32>) -> f32 {
  return select(x, 0.0, x < 0.0);
}
fn tanh_by(x: f32, by: vec2<f32>) -> f32 {
  return tanh_of(x);
}
fn sigmoid_by(x: f32, by: vec2<f32>) -> f32 {
  return sigmoid(x);
}
fn affine(x: f32, by: vec2<f32>) -> f32 {
  return by.x * x + by.y;
}
fn leaky_relu(x: f32, by: vec2<f32>) -> f32 {
  return select(x, by.x * x, x < 0.0);
}
fn thresholded_relu(x: f32, by: vec2<f32>) -> f32 {
  return select(0.0, x, x > by.x);
}
fn scaled_tanh(x: f32, by: vec2<f32>) -> f32 {
  return by.x * tanh_of(by.y * x);
}
fn hard_sigmoid(x: f32, by: vec2<f32>) -> f32 {
  return clamp(by.x * x + by.y, 0.0, 1.0);
}
fn elu(x: f32, by: vec2<f32>) -> f32 {
  return select(x, by.x * (exp(x) - 1.0), x < 0.0);
}
fn softsign(x: f32, by: vec2<f32>) -> f32 {
  return x / (1.0 + abs(x));
}
fn softplus_by(x: f32, by: vec2<f32>) -> f32 {
  return softplus(x);
}
fn clipped(x: f32) -> f32 {
//:if CLIP
  return clamp(x, -p.clip, p.clip);
//:else
  return x;
//:end
}

//:if KIND == rnn
const GATES = 1u;
//:elif KIND == lstm
const GATES = 4u;
//:else
const GATES = 3u;
//:end
// Invocations that share the products of a unit, and units of a group.
const LANES = {{LANES}}u;
const UNITS = 64u / LANES;
//:if LANES != 1
var<workgroup> shares: array<array<f32, 64>, {{PRODUCTS}}>;
//:end

// What is added to the products of a gate; of biases there are those of W and those of R.
fn given(direction: u32, row: u32, gate: u32, unit: u32) -> f32 {
  let at = gate * p.hidden + unit;
  var value = projected[(direction * p.batch * p.length + row) * GATES * p.hidden + at];
//:if BIAS
  value += bias[2u * direction * GATES * p.hidden + at];
//:end
  return value;
}
fn given_with_state(direction: u32, gate: u32, unit: u32) -> f32 {
//:if BIAS
  return bias[((2u * direction + 1u) * GATES + gate) * p.hidden + unit];
//:else
  return 0.0;
//:end
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_id) local: vec3<u32>) {
  let lane = local.x % LANES;
  let i = (group.y * groups.x + group.x) * UNITS + local.x / LANES;
  // All of a group take part in the barrier; those beyond the units work on the last and write nothing.
  let inside = i < p.count;
  let unit = min(i, p.count - 1u) % p.hidden;
  let row = min(i, p.count - 1u) / p.hidden;
  let direction = row / p.batch;
  let sequence = row % p.batch;
  let before = (p.step * p.rows + row) * PARTS * p.hidden;
  let after = before + p.rows * PARTS * p.hidden;
//:if KIND == update
  let state = after + p.hidden;
//:else
  let state = before;
//:end
//:for N PRODUCTS
  var sum{{N}} = 0.0;
  let row{{N}} = ((direction * GATES + {{FIRST}}u + {{N}}u) * p.hidden + unit) * p.hidden / {{STEP}}u;
//:end
  for (var k = lane; k < p.hidden / {{STEP}}u; k += LANES) {
//:if STEP == 4
    let source = state + 4u * k;
    let x = vec4<f32>(trace[source], trace[source + 1u], trace[source + 2u], trace[source + 3u]);
//:for N PRODUCTS
    sum{{N}} += dot(x, weights[row{{N}} + k]);
//:end
//:else
    let x = trace[state + k];
//:for N PRODUCTS
    sum{{N}} += x * weights[row{{N}} + k];
//:end
//:end
  }
//:if LANES != 1
//:for N PRODUCTS
  shares[{{N}}][local.x] = sum{{N}};
//:end
  workgroupBarrier();
  if (lane != 0u) { return; }
  for (var other = 1u; other < LANES; other++) {
//:for N PRODUCTS
    sum{{N}} += shares[{{N}}][local.x + other];
//:end
  }
//:end
  if (!inside) { return; }
  let steps = steps_of(sequence);
  let h = trace[before + unit];
  if (p.step >= steps) {
    trace[after + unit] = h;
//:if KIND == lstm
    trace[after + p.hidden + unit] = trace[before + p.hidden + unit];
//:end
    return;
  }
  let time = select(p.step, steps - 1u - p.step, is_reversed(direction));
  let given_row = time * p.by_step + sequence * p.by_sequence;
//:for N PRODUCTS
  let x{{N}} = given(direction, given_row, {{FIRST}}u + {{N}}u, unit);
  sum{{N}} += given_with_state(direction, {{FIRST}}u + {{N}}u, unit);
//:end
//:if KIND == rnn
  trace[after + unit] = {{F}}(clipped(x0 + sum0), p.f);
//:elif KIND == reset
  trace[after + unit] = {{F}}(clipped(x0 + sum0), p.f);
  trace[after + p.hidden + unit] = {{F}}(clipped(x1 + sum1), p.f) * h;
//:elif KIND == update
  let update = trace[after + unit];
  trace[after + unit] = (1.0 - update) * {{G}}(clipped(x0 + sum0), p.g) + update * h;
//:elif KIND == linear
  let update = {{F}}(clipped(x0 + sum0), p.f);
  let reset = {{F}}(clipped(x1 + sum1), p.f);
  trace[after + unit] = (1.0 - update) * {{G}}(clipped(x2 + reset * sum2), p.g) + update * h;
//:else
  let c = trace[before + p.hidden + unit];
  var input = x0 + sum0;
  var output = x1 + sum1;
  var forget = x2 + sum2;
//:if PEEPHOLE
  let holes = 3u * direction * p.hidden + unit;
  input += peephole[holes] * c;
  forget += peephole[holes + 2u * p.hidden] * c;
//:end
  input = {{F}}(clipped(input), p.f);
//:if COUPLED
  forget = 1.0 - input;
//:else
  forget = {{F}}(clipped(forget), p.f);
//:end
  let cell = forget * c + input * {{G}}(clipped(x3 + sum3), p.g);
//:if PEEPHOLE
  output += peephole[holes + p.hidden] * cell;
//:end
  trace[after + p.hidden + unit] = cell;
  trace[after + unit] = {{F}}(clipped(output), p.f) * {{H}}(cell, p.h);
//:end
}
//:end
