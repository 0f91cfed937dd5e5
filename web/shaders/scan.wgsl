// Sums of what is before each element along the axis of [outer, n, inner], and of itself: an invocation per line.
struct Params {
  lines: u32,
  n: u32,
  inner: u32,
}
@next var<storage, read> x: array<{{STORED T}}>;
@next var<storage, read_write> y: array<{{STORED T}}>;
@next var<uniform> p: Params;

//:include wide

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let line = id.y * groups.x * 64u + id.x;
  if (line >= p.lines) { return; }
  let start = line / p.inner * p.n * p.inner + line % p.inner;
  var sum = {{STORED T}}();
  for (var j = 0u; j < p.n; j++) {
//:if REVERSE
    let i = start + (p.n - 1u - j) * p.inner;
//:else
    let i = start + j * p.inner;
//:end
    let before = sum;
//:if T in i64 u64
    sum = wide_add(sum, x[i]);
//:else
    sum += x[i];
//:end
//:if EXCLUSIVE
    y[i] = before;
//:else
    y[i] = sum;
//:end
  }
}
