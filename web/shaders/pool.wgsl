// Pools over [N, C, space...], up to three dimensions of space: one invocation per output element.
struct Params {
  count: u32,
  pixels: u32,
  include_pad: u32,
  size: vec4<u32>,
  out_size: vec4<u32>,
  kernel: vec4<u32>,
  stride: vec4<u32>,
  dilation: vec4<u32>,
  pad: vec4<u32>,
  pad_end: vec4<u32>,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let index = id.y * groups.x * 64u + id.x;
  if (index >= p.count) { return; }
  let pixel = index % p.pixels;
  let plane = (index / p.pixels) * p.size.x * p.size.y * p.size.z;
  let at = vec3<u32>(pixel / (p.out_size.y * p.out_size.z), (pixel / p.out_size.z) % p.out_size.y, pixel % p.out_size.z) *
           p.stride.xyz - p.pad.xyz;
//:if KIND == max
  var result = -3.4028234663852886e38;
//:else
  var result = 0.0;
//:end
  var counted = 0u;
  for (var i = 0u; i < p.kernel.x; i++) {
    let d = at.x + i * p.dilation.x;
    for (var j = 0u; j < p.kernel.y; j++) {
      let h = at.y + j * p.dilation.y;
      for (var k = 0u; k < p.kernel.z; k++) {
        let w = at.z + k * p.dilation.z;
        // What lies before the first element wraps to a large number.
        if (d < p.size.x && h < p.size.y && w < p.size.z) {
          let value = x[plane + (d * p.size.y + h) * p.size.z + w];
//:if KIND == max
          result = max(result, value);
//:else
          result += value;
//:end
          counted++;
        } else if (d + p.pad.x < p.size.x + p.pad.x + p.pad_end.x && h + p.pad.y < p.size.y + p.pad.y + p.pad_end.y &&
                   w + p.pad.z < p.size.z + p.pad.z + p.pad_end.z) {
          counted += p.include_pad;
        }
      }
    }
  }
//:if KIND == average
  result /= f32(max(counted, 1u));
//:end
  y[index] = result;
}
