// What the 64 invocations of a group find together. All of them have to call.
const WIDTH = 64u;
var<workgroup> shared_values: array<f32, WIDTH>;

fn sum_of_group(value: f32, lane: u32) -> f32 {
  shared_values[lane] = value;
  workgroupBarrier();
  for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] += shared_values[lane + half]; }
    workgroupBarrier();
  }
  let result = shared_values[0];
  workgroupBarrier();
  return result;
}

fn max_of_group(value: f32, lane: u32) -> f32 {
  shared_values[lane] = value;
  workgroupBarrier();
  for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] = max(shared_values[lane], shared_values[lane + half]); }
    workgroupBarrier();
  }
  let result = shared_values[0];
  workgroupBarrier();
  return result;
}

fn product_of_group(value: f32, lane: u32) -> f32 {
  shared_values[lane] = value;
  workgroupBarrier();
  for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
    if (lane < half) { shared_values[lane] *= shared_values[lane + half]; }
    workgroupBarrier();
  }
  let result = shared_values[0];
  workgroupBarrier();
  return result;
}
