#include "ops/op.h"

#include <algorithm>

#include "base/visit.h"
#include "kernels/convert.h"

namespace onnxlet {

Result<Tensor*> OpContext::out(int i, DType dtype, const Shape& shape) {
  return out_over(i, i == 0 && in_place_ ? 0 : -1, dtype, shape);
}

Result<Tensor*> OpContext::out_over(int i, int input, DType dtype, const Shape& shape) {
  const auto at = static_cast<size_t>(i);
  if (at >= outputs_.capacity()) return internal_error("an operator has no output ", i);
  if (at >= outputs_.size()) outputs_.resize(at + 1);  // an output the model does not name: dropped afterwards
  if (input >= 0 && input < input_count() && last_use_[static_cast<size_t>(input)] != nullptr) {
    Value& dying = *last_use_[static_cast<size_t>(input)];
    if (dying.is_tensor() && dying.tensor().dtype() == dtype && dying.tensor().shape() == shape &&
        dying.tensor().unique()) {
      // Shared with the input until the step ends and the slot is cleared; what a device has of it is old then.
      outputs_[at] = Value(dying.tensor());
      return &outputs_[at].tensor();
    }
  }
  OL_ASSIGN(Tensor t, Tensor::allocate(*pool_, dtype, shape, true));
  outputs_[at] = Value(std::move(t));
  return &outputs_[at].tensor();
}

Result<void*> OpContext::scratch(size_t bytes) {
  OL_ASSIGN(Tensor t, Tensor::workspace(*pool_, bytes));
  scratch_.push_back(std::move(t));
  return scratch_.back().mutable_raw();
}

// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit state, so a session's seed fixes every draw.
uint64_t OpContext::next_random() {
  uint64_t z = (*random_state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Result<int> normalize_axis(int64_t axis, int rank) {
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    return run_failed("axis ", axis, " is outside [", -rank, ", ", rank - 1, "], the axes of a tensor of rank ", rank);
  }
  return static_cast<int>(at);
}

Result<std::vector<int>> normalize_axes(std::span<const int64_t> axes, int rank) {
  std::vector<int> out;
  for (int64_t axis : axes) {
    OL_ASSIGN(const int at, normalize_axis(axis, rank));
    out.push_back(at);
  }
  for (size_t i = 1; i < out.size(); ++i) {  // they are few
    for (size_t j = i; j > 0 && out[j] < out[j - 1]; --j) std::swap(out[j], out[j - 1]);
  }
  const auto twice = std::adjacent_find(out.begin(), out.end());
  if (twice != out.end()) return run_failed("axis ", *twice, " is given twice");
  return out;
}

static bool is_real(DType t) { return t != DType::kString && t != DType::kComplex64 && t != DType::kComplex128; }

Result<std::vector<int64_t>> to_ints(const Tensor& t, const char* what) {
  if (t.rank() > 1) return run_failed(what, " must be a scalar or one-dimensional; its shape is ", t.shape());
  std::vector<int64_t> out(static_cast<size_t>(t.size()));
  if (!is_real(t.dtype())) return run_failed(what, " must hold numbers; it is a tensor(", t.dtype(), ")");
  cast_elements(t.dtype(), t.raw(), DType::kInt64, out.data(), t.size(), {});
  return out;
}

Result<int64_t> to_int(const Tensor& t, const char* what) {
  if (t.size() != 1) return run_failed(what, " must have exactly one element; its shape is ", t.shape());
  OL_ASSIGN(const std::vector<int64_t> v, to_ints(t.reshaped(Shape{1}), what));
  return v[0];
}

Result<double> to_double(const Tensor& t, const char* what) {
  if (t.size() != 1) return run_failed(what, " must have exactly one element; its shape is ", t.shape());
  double v = 0;
  if (!is_real(t.dtype())) return run_failed(what, " must be a number; it is a tensor(", t.dtype(), ")");
  to_double(t.dtype(), t.raw(), &v, 1);
  return v;
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out;
  if (!broadcast_shapes(a, b, &out)) {
    return run_failed("shapes ", a, " and ", b, " do not broadcast: a pair of dimensions differs and neither is 1");
  }
  return out;
}

}  // namespace onnxlet
