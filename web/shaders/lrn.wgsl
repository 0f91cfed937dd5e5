// x / (bias + alpha / size * sum of the squares of `size` neighbouring channels) ^ beta, over [N, channels, inner].
struct Params {
  count: u32,
  channels: u32,
  inner: u32,
  size: u32,
  alpha: f32,
  beta: f32,
  bias: f32,
}
@next var<storage, read> x: array<f32>;
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let c = (i / p.inner) % p.channels;
  let before = (p.size - 1u) / 2u;
  let first = c - min(c, before);
  let last = min(c + p.size - 1u - before, p.channels - 1u);
  var squares = 0.0;
  for (var k = first; k <= last; k++) {
    let value = x[i + k * p.inner - c * p.inner];
    squares += value * value;
  }
  y[i] = x[i] * pow(p.bias + p.alpha / f32(p.size) * squares, -p.beta);
}
