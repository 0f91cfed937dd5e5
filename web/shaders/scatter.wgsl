// Y[place] = f(Y[place], updates[...]): an invocation goes through `updates` of a line one after the other, so that lines which
// share no place need no order among them. Updates are [outer, updates, inner]; `places` tells where runs of `run` begin.
struct Params {
  lines: u32,
  updates: u32,
  inner: u32,
  run: u32,
}
@next var<storage, read> values: array<{{STORED T}}>;
@next var<storage, read> places: array<u32>;
@next var<storage, read_write> y: array<{{STORED T}}>;
@next var<uniform> p: Params;

//:include wide

fn f(a: {{STORED T}}, b: {{STORED T}}) -> {{STORED T}} {
//:if HOW == none
  return b;
//:elif T in i64 u64
//:if HOW == add
  return wide_add(a, b);
//:elif HOW == mul
  return wide_multiply(a, b);
//:elif HOW == max
  return select(b, a, wide_less(b, a, {{SIGNED}}));
//:else
  return select(b, a, wide_less(a, b, {{SIGNED}}));
//:end
//:elif HOW == add
  return a + b;
//:elif HOW == mul
  return a * b;
//:elif HOW == max
  return max(a, b);
//:else
  return min(a, b);
//:end
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let line = id.y * groups.x * 64u + id.x;
  if (line >= p.lines) { return; }
  for (var j = 0u; j < p.updates; j++) {
    let i = (line / p.inner * p.updates + j) * p.inner + line % p.inner;
    let place = places[i / p.run] + i % p.run;
    y[place] = f(y[place], values[i]);
  }
}
