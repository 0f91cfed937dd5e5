// Elements change place: index i of a space of `dims` is read at one set of strides and written at another.
struct Params {
  count: u32,
  rank: u32,
  source: u32,
  sink: u32,
  dims: array<vec4<u32>, 2>,
  from_strides: array<vec4<u32>, 2>,
  to_strides: array<vec4<u32>, 2>,
}
@group(0) @binding(0) var<storage, read> x: array<{{STORED ELEMENT}}>;
@group(0) @binding(1) var<storage, read_write> y: array<{{STORED ELEMENT}}>;
@group(0) @binding(2) var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  var rest = i;
  var source = p.source;
  var sink = p.sink;
  for (var d = i32(p.rank) - 1; d >= 0; d--) {
    let size = p.dims[u32(d) >> 2u][u32(d) & 3u];
    let at = rest % size;
    source += at * p.from_strides[u32(d) >> 2u][u32(d) & 3u];
    sink += at * p.to_strides[u32(d) >> 2u][u32(d) & 3u];
    rest /= size;
  }
  y[sink] = x[source];
}
