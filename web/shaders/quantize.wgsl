// Between numbers and levels. The scale of element [outer, at, inner] of an axis of `n` is at
// outer * outer_step + at / block * axis_step + inner * inner_step, and so is the zero point.
//   quantize    levels of x / scale
//   dequantize  (x - zero) * scale
//   requantize  levels of the sums of a product: x * input_scale * scale / output_scale, where `zero` has one value
struct Params {
  size: u32,
  n: u32,
  inner: u32,
  block: u32,
  outer_step: u32,
  axis_step: u32,
  inner_step: u32,
  low: f32,
  high: f32,
}
@next var<storage, read> x: array<{{STORED X}}>;
@next var<storage, read> scales: array<{{STORED S}}>;
//:if KIND == requantize
@next var<storage, read> input_scale: array<f32>;
@next var<storage, read> output_scale: array<f32>;
//:if BIAS
@next var<storage, read> bias: array<i32>;
//:end
//:end
//:if Z
@next var<storage, read> zeros: array<{{STORED Z}}>;
//:end
@next var<storage, read_write> o: array<{{STORED O}}>;
@next var<uniform> p: Params;

//:include types

fn scale_at(i: u32) -> u32 {
  let at = (i / p.inner) % p.n;
  return i / (p.inner * p.n) * p.outer_step + at / p.block * p.axis_step + i % p.inner * p.inner_step;
}
//:if Z
fn zero(at: u32) -> {{VALUE Z}} {
  return {{Z}}_of(zeros[at >> {{SHIFT Z}}], at);
}
//:end
//:if KIND != dequantize
fn level(number: f32, at: u32) -> {{VALUE O}} {
  var rounded = round(number);
//:if Z
  rounded += f32(zero(at));
//:end
  return {{VALUE O}}(clamp(rounded, p.low, p.high));
}
//:end

fn element(i: u32) -> {{VALUE O}} {
  let at = scale_at(i);
  let scale = {{S}}_of(scales[at >> {{SHIFT S}}], at);
  let value = {{X}}_of(x[i >> {{SHIFT X}}], i);
//:if KIND == quantize
  return level(f32(value) / scale, at);
//:elif KIND == dequantize
//:if Z
  return f32(i32(value) - i32(zero(at))) * scale;
//:else
  return f32(value) * scale;
//:end
//:else
  let factor = input_scale[0] * scale / output_scale[0];
//:if BIAS
  return level(f32(value + bias[(i / p.inner) % p.n]) * factor, 0u);
//:else
  return level(f32(value) * factor, 0u);
//:end
//:end
}

//:include each
