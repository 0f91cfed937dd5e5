// Y[o, j, i] = X[o, indices[j], i]. Indices that lie outside read the nearest element: the CPU reports them.
struct Params {
  count: u32,
  indices: u32,
  axis: u32,
  inner: u32,
}
@group(0) @binding(0) var<storage, read> x: array<{{ELEMENT}}>;
@group(0) @binding(1) var<storage, read> indices: array<i32>;
@group(0) @binding(2) var<storage, read_write> y: array<{{ELEMENT}}>;
@group(0) @binding(3) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let inner = i % p.inner;
  let j = (i / p.inner) % p.indices;
  let outer = i / (p.inner * p.indices);
  var index = indices[j * {{INDEX_WORDS}}u];
  index = select(index, index + i32(p.axis), index < 0);
  let at = u32(clamp(index, 0, i32(p.axis) - 1));
  y[i] = x[(outer * p.axis + at) * p.inner + inner];
}
