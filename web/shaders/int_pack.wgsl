// An operand of an 8-bit product as int_product.wgsl wants it, [matrices, rows, words]: four numbers of a row to a word. What
// has no sign loses 128. Words end with zeros.
//   matrix   rows and columns of x
//   patches  a row per pixel of a convolution's result: what its window sees of the channels of a group
struct Params {
  size: u32,
  rows: u32,
  k: u32,
  words: u32,
//:if KIND == matrix
  matrix_step: u32,
  row_step: u32,
  k_step: u32,
//:else
  groups: u32,
  channels: u32,
  taps: u32,
  in_size: vec4<u32>,
  out_size: vec4<u32>,
  kernel: vec4<u32>,
  stride: vec4<u32>,
  dilation: vec4<u32>,
  pad: vec4<u32>,
//:end
}
@next var<storage, read> x: array<{{STORED X}}>;
//:if Z
@next var<storage, read> zeros: array<{{STORED Z}}>;
//:end
@next var<storage, read_write> o: array<u32>;
@next var<uniform> p: Params;

//:include types

//:if KIND == matrix
fn number(matrix: u32, row: u32, k: u32) -> u32 {
  let i = matrix * p.matrix_step + row * p.row_step + k * p.k_step;
  return {{X}}_bits({{X}}_of(x[i >> 2u], i));
}
//:else
fn number(matrix: u32, row: u32, k: u32) -> u32 {
  let tap = k % p.taps;
  // What lies before the first element wraps to a large number.
  let place = vec3<u32>(row / (p.out_size.z * p.out_size.y), row / p.out_size.z % p.out_size.y, row % p.out_size.z) *
              p.stride.xyz - p.pad.xyz +
              vec3<u32>(tap / (p.kernel.z * p.kernel.y), tap / p.kernel.z % p.kernel.y, tap % p.kernel.z) * p.dilation.xyz;
  if (any(place >= p.in_size.xyz)) {
//:if Z
    return {{Z}}_bits({{Z}}_of(zeros[0], 0u));
//:else
    return 0u;
//:end
  }
  let channel = matrix * p.channels + k / p.taps;
  let i = ((channel * p.in_size.x + place.x) * p.in_size.y + place.y) * p.in_size.z + place.z;
  return {{X}}_bits({{X}}_of(x[i >> 2u], i));
}
//:end

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.size) { return; }
  let k = i % p.words * 4u;
  let row = i / p.words % p.rows;
  let matrix = i / (p.words * p.rows);
  var word = 0u;
  for (var j = 0u; j < min(4u, p.k - k); j++) {
//:if X == u8
    word |= (number(matrix, row, k + j) ^ 0x80u) << (j * 8u);
//:else
    word |= number(matrix, row, k + j) << (j * 8u);
//:end
  }
  o[i] = word;
}
