// Transposed convolutions over [N, C, space...], up to three dimensions of space: one invocation per output element gathers
// what the input elements whose windows reach it give. W is [C, channels of a group's output, kernel...].
struct Params {
  count: u32,
  channels: u32,
  out_channels: u32,
  group: u32,
  out_size: vec4<u32>,
  size: vec4<u32>,
  kernel: vec4<u32>,
  stride: vec4<u32>,
  dilation: vec4<u32>,
  pad: vec4<u32>,
}
@next var<storage, read> x: array<f32>;
@next var<storage, read> w: array<f32>;
//:if BIAS
@next var<storage, read> bias: array<f32>;
//:end
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

// Input positions along one axis that meet the output position through this place of the kernel; beyond all where none does.
fn source(at: u32, axis: u32, place: u32) -> u32 {
  let reached = at + p.pad[axis] - place * p.dilation[axis];
  let position = reached / p.stride[axis];
  let meets = at + p.pad[axis] >= place * p.dilation[axis] && reached % p.stride[axis] == 0u && position < p.size[axis];
  return select(0xffffffffu, position, meets);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let index = id.y * groups.x * 64u + id.x;
  if (index >= p.count) { return; }
  let pixels = p.out_size.x * p.out_size.y * p.out_size.z;
  let in_pixels = p.size.x * p.size.y * p.size.z;
  let places = p.kernel.x * p.kernel.y * p.kernel.z;
  let pixel = index % pixels;
  let out_channel = (index / pixels) % p.out_channels;
  let batch = index / (pixels * p.out_channels);
  let outputs = p.out_channels / p.group;
  let inputs = p.channels / p.group;
  let first = (out_channel / outputs) * inputs;
  let at = vec3<u32>(pixel / (p.out_size.y * p.out_size.z), (pixel / p.out_size.z) % p.out_size.y, pixel % p.out_size.z);
//:if BIAS
  var sum = bias[out_channel];
//:else
  var sum = 0.0;
//:end
  for (var i = 0u; i < p.kernel.x; i++) {
    let d = source(at.x, 0u, i);
    if (d == 0xffffffffu) { continue; }
    for (var j = 0u; j < p.kernel.y; j++) {
      let h = source(at.y, 1u, j);
      if (h == 0xffffffffu) { continue; }
      for (var k = 0u; k < p.kernel.z; k++) {
        let column = source(at.z, 2u, k);
        if (column == 0xffffffffu) { continue; }
        let origin = (batch * p.channels + first) * in_pixels + (d * p.size.y + h) * p.size.z + column;
        let weight = (first * outputs + out_channel % outputs) * places + (i * p.kernel.y + j) * p.kernel.z + k;
        for (var c = 0u; c < inputs; c++) { sum += x[origin + c * in_pixels] * w[weight + c * outputs * places]; }
      }
    }
  }
  y[index] = sum;
}
