// GridSample over up to three dimensions of space: an invocation per element. Places beyond X have no weight, or are moved.
struct Params {
  count: u32,
  points: u32,
  channels: u32,
  size: vec4<u32>,
}
@next var<storage, read> x: array<f32>;
@next var<storage, read> grid: array<f32>;
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

// Neighbours along an axis; -1 is none.
struct Taps {
  places: vec4<i32>,
  weights: vec4<f32>,
}

fn reflected(v: f32, low: f32, high: f32) -> f32 {
  let range = high - low;
  if (range <= 0.0) { return low; }
  let distance = max(max(low - v, v - high), 0.0);
  if (distance == 0.0) { return v; }
  let turns = floor(distance / range);
  let rest = distance - turns * range;
  let even = turns == 2.0 * floor(turns / 2.0);
  return select(high - rest, low + rest, (v < low) == even);
}

fn place_of(at: f32, n: f32, low: f32, high: f32) -> i32 {
//:if PADDING == reflection
  let place = trunc(reflected(at, low, high));
//:elif PADDING == border
  let place = clamp(at, 0.0, n - 1.0);
//:else
  let place = at;
//:end
  if (place >= 0.0 && place < n) { return i32(place); }
  return -1;
}

fn taps_of(g: f32, length: u32) -> Taps {
  let n = f32(length);
//:if ALIGNED
  let low = 0.0;
  let high = n - 1.0;
  var v = (g + 1.0) / 2.0 * (n - 1.0);
//:else
  let low = -0.5;
  let high = n - 0.5;
  var v = ((g + 1.0) * n - 1.0) / 2.0;
//:end
//:if MODE == nearest
  v = round(v);
//:end
  if (v < low || v > high) {
//:if PADDING == reflection
    v = reflected(v, low, high);
//:elif PADDING == border && MODE != cubic
    v = clamp(v, 0.0, n - 1.0);
//:end
  }
  var taps = Taps(vec4<i32>(-1), vec4<f32>());
//:if MODE == nearest
  taps.places.x = place_of(trunc(v), n, low, high);
  taps.weights.x = 1.0;
//:else
  let left = floor(v);
  let r = v - left;
//:if MODE == linear
  taps.places.x = place_of(left, n, low, high);
  taps.places.y = place_of(left + 1.0, n, low, high);
  taps.weights = vec4<f32>(1.0 - r, r, 0.0, 0.0);
//:else
  for (var k = 0; k < 4; k++) {
    taps.places[k] = place_of(left + f32(k - 1), n, low, high);
    let d = abs(r - f32(k - 1));
    taps.weights[k] = select(((-0.75 * d + 3.75) * d - 6.0) * d + 3.0, (1.25 * d - 2.25) * d * d + 1.0, k == 1 || k == 2);
  }
//:end
//:end
  return taps;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let plane = i / p.points;
  let at = (plane / p.channels * p.points + i % p.points) * {{RANK}}u;
  let alone = Taps(vec4<i32>(0, -1, -1, -1), vec4<f32>(1.0));
  let w = taps_of(grid[at], p.size.z);
//:if RANK == 1
  let h = alone;
//:else
  let h = taps_of(grid[at + 1u], p.size.y);
//:end
//:if RANK == 3
  let d = taps_of(grid[at + 2u], p.size.x);
//:else
  let d = alone;
//:end
  let start = plane * p.size.x * p.size.y * p.size.z;
  var sum = 0.0;
  for (var a = 0; a < 4; a++) {
    for (var b = 0; b < 4; b++) {
      for (var c = 0; c < 4; c++) {
        let place = vec3<i32>(d.places[a], h.places[b], w.places[c]);
        if (any(place < vec3<i32>(0))) { continue; }
        let from_start = (u32(place.x) * p.size.y + u32(place.y)) * p.size.z + u32(place.z);
        sum += d.weights[a] * h.weights[b] * w.weights[c] * x[start + from_start];
      }
    }
  }
  y[i] = sum;
}
