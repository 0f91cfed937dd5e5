// Convolution of [N, C, space...], up to three dimensions of space. An invocation computes 4 pixels for BLOCKS blocks of
// four output channels, of weights that conv_pack.wgsl has put side by side. Neighbours work on neighbouring pixels, so
// that what they read lies side by side, too. The grid counts runs of 64 pixels, spans of 4 * BLOCKS blocks of each
// group, and the batch.
struct Params {
  pixels: u32,
  channels: u32,
  out_channels: u32,
  group_channels: u32,
  group_outputs: u32,
  group_blocks: u32,
  group_spans: u32,
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
@group(0) @binding(1) var<storage, read> weights: array<vec4<f32>>;
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

// Where the window of an output pixel begins. What lies before the first element wraps to a large number.
fn corner(pixel: u32) -> vec3<u32> {
  let row = pixel / p.out_size.z;
  return vec3<u32>(row / p.out_size.y, row % p.out_size.y, pixel % p.out_size.z) * p.stride.xyz - p.pad.xyz;
}

fn store(image: u32, channel: u32, last: u32, pixel: u32, sum: vec4<f32>) {
  if (pixel >= p.pixels) { return; }
  let at = (image * p.out_channels + channel) * p.pixels + pixel;
//:for O 4
  if ({{O}}u < last) {
    let out = at + {{O}}u * p.pixels;
    var value = sum[{{O}}];
//:if BIAS
    value += bias[channel + {{O}}u];
//:end
//:if SUM
    value += added[out];
//:end
    y[out] = clamp(value, p.low, p.high);
  }
//:end
}

@compute @workgroup_size(16, 4)
fn main(@builtin(workgroup_id) grid: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let group = grid.y / p.group_spans;
  let block = (grid.y % p.group_spans * 4u + local.y) * {{BLOCKS}}u;
  if (block >= p.group_blocks) { return; }
  let plane = p.size.x * p.size.y * p.size.z;
  let start = (grid.z * p.channels + group * p.group_channels) * plane;
//:for P 4
  let pixel{{P}} = grid.x * 64u + local.x + {{P}}u * 16u;
  let corner{{P}} = corner(min(pixel{{P}}, p.pixels - 1u));
//:end
  let filter_size = p.group_channels * p.kernel.x * p.kernel.y * p.kernel.z;
//:for B BLOCKS
  var tap{{B}} = (group * p.group_blocks + block + {{B}}u) * filter_size;
//:for P 4
  var sum{{P}}_{{B}} = vec4<f32>();
//:end
//:end
  for (var i = 0u; i < p.kernel.x; i++) {
    for (var j = 0u; j < p.kernel.y; j++) {
      for (var k = 0u; k < p.kernel.z; k++) {
        let tap = vec3<u32>(i, j, k) * p.dilation.xyz;
//:for P 4
        let place{{P}} = corner{{P}} + tap;
//:if PADDED
        let inside{{P}} = all(place{{P}} < p.size.xyz);
//:end
        var at{{P}} = start + (place{{P}}.x * p.size.y + place{{P}}.y) * p.size.z + place{{P}}.z;
//:end
        for (var c = 0u; c < p.group_channels; c++) {
//:for P 4
//:if PADDED
          let x{{P}} = select(0.0, x[at{{P}}], inside{{P}});
//:else
          let x{{P}} = x[at{{P}}];
//:end
          at{{P}} += plane;
//:end
//:for B BLOCKS
          let w{{B}} = weights[tap{{B}}];
          tap{{B}}++;
//:for P 4
          sum{{P}}_{{B}} += x{{P}} * w{{B}};
//:end
//:end
        }
      }
    }
  }
//:for B BLOCKS
  if (block + {{B}}u < p.group_blocks) {
    let channel = group * p.group_outputs + (block + {{B}}u) * 4u;
    let last = p.group_outputs - (block + {{B}}u) * 4u;
//:for P 4
    store(grid.z, channel, last, pixel{{P}}, sum{{P}}_{{B}});
//:end
  }
//:end
}
