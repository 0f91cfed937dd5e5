// Work along an axis of [outer, n, inner]: a group of 64 invocations per row, which share what they find.
struct Params {
  rows: u32,
  n: u32,
  inner: u32,
  divisor: f32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> p: Params;

const LOWEST = -3.4028234663852886e38;
//:include groups

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_id) local: vec3<u32>) {
  let row = group.y * groups.x + group.x;
  let lane = local.x;
  // Every group of the grid takes part in the barriers; those beyond the rows work on the last and write nothing.
  let inside = row < p.rows;
  let safe = min(row, p.rows - 1u);
  let start = (safe / p.inner) * p.n * p.inner + safe % p.inner;
//:if KIND in softmax log_softmax log_sum_exp
  var largest = LOWEST;
  for (var i = lane; i < p.n; i += WIDTH) { largest = max(largest, x[start + i * p.inner]); }
  largest = max_of_group(largest, lane);
  var sum = 0.0;
  for (var i = lane; i < p.n; i += WIDTH) { sum += exp(x[start + i * p.inner] - largest); }
  sum = sum_of_group(sum, lane);
//:if KIND == softmax
  for (var i = lane; inside && i < p.n; i += WIDTH) {
    y[start + i * p.inner] = exp(x[start + i * p.inner] - largest) / sum;
  }
//:elif KIND == log_softmax
  let shift = largest + log(sum);
  for (var i = lane; inside && i < p.n; i += WIDTH) { y[start + i * p.inner] = x[start + i * p.inner] - shift; }
//:else
  if (inside && lane == 0u) { y[row] = largest + log(sum); }
//:end
//:elif KIND == max
  var result = bitcast<f32>(0xff800000u | (p.rows & 0u)); // -infinity, which WGSL has no constant for
  for (var i = lane; i < p.n; i += WIDTH) { result = max(result, x[start + i * p.inner]); }
  result = max_of_group(result, lane);
  if (inside && lane == 0u) { y[row] = result; }
//:elif KIND == min
  var result = bitcast<f32>(0xff800000u | (p.rows & 0u));
  for (var i = lane; i < p.n; i += WIDTH) { result = max(result, -x[start + i * p.inner]); }
  result = -max_of_group(result, lane);
  if (inside && lane == 0u) { y[row] = result; }
//:elif KIND == product
  var result = 1.0;
  for (var i = lane; i < p.n; i += WIDTH) { result *= x[start + i * p.inner]; }
  result = product_of_group(result, lane);
  if (inside && lane == 0u) { y[row] = result; }
//:elif KIND in norm_1 norm_2
  var sum = 0.0;
  for (var i = lane; i < p.n; i += WIDTH) {
    let value = x[start + i * p.inner];
//:if KIND == norm_1
    sum += abs(value);
  }
  let length = sum_of_group(sum, lane);
//:else
    sum += value * value;
  }
  let length = sqrt(sum_of_group(sum, lane));
//:end
  for (var i = lane; inside && i < p.n; i += WIDTH) {
    y[start + i * p.inner] = select(x[start + i * p.inner] / length, 0.0, length == 0.0);
  }
//:else
  var result = 0.0;
  for (var i = lane; i < p.n; i += WIDTH) {
    let value = x[start + i * p.inner];
//:if KIND == sum_abs
    result += abs(value);
//:elif KIND == sum_square
    result += value * value;
//:else
    result += value;
//:end
  }
  result = sum_of_group(result, lane) / p.divisor;
//:if FINISH == sqrt
  result = sqrt(result);
//:elif FINISH == log
  result = select(log(result), bitcast<f32>(0xff800000u | (p.rows & 0u)), result == 0.0);
//:end
  if (inside && lane == 0u) { y[row] = result; }
//:end
}
