// softmax(scale q k + mask) v: a group of 64 invocations per query, which goes through the keys 64 at a time and keeps the
// largest score so far. Strides are of batch, head and token; w is where the elements begin.
struct Params {
  rows: u32,
  heads: u32,
  shared_by: u32,
  tokens: u32,
  keys: u32,
  size: u32,
  v_size: u32,
  mask_length: u32,
  offset: u32,
  left: i32,
  right: i32,
  unseeing: u32,
  scale: f32,
  softcap: f32,
  q_strides: vec4<u32>,
  k_strides: vec4<u32>,
  v_strides: vec4<u32>,
  y_strides: vec4<u32>,
  mask_strides: vec4<u32>,
}
@next var<storage, read> q: array<f32>;
@next var<storage, read> k: array<f32>;
@next var<storage, read> v: array<f32>;
//:if MASK
@next var<storage, read> mask: array<{{STORED MASK}}>;
//:end
//:if LENGTHS
@next var<storage, read> lengths: array<i32>;
//:end
//:if SINK == given
@next var<storage, read> sinks: array<f32>;
//:end
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

//:include groups
//:include types

const LOWEST = -3.4028234663852886e38;
const SLOTS = 4u; // of 64 elements of a value
var<workgroup> weights: array<f32, WIDTH>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_id) local: vec3<u32>) {
  let row = group.y * groups.x + group.x;
  let lane = local.x;
  // Every group of the grid takes part in the barriers; those beyond the rows work on the last and write nothing.
  let inside = row < p.rows;
  let safe = min(row, p.rows - 1u);
  let token = safe % p.tokens;
  let head = (safe / p.tokens) % p.heads;
  let batch = safe / (p.tokens * p.heads);
//:if LENGTHS == all
  // The last query is the last of these tokens, and there may be fewer of them than queries.
  let end = u32(clamp(lengths[batch], 0, i32(p.keys)));
  let position = lengths[batch] - i32(p.tokens) + i32(token);
//:elif LENGTHS
  let end = min(u32(lengths[batch] + 1), p.keys);
  let position = i32(end - min(end, p.tokens) + token);
//:else
  let end = p.keys;
  let position = i32(p.offset + token);
//:end
  let q_at = p.q_strides.w + batch * p.q_strides.x + head * p.q_strides.y + token * p.q_strides.z;
  let k_at = p.k_strides.w + batch * p.k_strides.x + (head / p.shared_by) * p.k_strides.y;
  let v_at = p.v_strides.w + batch * p.v_strides.x + (head / p.shared_by) * p.v_strides.y;
  var largest = LOWEST;
  var sum = 0.0;
  var values: array<f32, SLOTS>;
  for (var first = 0u; first < p.keys; first += WIDTH) {
    let key = first + lane;
    var score = LOWEST;
    if (key < end && (p.right < 0 || i32(key) <= position + p.right) && (p.left < 0 || i32(key) >= position - p.left)) {
      var product = 0.0;
      let at = k_at + key * p.k_strides.z;
      for (var d = 0u; d < p.size; d++) { product += q[q_at + d] * k[at + d]; }
      score = product * p.scale;
      if (p.softcap > 0.0) { score = p.softcap * tanh(score / p.softcap); }
//:if MASK
      let m = batch * p.mask_strides.x + head * p.mask_strides.y + token * p.mask_strides.z + key * p.mask_strides.w;
      if (key >= p.mask_length) {
        score = LOWEST;
      } else {
//:if MASK == bool
        score = select(LOWEST, score, bool_of(mask[m >> 2u], m));
//:else
        score = max(score + mask[m], LOWEST);
//:end
      }
//:end
    }
    let now = max(largest, max_of_group(score, lane));
    let weight = select(0.0, exp(score - now), score > LOWEST);
    weights[lane] = weight;
    let fading = exp(largest - now);
    sum = sum * fading + sum_of_group(weight, lane);
    largest = now;
    let seen = min(WIDTH, end - min(end, first));
    for (var slot = 0u; slot < SLOTS; slot++) {
      let d = slot * WIDTH + lane;
      if (d >= p.v_size) { break; }
      var value = values[slot] * fading;
      for (var i = 0u; i < seen; i++) { value += weights[i] * v[v_at + (first + i) * p.v_strides.z + d]; }
      values[slot] = value;
    }
    workgroupBarrier();
  }
  var factor = 1.0;
//:if SINK
//:if SINK == given
  let sink = sinks[head];
//:else
  let sink = 0.0;
//:end
  let final_largest = max(largest, sink);
  factor = exp(largest - final_largest);
  sum = sum * factor + exp(sink - final_largest);
//:end
  let y_at = batch * p.y_strides.x + head * p.y_strides.y + token * p.y_strides.z;
  for (var slot = 0u; slot < SLOTS; slot++) {
    let d = slot * WIDTH + lane;
    if (!inside || d >= p.v_size) { break; }
    y[y_at + d] = select(values[slot] * factor / sum, bitcast<f32>(p.unseeing), sum == 0.0);
  }
}
