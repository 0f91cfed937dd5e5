// A [m, k] by weights of BITS bits, which lie by column: `blocks` blocks of `block` numbers with a scale each. A group of 64
// invocations finds a column of four rows.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  block: u32,
  blocks: u32,
  words: u32,
  zero_bytes: u32,
}
@next var<storage, read> a: array<f32>;
@next var<storage, read> b: array<u32>;
@next var<storage, read> scales: array<f32>;
//:if ZEROS
@next var<storage, read> zeros: array<{{STORED ZEROS}}>;
//:end
//:if BIAS
@next var<storage, read> bias: array<f32>;
//:end
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

//:include groups
//:include types

const ROWS = 4u;
const BITS = {{BITS}}u;
const PER_WORD = 32u / BITS;
const MASK = (1u << BITS) - 1u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let column = group.x;
  let row = group.y * ROWS;
  let lane = local.x;
  var sums: array<f32, ROWS>;
  for (var w = lane; w < p.words; w += WIDTH) {
    let word = b[column * p.words + w];
    let first = w * PER_WORD;
    let block = first / p.block;
    let scale = scales[column * p.blocks + block];
//:if ZEROS == u8
    let zero_at = column * p.zero_bytes + block * BITS / 8u;
    let zero = f32((u8_of(zeros[zero_at >> 2u], zero_at) >> ((block * BITS) & 7u)) & MASK);
//:elif ZEROS
    let zero = zeros[column * p.blocks + block];
//:else
    let zero = f32(1u << (BITS - 1u));
//:end
    for (var i = 0u; i < PER_WORD && first + i < p.k; i++) {
      let weight = (f32((word >> (i * BITS)) & MASK) - zero) * scale;
      for (var r = 0u; r < ROWS; r++) { sums[r] += a[min(row + r, p.m - 1u) * p.k + first + i] * weight; }
    }
  }
  for (var r = 0u; r < ROWS; r++) {
    var sum = sum_of_group(sums[r], lane);
    if (lane == 0u && row + r < p.m) {
//:if BIAS
      sum += bias[column];
//:end
      y[(row + r) * p.n + column] = sum;
    }
  }
}
