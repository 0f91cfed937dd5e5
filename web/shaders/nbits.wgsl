// A [m, k] by weights of BITS bits, which lie by column: `blocks` blocks of `block` numbers with a scale each. LANES invocations
// share a column of ROWS rows; where a processor plays the GPU that is one, as sharing costs more there than it brings. With
// STEP 4, the rows of A are read in vectors.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  block: u32,
  blocks: u32,
  words: u32,
  zero_bytes: u32,
  // Of the columns that this dispatch finds: the first, the first among those that b has, and how many there are.
  first: u32,
  skip: u32,
  count: u32,
}
//:if STEP == 4
@next var<storage, read> a: array<vec4<f32>>;
//:else
@next var<storage, read> a: array<f32>;
//:end
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

const LANES = {{LANES}}u;
const BITS = {{BITS}}u;
const PER_WORD = 32u / BITS;
const MASK = (1u << BITS) - 1u;

fn store(row: u32, column: u32, lane: u32, sum: f32) {
  if (lane != 0u || row >= p.m || column >= p.first + p.count) { return; }
//:if BIAS
  y[row * p.n + column] = sum + bias[column];
//:else
  y[row * p.n + column] = sum;
//:end
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let lane = local.x % LANES;
  let own = group.x * (64u / LANES) + local.x / LANES;
  let column = p.first + min(own, p.count - 1u);
  let words = (p.skip + min(own, p.count - 1u)) * p.words;
  let row = group.y * {{ROWS}}u;
//:for R ROWS
  let a{{R}} = min(row + {{R}}u, p.m - 1u) * p.k / {{STEP}}u;
  var sum{{R}} = 0.0;
//:end
  for (var w = lane; w < p.words; w += LANES) {
    let word = b[words + w];
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
//:if STEP == 4
    for (var i = 0u; i < PER_WORD && first + i < p.k; i += 4u) {
      let numbers = (vec4<u32>(word >> (i * BITS)) >> vec4<u32>(0u, BITS, 2u * BITS, 3u * BITS)) & vec4<u32>(MASK);
      let weights = (vec4<f32>(numbers) - zero) * scale;
      let at = (first + i) / 4u;
//:for R ROWS
      sum{{R}} += dot(a[a{{R}} + at], weights);
//:end
    }
//:else
    for (var i = 0u; i < PER_WORD && first + i < p.k; i++) {
      let weight = (f32((word >> (i * BITS)) & MASK) - zero) * scale;
//:for R ROWS
      sum{{R}} += a[a{{R}} + first + i] * weight;
//:end
    }
//:end
  }
//:for R ROWS
//:if LANES != 1
  sum{{R}} = sum_of_group(sum{{R}}, lane);
//:end
  store(row + {{R}}u, p.first + own, lane, sum{{R}});
//:end
}
