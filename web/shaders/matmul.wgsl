// C = alpha * A B + beta * D. Strides are in elements, so that any operand may be transposed; the third dimension of the
// grid counts the products of a batch. TILED: groups of invocations share tiles of the operands, as suits GPUs. Otherwise
// each reads for itself, and more for each: where a processor plays the GPU, sharing costs more than it brings.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_column: u32,
  b_row: u32,
  b_column: u32,
  d_row: u32,
  d_column: u32,
  alpha: f32,
  beta: f32,
  low: f32,
  high: f32,
  a_first: u32,
  first_column: u32, // of those that c has; b begins there
  c_row: u32,
  batch: vec4<u32>,
  a_batch: vec4<u32>,
  b_batch: vec4<u32>,
}
//:if STEP == 4
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
//:else
@group(0) @binding(0) var<storage, read> a: array<f32>;
//:end
@group(0) @binding(1) var<storage, read> b: array<f32>;
//:if ADDS
@group(0) @binding(2) var<storage, read> d: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;
//:else
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;
//:end

fn matrix_at(index: u32, strides: vec4<u32>) -> u32 {
  var rest = index;
  var at = 0u;
  for (var d = 3; d >= 0; d--) {
    at += (rest % p.batch[d]) * strides[d];
    rest /= p.batch[d];
  }
  return at;
}

fn store(batch: u32, row: u32, column: u32, sum: f32) {
  if (row >= p.m || column >= p.n) { return; }
  let at = p.first_column + column;
  var value = p.alpha * sum;
//:if ADDS
  value += p.beta * d[row * p.d_row + at * p.d_column];
//:end
  c[(batch * p.m + row) * p.c_row + at] = clamp(value, p.low, p.high);
}

//:if TILED
// Tiles of 64 x 64: 16 x 16 invocations with 4 x 4 results each.
const TILE = 64u;
const DEPTH = 16u;
var<workgroup> tile_a: array<array<vec4<f32>, 16>, DEPTH>;
var<workgroup> tile_b: array<array<vec4<f32>, 16>, DEPTH>;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = group.y * TILE + local.y * 4u;
  let column = group.x * TILE + local.x * 4u;
  let a_at = p.a_first + matrix_at(group.z, p.a_batch);
  let b_at = matrix_at(group.z, p.b_batch);
  var sum: array<vec4<f32>, 4>;
  for (var k = 0u; k < p.k; k += DEPTH) {
    // Each invocation brings four neighbours of either operand.
    let depth = k + local.x;
    var four = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
      if (row + i < p.m && depth < p.k) { four[i] = a[a_at + (row + i) * p.a_row + depth * p.a_column]; }
    }
    tile_a[local.x][local.y] = four;
    let b_depth = k + local.y;
    four = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
      if (column + i < p.n && b_depth < p.k) { four[i] = b[b_at + b_depth * p.b_row + (column + i) * p.b_column]; }
    }
    tile_b[local.y][local.x] = four;
    workgroupBarrier();
    for (var i = 0u; i < DEPTH; i++) {
      let x = tile_a[i][local.y];
      let y = tile_b[i][local.x];
      sum[0] += x[0] * y;
      sum[1] += x[1] * y;
      sum[2] += x[2] * y;
      sum[3] += x[3] * y;
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < 4u; i++) {
    for (var j = 0u; j < 4u; j++) { store(group.z, row + i, column + j, sum[i][j]); }
  }
}
//:else
// An invocation has ROWS rows and COLUMNS columns; neighbours have neighbouring columns. With STEP 4, the rows of A are read
// in vectors.
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = (group.y * 8u + local.y) * {{ROWS}}u;
  let column = group.x * 8u * {{COLUMNS}}u + local.x;
  if (row >= p.m) { return; }
  let a_at = p.a_first + matrix_at(group.z, p.a_batch);
  let b_at = matrix_at(group.z, p.b_batch);
//:for R ROWS
  let a{{R}} = (a_at + min(row + {{R}}u, p.m - 1u) * p.a_row) / {{STEP}}u;
//:for C COLUMNS
  var sum{{R}}_{{C}} = 0.0;
//:end
//:end
//:for C COLUMNS
  var b{{C}} = b_at + min(column + {{C}}u * 8u, p.n - 1u) * p.b_column;
//:end
  for (var k = 0u; k < p.k / {{STEP}}u; k++) {
//:for R ROWS
    let x{{R}} = a[a{{R}} + k * p.a_column];
//:end
//:for S STEP
//:for C COLUMNS
    let y{{S}}_{{C}} = b[b{{C}}];
    b{{C}} += p.b_row;
//:for R ROWS
//:if STEP == 4
    sum{{R}}_{{C}} += x{{R}}[{{S}}] * y{{S}}_{{C}};
//:else
    sum{{R}}_{{C}} += x{{R}} * y{{S}}_{{C}};
//:end
//:end
//:end
//:end
  }
//:for R ROWS
//:for C COLUMNS
  store(group.z, row + {{R}}u, column + {{C}}u * 8u, sum{{R}}_{{C}});
//:end
//:end
}
//:end
