// (x - mean) / sqrt(variance + epsilon) * scale + bias, with one number of each per channel of [N, channels, inner].
struct Params {
  count: u32,
  channels: u32,
  inner: u32,
  epsilon: f32,
}
@next var<storage, read> x: array<f32>;
@next var<storage, read> scale: array<f32>;
@next var<storage, read> bias: array<f32>;
@next var<storage, read> mean: array<f32>;
@next var<storage, read> variance: array<f32>;
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let c = (i / p.inner) % p.channels;
  y[i] = (x[i] - mean[c]) * (scale[c] / sqrt(variance[c] + p.epsilon)) + bias[c];
}
