// Y[o, j, i]: the sum of `taps` elements of X along the axis of [outer, n, inner], which tables name by place and weight. A
// place beyond all gives the outside value.
struct Params {
  count: u32,
  n: u32,
  wanted: u32,
  inner: u32,
  taps: u32,
  outside: f32,
}
@next var<storage, read> x: array<f32>;
@next var<storage, read> places: array<u32>;
@next var<storage, read> weights: array<f32>;
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let index = id.y * groups.x * 64u + id.x;
  if (index >= p.count) { return; }
  let inner = index % p.inner;
  let first = ((index / p.inner) % p.wanted) * p.taps;
  let row = (index / (p.inner * p.wanted)) * p.n * p.inner + inner;
  if (places[first] == 0xffffffffu) {
    y[index] = p.outside;
    return;
  }
  var sum = 0.0;
  for (var t = 0u; t < p.taps; t++) { sum += x[row + places[first + t] * p.inner] * weights[first + t]; }
  y[index] = sum;
}
