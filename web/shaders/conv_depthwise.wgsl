// Convolution with a filter for each channel, up to three dimensions of space. An invocation computes four neighbours
// along the last axis; the grid counts runs of four, channels, and the batch.
struct Params {
  runs: u32,
  channels: u32,
  low: f32,
  high: f32,
  size: vec4<u32>,
  out_size: vec4<u32>,
  kernel: vec4<u32>,
  stride: vec4<u32>,
  dilation: vec4<u32>,
  pad: vec4<u32>,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32>;
//:if BIAS && SUM
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read> added: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> p: Params;
//:elif BIAS
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;
//:elif SUM
@group(0) @binding(2) var<storage, read> added: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> p: Params;
//:else
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> p: Params;
//:end

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= p.runs) { return; }
  let per_row = (p.out_size.z + 3u) / 4u;
  let column = (id.x % per_row) * 4u;
  let row = id.x / per_row;
  // What lies before the first element wraps to a large number.
  let d0 = (row / p.out_size.y) * p.stride.x - p.pad.x;
  let h0 = (row % p.out_size.y) * p.stride.y - p.pad.y;
  let w0 = column * p.stride.z - p.pad.z;
  let steps = vec4<u32>(0u, 1u, 2u, 3u) * p.stride.z;
  let plane = (id.z * p.channels + id.y) * p.size.x * p.size.y * p.size.z;
  var tap = id.y * p.kernel.x * p.kernel.y * p.kernel.z;
  var sum = vec4<f32>();
  for (var i = 0u; i < p.kernel.x; i++) {
    let d = d0 + i * p.dilation.x;
    for (var j = 0u; j < p.kernel.y; j++) {
      let h = h0 + j * p.dilation.y;
      if (d < p.size.x && h < p.size.y) {
        let line = plane + (d * p.size.y + h) * p.size.z;
        for (var k = 0u; k < p.kernel.z; k++) {
          let at = steps + w0 + k * p.dilation.z;
          let four = vec4<f32>(x[line + at.x], x[line + at.y], x[line + at.z], x[line + at.w]);
          sum += select(vec4<f32>(), four, at < vec4<u32>(p.size.z)) * weights[tap + k];
        }
      }
      tap += p.kernel.z;
    }
  }
  let out = (id.z * p.channels + id.y) * p.out_size.x * p.out_size.y * p.out_size.z + row * p.out_size.z + column;
  for (var i = 0u; i < 4u && column + i < p.out_size.z; i++) {
    var value = sum[i];
//:if BIAS
    value += bias[id.y];
//:end
//:if SUM
    value += added[out + i];
//:end
    y[out + i] = clamp(value, p.low, p.high);
  }
}
