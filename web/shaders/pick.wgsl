// O[i] = X[source(i)], or the fill where that is outside. Elements are not looked at.
//   strided     by strides
//   frame       by strides, and axis by axis what is before and behind X: MODE constant, edge, reflect, wrap
//   table       runs of `inner` elements, whose beginnings are told
//   gather      [outer, index, inner] of [outer, axis, inner]; indices that lie outside read the nearest: the CPU reports them
//   one_hot     X is [off, on]: [outer, at, inner] is on where the index of outer and inner is `at` of `axis`
//   triangle    matrices of rows x axis, without what is below the diagonal that `shift` moves (UPPER), or above it
struct Params {
  size: u32,
//:if KIND in strided frame
  rank: u32,
  source: u32,
  fill: u32,
  fill_high: u32,
  dims: array<vec4<u32>, 2>,
  strides: array<vec4<u32>, 2>,
//:if KIND == frame
  lengths: array<vec4<u32>, 2>,
  before: array<vec4<u32>, 2>,
//:end
//:else
  axis: u32,
  inner: u32,
  indices: u32,
  shift: i32,
//:end
}
@next var<storage, read> x: array<{{STORED O}}>;
//:if KIND == table
@next var<storage, read> starts: array<u32>;
//:elif KIND in gather one_hot
@next var<storage, read> indices: array<{{STORED I}}>;
//:end
@next var<storage, read_write> o: array<{{STORED O}}>;
@next var<uniform> p: Params;

//:include types

const OUTSIDE = 0xffffffffu;

//:if KIND in gather one_hot
fn index(i: u32) -> i32 {
//:if I in i64 u64
  let wide = indices[i];
  let fits = wide.y == select(0u, 0xffffffffu, (wide.x >> 31u) != 0u);
  return select(0x7fffffff, bitcast<i32>(wide.x), fits);
//:else
  return i32({{I}}_of(indices[i >> {{SHIFT I}}], i));
//:end
}
//:end

fn source(i: u32) -> u32 {
//:if KIND in strided frame
  var rest = i;
  var at = p.source;
  for (var d = i32(p.rank) - 1; d >= 0; d--) {
    let size = p.dims[u32(d) >> 2u][u32(d) & 3u];
    var place = rest % size;
    rest /= size;
//:if KIND == frame
    let n = i32(p.lengths[u32(d) >> 2u][u32(d) & 3u]);
    var seen = i32(place) - i32(p.before[u32(d) >> 2u][u32(d) & 3u]);
//:if MODE == constant
    if (seen < 0 || seen >= n) { return OUTSIDE; }
//:elif MODE == edge
    seen = clamp(seen, 0, n - 1);
//:elif MODE == wrap
    seen = ((seen % n) + n) % n;
//:else
    let period = max(2 * (n - 1), 1);
    seen = ((seen % period) + period) % period;
    seen = min(seen, period - seen);
//:end
    place = u32(seen);
//:end
    at += place * p.strides[u32(d) >> 2u][u32(d) & 3u];
  }
  return at;
//:elif KIND == table
  return starts[i / p.inner] + i % p.inner;
//:elif KIND == gather
  let n = i32(p.axis);
  let given = index(i / p.inner % p.indices);
  let at = u32(clamp(select(given, given + n, given < 0), 0, n - 1));
  return (i / (p.inner * p.indices) * p.axis + at) * p.inner + i % p.inner;
//:elif KIND == one_hot
  let n = i32(p.axis);
  let given = index(i / (p.inner * p.axis) * p.inner + i % p.inner);
  return select(0u, 1u, select(given, given + n, given < 0) == i32(i / p.inner % p.axis));
//:else
  let beyond = i32(i % p.axis) - i32(i / p.axis % p.inner) - p.shift;
//:if UPPER
  return select(OUTSIDE, i, beyond >= 0);
//:else
  return select(OUTSIDE, i, beyond <= 0);
//:end
//:end
}

fn element(i: u32) -> {{VALUE O}} {
  let at = source(i);
//:if KIND in frame triangle
  if (at == OUTSIDE) {
//:if KIND == triangle
    return {{VALUE O}}();
//:elif O == u64
    return vec2<u32>(p.fill, p.fill_high);
//:else
    return p.fill;
//:end
  }
//:end
  return {{O}}_of(x[at >> {{SHIFT O}}], at);
}

//:include each
