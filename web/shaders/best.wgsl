// The first of the order along the axis of [outer, n, inner], a group of 64 invocations per line. Of equal elements the earlier is
// better, or with LAST the later.
//   arg   the index of the best
//   top   the `k` best of at most LENGTH, which is a power of two: WANT values or indices
struct Params {
  lines: u32,
  n: u32,
  inner: u32,
  k: u32,
}
@next var<storage, read> x: array<{{STORED T}}>;
//:if WANT == values
@next var<storage, read_write> y: array<{{STORED T}}>;
//:else
@next var<storage, read_write> y: array<vec2<u32>>;
//:end
@next var<uniform> p: Params;

//:include types
//:include wide

const WIDTH = 64u;
const NONE = 0xffffffffu;
//:if KIND == top
var<workgroup> values: array<{{VALUE T}}, {{LENGTH}}>;
var<workgroup> places: array<u32, {{LENGTH}}>;
//:else
var<workgroup> values: array<{{VALUE T}}, WIDTH>;
var<workgroup> places: array<u32, WIDTH>;
//:end

fn less(a: {{VALUE T}}, b: {{VALUE T}}) -> bool {
//:if T in i64 u64
  return wide_less(a, b, {{SIGNED}});
//:else
  return a < b;
//:end
}
// Whether element a, which is at place i, comes before b at j.
fn is_better(a: {{VALUE T}}, i: u32, b: {{VALUE T}}, j: u32) -> bool {
  if (i == NONE || j == NONE) { return i < j; }
//:if SMALLEST
  if (less(a, b)) { return true; }
  if (less(b, a)) { return false; }
//:else
  if (less(b, a)) { return true; }
  if (less(a, b)) { return false; }
//:end
//:if LAST
  return i > j;
//:else
  return i < j;
//:end
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_id) local: vec3<u32>) {
  let line = group.y * groups.x + group.x;
  let lane = local.x;
  // Every group of the grid takes part in the barriers; those beyond the lines work on the last and write nothing.
  let inside = line < p.lines;
  let safe = min(line, p.lines - 1u);
  let start = safe / p.inner * p.n * p.inner + safe % p.inner;
//:if KIND == arg
  var best = {{VALUE T}}();
  var place = NONE;
  for (var j = lane; j < p.n; j += WIDTH) {
    let i = start + j * p.inner;
    let value = {{T}}_of(x[i >> {{SHIFT T}}], i);
    if (is_better(value, j, best, place)) {
      best = value;
      place = j;
    }
  }
  values[lane] = best;
  places[lane] = place;
  workgroupBarrier();
  for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
    if (lane < half && is_better(values[lane + half], places[lane + half], values[lane], places[lane])) {
      values[lane] = values[lane + half];
      places[lane] = places[lane + half];
    }
    workgroupBarrier();
  }
  if (inside && lane == 0u) { y[line] = vec2<u32>(places[0], 0u); }
//:else
  for (var j = lane; j < {{LENGTH}}u; j += WIDTH) {
    places[j] = NONE;
    if (j < p.n) {
      let i = start + j * p.inner;
      values[j] = {{T}}_of(x[i >> {{SHIFT T}}], i);
      places[j] = j;
    }
  }
  workgroupBarrier();
  // A bitonic sort.
  for (var block = 2u; block <= {{LENGTH}}u; block *= 2u) {
    for (var apart = block / 2u; apart > 0u; apart /= 2u) {
      for (var j = lane; j < {{LENGTH}}u; j += WIDTH) {
        let other = j ^ apart;
        if (other > j) {
          let backwards = (j & block) != 0u;
          if (is_better(values[other], places[other], values[j], places[j]) != backwards) {
            let value = values[j];
            let place = places[j];
            values[j] = values[other];
            places[j] = places[other];
            values[other] = value;
            places[other] = place;
          }
        }
      }
      workgroupBarrier();
    }
  }
  for (var j = lane; inside && j < p.k; j += WIDTH) {
    let to = (safe / p.inner * p.k + j) * p.inner + safe % p.inner;
//:if WANT == values
    y[to] = values[j];
//:else
    y[to] = vec2<u32>(places[j], 0u);
//:end
  }
//:end
}
