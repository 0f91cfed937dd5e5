// Normalizes rows of n neighbours: a group of 64 invocations per row. Element i of row r has the factor and the summand
// of number (r % sets) * per_set + i / run.
struct Params {
  rows: u32,
  n: u32,
  sets: u32,
  per_set: u32,
  run: u32,
  epsilon: f32,
}
@next var<storage, read> x: array<f32>;
//:if OUT == y
@next var<storage, read> scale: array<f32>;
//:if BIAS
@next var<storage, read> bias: array<f32>;
//:end
//:end
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

//:include groups

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_id) local: vec3<u32>) {
  let row = group.y * groups.x + group.x;
  let lane = local.x;
  // Every group of the grid takes part in the barriers; those beyond the rows work on the last and write nothing.
  let inside = row < p.rows;
  let start = min(row, p.rows - 1u) * p.n;
//:if CENTER
  var sum = 0.0;
  for (var i = lane; i < p.n; i += WIDTH) { sum += x[start + i]; }
  let mean = sum_of_group(sum, lane) / f32(p.n);
//:else
  let mean = 0.0;
//:end
  var squares = 0.0;
  for (var i = lane; i < p.n; i += WIDTH) {
    let distance = x[start + i] - mean;
    squares += distance * distance;
  }
  let factor = inverseSqrt(sum_of_group(squares, lane) / f32(p.n) + p.epsilon);
//:if OUT == mean
  if (inside && lane == 0u) { y[row] = mean; }
//:elif OUT == factor
  if (inside && lane == 0u) { y[row] = factor; }
//:else
  let first = (row % p.sets) * p.per_set;
  for (var i = lane; inside && i < p.n; i += WIDTH) {
    let at = first + i / p.run;
    var value = (x[start + i] - mean) * factor * scale[at];
//:if BIAS
    value += bias[at];
//:end
    y[start + i] = value;
  }
//:end
}
