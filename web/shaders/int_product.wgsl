// C = (A - its zero points) (B - its zero points) of operands that int_pack.wgsl has put into words, rows of A by rows of B.
// Invocations compute ROWS x 4 sums; the third dimension of the grid counts the products of a batch.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  words: u32,
  a_zero_step: u32,
  b_zero_step: u32,
  batch: vec4<u32>,
  a_batch: vec4<u32>,
  b_batch: vec4<u32>,
}
@next var<storage, read> a: array<u32>;
@next var<storage, read> b: array<u32>;
//:if A_ZERO
@next var<storage, read> a_zeros: array<{{STORED A_ZERO}}>;
//:end
//:if B_ZERO
@next var<storage, read> b_zeros: array<{{STORED B_ZERO}}>;
//:end
@next var<storage, read_write> c: array<i32>;
@next var<uniform> p: Params;

//:include types

fn matrix_at(index: u32, steps: vec4<u32>) -> u32 {
  var rest = index;
  var at = 0u;
  for (var d = 3; d >= 0; d--) {
    at += (rest % p.batch[d]) * steps[d];
    rest /= p.batch[d];
  }
  return at;
}

//:if DOT
fn dot4(x: u32, y: u32) -> i32 {
  return dot4I8Packed(x, y);
}
//:else
fn dot4(x: u32, y: u32) -> i32 {
  return i8_of(x, 0u) * i8_of(y, 0u) + i8_of(x, 1u) * i8_of(y, 1u) + i8_of(x, 2u) * i8_of(y, 2u) + i8_of(x, 3u) * i8_of(y, 3u);
}
//:end
// Zero points as the packed numbers have them: what has no sign loses 128, too.
fn a_zero(row: u32) -> i32 {
//:if A_ZERO
  let at = row * p.a_zero_step;
  return i32({{A_ZERO}}_of(a_zeros[at >> 2u], at)) - select(0, 128, {{A_UNSIGNED}} == 1);
//:else
  return select(0, -128, {{A_UNSIGNED}} == 1);
//:end
}
fn b_zero(column: u32) -> i32 {
//:if B_ZERO
  let at = column * p.b_zero_step;
  return i32({{B_ZERO}}_of(b_zeros[at >> 2u], at)) - select(0, 128, {{B_UNSIGNED}} == 1);
//:else
  return select(0, -128, {{B_UNSIGNED}} == 1);
//:end
}

const ONES = 0x01010101u;

@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = (group.y * 8u + local.y) * {{ROWS}}u;
  let column = group.x * 32u + local.x;
  if (row >= p.m) { return; }
  let a_at = matrix_at(group.z, p.a_batch) * p.m;
  let b_at = matrix_at(group.z, p.b_batch) * p.n;
//:for R ROWS
  let a{{R}} = (a_at + min(row + {{R}}u, p.m - 1u)) * p.words;
  var a_sum{{R}} = 0;
//:for C 4
  var sum{{R}}_{{C}} = 0;
//:end
//:end
//:for C 4
  let b{{C}} = (b_at + min(column + {{C}}u * 8u, p.n - 1u)) * p.words;
  var b_sum{{C}} = 0;
//:end
  for (var w = 0u; w < p.words; w++) {
//:for R ROWS
    let x{{R}} = a[a{{R}} + w];
//:if B_SHIFTS
    a_sum{{R}} += dot4(x{{R}}, ONES);
//:end
//:end
//:for C 4
    let y{{C}} = b[b{{C}} + w];
//:if A_SHIFTS
    b_sum{{C}} += dot4(y{{C}}, ONES);
//:end
//:for R ROWS
    sum{{R}}_{{C}} += dot4(x{{R}}, y{{C}});
//:end
//:end
  }
//:for R ROWS
  let a_shift{{R}} = a_zero(row + {{R}}u);
//:for C 4
  if (row + {{R}}u < p.m && column + {{C}}u * 8u < p.n) {
    let b_shift = b_zero(column + {{C}}u * 8u);
    c[(group.z * p.m + row + {{R}}u) * p.n + column + {{C}}u * 8u] =
        sum{{R}}_{{C}} - a_shift{{R}} * b_sum{{C}} - b_shift * a_sum{{R}} + i32(p.k) * a_shift{{R}} * b_shift;
  }
//:end
//:end
}
