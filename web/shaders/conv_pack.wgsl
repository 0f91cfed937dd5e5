// Weights [group, outputs, channels, taps] as [group, blocks of four outputs, taps, channels, 4], with zeros for outputs
// that are not there.
struct Params {
  count: u32,
  group_outputs: u32,
  group_blocks: u32,
  group_channels: u32,
  taps: u32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let channel = i % p.group_channels;
  let tap = i / p.group_channels % p.taps;
  let block = i / (p.group_channels * p.taps) % p.group_blocks;
  let group = i / (p.group_channels * p.taps * p.group_blocks);
  var four = vec4<f32>();
  for (var o = 0u; o < 4u; o++) {
    let output = block * 4u + o;
    if (output < p.group_outputs) {
      four[o] = x[((group * p.group_outputs + output) * p.group_channels + channel) * p.taps + tap];
    }
  }
  y[i] = four;
}
