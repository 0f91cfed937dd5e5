// O[i] = f(A[i], B[i], C[i]), with broadcasting. One invocation per element; small ones share a word.
struct Params {
  size: u32,
  rank: u32,
  alpha: f32,
  beta: f32,
//:if FLAT == 0
  dims: array<vec4<u32>, 2>,
  a_strides: array<vec4<u32>, 2>,
//:if B
  b_strides: array<vec4<u32>, 2>,
//:end
//:if C
  c_strides: array<vec4<u32>, 2>,
//:end
//:end
}
@next var<storage, read> a: array<{{STORED A}}>;
//:if B
@next var<storage, read> b: array<{{STORED B}}>;
//:end
//:if C
@next var<storage, read> c: array<{{STORED C}}>;
//:end
@next var<storage, read_write> o: array<{{STORED O}}>;
@next var<uniform> p: Params;

//:include types
//:include wide

fn load_a(i: u32) -> {{VALUE A}} {
  return {{A}}_of(a[i >> {{SHIFT A}}], i);
}
//:if B
fn load_b(i: u32) -> {{VALUE B}} {
  return {{B}}_of(b[i >> {{SHIFT B}}], i);
}
//:end
//:if C
fn load_c(i: u32) -> {{VALUE C}} {
  return {{C}}_of(c[i >> {{SHIFT C}}], i);
}
//:end

// ---- what an element becomes ----

const HUGE = 3.4028234663852886e38;

fn is_nan(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}
// Near zero the series, beyond the erfc of Numerical Recipes (section 6.2), whose relative error is below 1.2e-7.
fn erf(x: f32) -> f32 {
  let z = abs(x);
  if (z < 0.35) {
    let s = x * x;
    return x * (1.1283791671 + s * (-0.3761263890 + s * (0.1128379167 + s * (-0.0268661706 + s * 0.0052239776))));
  }
  let t = 1.0 / (1.0 + 0.5 * z);
  let e = t * exp(-z * z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 +
      t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))))));
  return sign(x) * (1.0 - e);
}
// Infinities and NaN, which WGSL has no constants for.
fn special(bits: u32) -> f32 {
  return bitcast<f32>(bits | (p.size & 0u));
}
fn is_inf(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}
fn logarithm(x: f32) -> f32 {
  return select(log(x), special(0xff800000u), x == 0.0);
}
//:include functions
// log(1 + x) of x from 0 up.
fn log_after(x: f32) -> f32 {
  let series = x * (1.0 - x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - x * 0.2))));
  return select(log(1.0 + x), series, x < 0.03);
}
// Of large numbers, whose squares are none: log(2x).
fn log_of_double(x: f32) -> f32 {
  return log(x) + 0.69314718055994531;
}
fn asinh_of(x: f32) -> f32 {
  let size = abs(x);
  let found = log_after(size + size * size / (1.0 + sqrt(size * size + 1.0)));
  return select(1.0, -1.0, x < 0.0) * select(found, log_of_double(size), size > 1e4);
}
fn acosh_of(x: f32) -> f32 {
  let over = max(x - 1.0, 0.0);
  let found = select(log_after(over + sqrt(over * (2.0 + over))), log_of_double(x), x > 1e4);
  return select(found, special(0x7fc00000u), x < 1.0);
}
fn atanh_of(x: f32) -> f32 {
  let size = abs(x);
  var found = 0.5 * log_after(2.0 * size / (1.0 - size));
  if (size >= 1.0) { found = special(select(0x7fc00000u, 0x7f800000u, size == 1.0)); }
  return select(1.0, -1.0, x < 0.0) * found;
}
fn gelu(x: f32) -> f32 {
  return 0.5 * x * (1.0 + erf(x * 0.70710678118654752));
}
fn gelu_tanh(x: f32) -> f32 {
  return 0.5 * x * (1.0 + tanh_of(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

//:if C
fn f(x: {{VALUE A}}, y: {{VALUE B}}, z: {{VALUE C}}) -> {{VALUE O}} {
//:elif B
fn f(x: {{VALUE A}}, y: {{VALUE B}}) -> {{VALUE O}} {
//:else
fn f(x: {{VALUE A}}) -> {{VALUE O}} {
//:end
//:if WIDE
//:if OP == Abs
  return wide_size(x, {{SIGNED}});
//:elif OP == Neg
  return wide_negate(x);
//:elif OP == Sign
  return select(select(vec2<u32>(1u, 0u), ZERO, all(x == ZERO)), ~ZERO, is_negative(x, {{SIGNED}}));
//:elif OP == Add
  return wide_add(x, y);
//:elif OP == Sub
  return wide_add(x, wide_negate(y));
//:elif OP == Mul
  return wide_multiply(x, y);
//:elif OP == Div
  return wide_divide(x, y, {{SIGNED}});
//:elif OP == Fmod
  return wide_remainder(x, y, {{SIGNED}});
//:elif OP == Mod
  let rest = wide_remainder(x, y, {{SIGNED}});
  return select(rest, wide_add(rest, y), any(rest != ZERO) && is_negative(rest, {{SIGNED}}) != is_negative(y, {{SIGNED}}));
//:elif OP == Max
  return select(x, y, wide_less(x, y, {{SIGNED}}));
//:elif OP == Min
  return select(x, y, wide_less(y, x, {{SIGNED}}));
//:elif OP == Equal
  return all(x == y);
//:elif OP == Greater
  return wide_less(y, x, {{SIGNED}});
//:elif OP == GreaterOrEqual
  return !wide_less(x, y, {{SIGNED}});
//:elif OP == Less
  return wide_less(x, y, {{SIGNED}});
//:elif OP == LessOrEqual
  return !wide_less(y, x, {{SIGNED}});
//:elif OP == ShiftLeft
  return wide_shift(x, true, select(y.x, 64u, y.y != 0u));
//:elif OP == ShiftRight
  return wide_shift(x, false, select(y.x, 64u, y.y != 0u));
//:elif OP == BitwiseAnd
  return x & y;
//:elif OP == BitwiseOr
  return x | y;
//:elif OP == BitwiseXor
  return x ^ y;
//:elif OP == BitwiseNot
  return ~x;
//:end
//:elif OP == Mod && WHOLE
  let rest = x % y;
  return select(rest, rest + y, rest != 0 && (rest < 0) != (y < 0));
//:elif OP == Fmod && WHOLE
  return x % y;
//:elif OP == Pow && WHOLE
  var result = {{VALUE A}}(1);
  var base = x;
  for (var rest = u32(y); rest != 0u; rest >>= 1u) {
    if ((rest & 1u) != 0u) { result *= base; }
    base *= base;
  }
  return result;
//:elif OP == ShiftLeft
  return select(x << (u32(y) & 31u), {{VALUE A}}(0), u32(y) > 31u);
//:elif OP == ShiftRight
  return (x >> min(u32(y), 31u)) >> select(0u, 1u, u32(y) > 31u);
//:elif OP == Abs
  return abs(x);
//:elif OP == Acos
  return acos(x);
//:elif OP == Asin
  return asin(x);
//:elif OP == Atan
  return atan(x);
//:elif OP == Ceil
  return ceil(x);
//:elif OP == Celu
  return max(x, 0.0) + min(0.0, p.alpha * (exp(x / p.alpha) - 1.0));
//:elif OP == Cos
  return cos(x);
//:elif OP == Asinh
  return select(asinh_of(x), x, is_nan(x));
//:elif OP == Acosh
  return select(acosh_of(x), x, is_nan(x));
//:elif OP == Atanh
  return select(atanh_of(x), x, is_nan(x));
//:elif OP == Cosh
  return cosh(x);
//:elif OP == Elu
  return select(p.alpha * (exp(x) - 1.0), x, x >= 0.0);
//:elif OP == Erf
  return erf(x);
//:elif OP == Exp
  return exp(x);
//:elif OP == Floor
  return floor(x);
//:elif OP == Gelu
  return gelu(x);
//:elif OP == GeluTanh
  return gelu_tanh(x);
//:elif OP == BiasGelu
  return gelu(x + y);
//:elif OP == BiasGeluTanh
  return gelu_tanh(x + y);
//:elif OP == HardSigmoid
  return clamp(p.alpha * x + p.beta, 0.0, 1.0);
//:elif OP == HardSwish
  return x * clamp(x / 6.0 + 0.5, 0.0, 1.0);
//:elif OP == LeakyRelu
  return select(p.alpha * x, x, x >= 0.0);
//:elif OP == Log
  return logarithm(x);
//:elif OP == Mish
  // tanh(log(1 + n)) in powers of n = exp(x).
  let n = exp(min(x, 20.0));
  let square = n * (n + 2.0);
  return x * square / (square + 2.0);
//:elif OP == Neg
  return -x;
//:elif OP == Not
  return !x;
//:elif OP == Reciprocal
  return 1.0 / x;
//:elif OP == Relu
  return select(max(x, 0.0), x, is_nan(x));
//:elif OP == Round
  return round(x);
//:elif OP == Selu
  return p.beta * select(p.alpha * (exp(x) - 1.0), x, x > 0.0);
//:elif OP == Shrink
  return select(select(0.0, x - p.beta, x > p.alpha), x + p.beta, x < -p.alpha);
//:elif OP == Sigmoid
  return sigmoid(x);
//:elif OP == Sign
  return sign(x);
//:elif OP == Sin
  return sin(x);
//:elif OP == Sinh
  return sinh(x);
//:elif OP == Softplus
  return softplus(x);
//:elif OP == Softsign
  return x / (1.0 + abs(x));
//:elif OP == Sqrt
  return sqrt(x);
//:elif OP in Swish QuickGelu
  return x * sigmoid(p.alpha * x);
//:elif OP == Tan
  return tan(x);
//:elif OP == Tanh
  return tanh_of(x);
//:elif OP == ThresholdedRelu
  return select(0.0, x, x > p.alpha);
//:elif OP == IsInf
  return is_inf(x) && select(p.beta != 0.0, p.alpha != 0.0, x > 0.0);
//:elif OP == IsNaN
  return is_nan(x);
//:elif OP == Clip
  return select(min(max(x, p.alpha), p.beta), x, is_nan(x));
//:elif OP == Add
  return x + y;
//:elif OP == Sub
  return x - y;
//:elif OP == Mul
  return x * y;
//:elif OP == Div
  return x / y;
//:elif OP == Pow
  // pow() of WGSL knows no negative base.
//:if B in i64 u64
  let e = wide_to_f32(y, {{SIGNED}});
//:else
  let e = f32(y);
//:end
  let size = pow(abs(x), e);
  let odd = abs(e - 2.0 * floor(e / 2.0)) == 1.0;
  let whole = e == floor(e);
  let below = select(special(0x7fc00000u), select(size, -size, odd), whole);
  return select(select(size, below, x < 0.0), 1.0, e == 0.0);
//:elif OP == PRelu
  return select(x * y, x, x >= 0.0);
//:elif OP == Mod
  let across = x != 0.0 && (x < 0.0) != (y < 0.0);
  return select(x - y * floor(x / y), select(x, y, across), is_inf(y) && !is_inf(x) && !is_nan(x));
//:elif OP == Fmod
  return select(x - y * trunc(x / y), x, is_inf(y) && !is_inf(x));
//:elif OP == Max
  return max(x, y);
//:elif OP == Min
  return min(x, y);
//:elif OP == And
  return x && y;
//:elif OP == Or
  return x || y;
//:elif OP == Xor
  return x != y;
//:elif OP == Equal
  return x == y;
//:elif OP == Greater
  return x > y;
//:elif OP == GreaterOrEqual
  return x >= y;
//:elif OP == Less
  return x < y;
//:elif OP == LessOrEqual
  return x <= y;
//:elif OP == Where
  return select(z, y, x);
//:elif OP == Cast
//:if A in i64 u64
//:if O == bool
  return (x.x | x.y) != 0u;
//:elif O in f32 half
  return wide_to_f32(x, {{SIGNED}});
//:elif O in i64 u64
  return x;
//:else
  return {{VALUE O}}(x.x);
//:end
//:elif O in i64 u64
//:if A in i32 i16 i8
  return wide_of_i32(x);
//:elif A in f32 half
  return wide_of_f32(x);
//:else
  return vec2<u32>(u32(x), 0u);
//:end
//:elif A in f32 half && O in u8 u16 u4
  // A negative number wraps, as whole ones do.
  return bitcast<u32>(i32(x));
//:else
  return {{VALUE O}}(x);
//:end
//:elif OP == BitwiseAnd
  return x & y;
//:elif OP == BitwiseOr
  return x | y;
//:elif OP == BitwiseXor
  return x ^ y;
//:elif OP == BitwiseNot
  return ~x;
//:elif OP == Affine
  return p.alpha * x + p.beta;
//:end
}

// ---- which elements ----

//:if FLAT == 0
fn offset(i: u32, strides: array<vec4<u32>, 2>) -> u32 {
  var rest = i;
  var at = 0u;
  for (var d = i32(p.rank) - 1; d >= 0; d--) {
    let size = p.dims[u32(d) >> 2u][u32(d) & 3u];
    at += (rest % size) * strides[u32(d) >> 2u][u32(d) & 3u];
    rest /= size;
  }
  return at;
}
//:end

fn element(i: u32) -> {{VALUE O}} {
//:if FLAT
//:if C
  return f(load_a(i), load_b(i), load_c(i));
//:elif B
  return f(load_a(i), load_b(i));
//:else
  return f(load_a(i));
//:end
//:else
//:if C
  return f(load_a(offset(i, p.a_strides)), load_b(offset(i, p.b_strides)), load_c(offset(i, p.c_strides)));
//:elif B
  return f(load_a(offset(i, p.a_strides)), load_b(offset(i, p.b_strides)));
//:else
  return f(load_a(offset(i, p.a_strides)));
//:end
//:end
}

//:include each
