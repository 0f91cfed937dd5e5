// exp(2x) overflows long after tanh has become 1.
fn tanh_of(x: f32) -> f32 {
  if (abs(x) < 0.05) { return x * (1.0 - x * x / 3.0 + x * x * x * x / 7.5); }
  let e = exp(-2.0 * abs(x));
  return sign(x) * (1.0 - e) / (1.0 + e);
}
fn sigmoid(x: f32) -> f32 {
  let e = exp(-abs(x));
  return select(e, 1.0, x >= 0.0) / (1.0 + e);
}
fn softplus(x: f32) -> f32 {
  let e = exp(-abs(x));
  return max(x, 0.0) + select(log(1.0 + e), e - 0.5 * e * e, e < 1e-3);
}
