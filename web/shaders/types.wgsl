// Elements of a word, and words of elements: i counts elements.
fn u32_of(word: u32, i: u32) -> u32 {
  return word;
}
fn i32_of(word: i32, i: u32) -> i32 {
  return word;
}
fn f32_of(word: f32, i: u32) -> f32 {
  return word;
}
fn i64_of(words: vec2<u32>, i: u32) -> vec2<u32> {
  return words;
}
fn u64_of(words: vec2<u32>, i: u32) -> vec2<u32> {
  return words;
}
fn u8_of(word: u32, i: u32) -> u32 {
  return (word >> ((i & 3u) * 8u)) & 0xffu;
}
fn i8_of(word: u32, i: u32) -> i32 {
  return bitcast<i32>(word << (24u - (i & 3u) * 8u)) >> 24u;
}
fn bool_of(word: u32, i: u32) -> bool {
  return u8_of(word, i) != 0u;
}
fn u16_of(word: u32, i: u32) -> u32 {
  return (word >> ((i & 1u) * 16u)) & 0xffffu;
}
fn i16_of(word: u32, i: u32) -> i32 {
  return bitcast<i32>(word << (16u - (i & 1u) * 16u)) >> 16u;
}
fn u4_of(word: u32, i: u32) -> u32 {
  return (word >> ((i & 7u) * 4u)) & 15u;
}
fn i4_of(word: u32, i: u32) -> i32 {
  return bitcast<i32>(word << (28u - (i & 7u) * 4u)) >> 28u;
}
fn half_of(word: u32, i: u32) -> f32 {
  return unpack2x16float(word)[i & 1u];
}

fn bool_bits(x: bool) -> u32 {
  return u32(x);
}
fn u8_bits(x: u32) -> u32 {
  return x & 0xffu;
}
fn i8_bits(x: i32) -> u32 {
  return bitcast<u32>(x) & 0xffu;
}
fn u16_bits(x: u32) -> u32 {
  return x & 0xffffu;
}
fn i16_bits(x: i32) -> u32 {
  return bitcast<u32>(x) & 0xffffu;
}
fn u4_bits(x: u32) -> u32 {
  return x & 15u;
}
fn i4_bits(x: i32) -> u32 {
  return bitcast<u32>(x) & 15u;
}
// Rounded to even. pack2x16float() may give anything for what is too large.
fn half_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) { return sign | 0x7e00u; }
  if (size >= 0x477ff000u) { return sign | 0x7c00u; }
  if (size < 0x38800000u) {
    // Below the normal numbers: adding 0.5 leaves the rounded multiple of 2^-24 in the lowest bits.
    return sign | (bitcast<u32>(bitcast<f32>(size) + 0.5) - 0x3f000000u);
  }
  return sign | ((size + 0xfffu + ((size >> 13u) & 1u) - 0x38000000u) >> 13u);
}
