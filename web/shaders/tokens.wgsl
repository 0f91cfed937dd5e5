// Tokens of every head, [batch, heads, rows, size], and before them those that a cache has; new ones are rotated by the angle
// of their position. Strides are of batch, head and token; w is where the elements begin.
struct Params {
  count: u32,
  heads: u32,
  rows: u32,
  size: u32,
  tokens: u32,
  cached: u32,
  kept: u32,
  half: u32,
  apart: u32,
  x_strides: vec4<u32>,
  y_strides: vec4<u32>,
}
@next var<storage, read> x: array<f32>;
//:if PAST
@next var<storage, read> past: array<f32>;
//:end
//:if LENGTHS
@next var<storage, read> lengths: array<i32>;
//:end
//:if ROTARY
@next var<storage, read> cosines: array<f32>;
@next var<storage, read> sines: array<f32>;
//:if POSITIONS
@next var<storage, read> positions: array<vec2<u32>>;
//:end
//:end
@next var<storage, read_write> y: array<f32>;
@next var<uniform> p: Params;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let d = i % p.size;
  let row = (i / p.size) % p.rows;
  let head = (i / (p.size * p.rows)) % p.heads;
  let batch = i / (p.size * p.rows * p.heads);
  let to = batch * p.y_strides.x + head * p.y_strides.y + row * p.y_strides.z + d;
//:if LENGTHS
  let total = u32(lengths[batch] + 1);
  let added = min(total, p.tokens);
  let before = total - added;
//:else
  let added = p.tokens;
  let before = p.kept;
//:end
//:if CACHE
  let kept = before;
//:else
  let kept = 0u;
//:end
  if (row < kept) {
//:if PAST
    y[to] = past[((batch * p.heads + head) * p.cached + row) * p.size + d];
//:end
    return;
  }
  let token = row - kept;
  if (token >= added) {
    y[to] = 0.0;
    return;
  }
  let origin = p.x_strides.w + batch * p.x_strides.x + head * p.x_strides.y + token * p.x_strides.z;
  var value = x[origin + d];
//:if ROTARY
  if (d < 2u * p.half) {
//:if POSITIONS == each
    let position = positions[batch * p.tokens + token].x;
//:elif POSITIONS == first
    let position = positions[0].x + token;
//:else
    let position = before + batch * p.apart + token;
//:end
//:if INTERLEAVED
    let column = d / 2u;
    let partner = d ^ 1u;
    let is_first = (d & 1u) == 0u;
//:else
    let column = d % p.half;
    let is_first = d < p.half;
    let partner = select(d - p.half, d + p.half, is_first);
//:end
    let at = position * p.half + column;
    value = value * cosines[at] + select(1.0, -1.0, is_first) * x[origin + partner] * sines[at];
  }
//:end
  y[to] = value;
}
