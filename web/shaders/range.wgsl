// The scale and the zero point of DynamicQuantizeLinear: of 8 bits without sign, for a range that has 0 in it.
//   parts  the lowest and the highest number of what each of 64 groups sees
//   scale, zero_point  by one group, of these
struct Params {
  size: u32,
}
//:if KIND == parts
@next var<storage, read> x: array<f32>;
@next var<storage, read_write> y: array<vec2<f32>>;
//:else
@next var<storage, read> x: array<vec2<f32>>;
//:if KIND == scale
@next var<storage, read_write> y: array<f32>;
//:else
@next var<storage, read_write> y: array<u32>;
//:end
//:end
@next var<uniform> p: Params;

//:include groups

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let lane = local.x;
  var low = 0.0;
  var high = 0.0;
//:if KIND == parts
  for (var i = group.x * WIDTH + lane; i < p.size; i += WIDTH * WIDTH) {
    low = min(low, x[i]);
    high = max(high, x[i]);
  }
//:else
  low = x[lane].x;
  high = x[lane].y;
//:end
  low = -max_of_group(-low, lane);
  high = max_of_group(high, lane);
  if (lane != 0u) { return; }
//:if KIND == parts
  y[group.x] = vec2<f32>(low, high);
//:else
  let scale = select((high - low) / 255.0, 1.0, low == high);
//:if KIND == scale
  y[0] = scale;
//:else
  y[0] = u32(round(clamp(-low / scale, 0.0, 255.0)));
//:end
//:end
}
