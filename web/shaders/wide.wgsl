// Whole numbers of 64 bits: the low word and the high one. `is_signed` says how the highest bit counts.
const ZERO = vec2<u32>(0u, 0u);

fn is_negative(a: vec2<u32>, is_signed: bool) -> bool {
  return is_signed && (a.y >> 31u) != 0u;
}
fn wide_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn wide_negate(a: vec2<u32>) -> vec2<u32> {
  return wide_add(~a, vec2<u32>(1u, 0u));
}
fn wide_size(a: vec2<u32>, is_signed: bool) -> vec2<u32> {
  return select(a, wide_negate(a), is_negative(a, is_signed));
}
fn wide_multiply(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let a_low = a.x & 0xffffu;
  let a_high = a.x >> 16u;
  let b_low = b.x & 0xffffu;
  let b_high = b.x >> 16u;
  let low = a_low * b_low;
  let middle = a_high * b_low + (low >> 16u);
  let other = a_low * b_high + (middle & 0xffffu);
  let high = a_high * b_high + (middle >> 16u) + (other >> 16u);
  return vec2<u32>((other << 16u) | (low & 0xffffu), high + a.x * b.y + a.y * b.x);
}
fn wide_less(a: vec2<u32>, b: vec2<u32>, is_signed: bool) -> bool {
  let flip = select(0u, 0x80000000u, is_signed);
  return (a.y ^ flip) < (b.y ^ flip) || (a.y == b.y && a.x < b.x);
}
// The quotient in xy and the remainder in zw, of numbers without signs.
fn wide_divide_sizes(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  if (a.y == 0u && b.y == 0u && b.x != 0u) { return vec4<u32>(a.x / b.x, 0u, a.x % b.x, 0u); }
  var quotient = ZERO;
  var rest = ZERO;
  for (var bit = 63; bit >= 0; bit--) {
    let from_a = (select(a.x, a.y, bit >= 32) >> (u32(bit) & 31u)) & 1u;
    let carry = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | from_a, (rest.y << 1u) | (rest.x >> 31u));
    if (carry != 0u || !wide_less(rest, b, false)) {
      rest = wide_add(rest, wide_negate(b));
      if (bit >= 32) { quotient.y |= 1u << (u32(bit) & 31u); } else { quotient.x |= 1u << u32(bit); }
    }
  }
  return vec4<u32>(quotient, rest);
}
fn wide_divide(a: vec2<u32>, b: vec2<u32>, is_signed: bool) -> vec2<u32> {
  let quotient = wide_divide_sizes(wide_size(a, is_signed), wide_size(b, is_signed)).xy;
  return select(quotient, wide_negate(quotient), is_negative(a, is_signed) != is_negative(b, is_signed));
}
// With the sign of a.
fn wide_remainder(a: vec2<u32>, b: vec2<u32>, is_signed: bool) -> vec2<u32> {
  let rest = wide_divide_sizes(wide_size(a, is_signed), wide_size(b, is_signed)).zw;
  return select(rest, wide_negate(rest), is_negative(a, is_signed));
}
fn wide_shift(a: vec2<u32>, left: bool, by: u32) -> vec2<u32> {
  if (by == 0u) { return a; }
  if (by >= 64u) { return ZERO; }
  if (by >= 32u) { return select(vec2<u32>(a.y >> (by - 32u), 0u), vec2<u32>(0u, a.x << (by - 32u)), left); }
  if (left) { return vec2<u32>(a.x << by, (a.y << by) | (a.x >> (32u - by))); }
  return vec2<u32>((a.x >> by) | (a.y << (32u - by)), a.y >> by);
}
// The magnitude is converted, so that no high word of a small negative number drowns the low one.
fn wide_to_f32(a: vec2<u32>, is_signed: bool) -> f32 {
  let size = wide_size(a, is_signed);
  let value = f32(size.y) * 4294967296.0 + f32(size.x);
  return select(value, -value, is_negative(a, is_signed));
}
fn wide_of_f32(x: f32) -> vec2<u32> {
  let size = trunc(abs(x));
  let high = u32(size / 4294967296.0);
  let value = vec2<u32>(u32(size - f32(high) * 4294967296.0), high);
  return select(value, wide_negate(value), x < 0.0);
}
fn wide_of_i32(x: i32) -> vec2<u32> {
  return vec2<u32>(bitcast<u32>(x), select(0u, 0xffffffffu, x < 0));
}
