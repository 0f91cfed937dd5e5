#include "base/shape.h"

namespace onnxlet {

void Shape::insert(int at, int64_t d) {
  std::copy_backward(dims_.begin() + at, dims_.begin() + rank_, dims_.begin() + rank_ + 1);
  dims_[static_cast<size_t>(at)] = d;
  ++rank_;
}

void Shape::erase(int at) {
  std::copy(dims_.begin() + at + 1, dims_.begin() + rank_, dims_.begin() + at);
  --rank_;
}

Shape Shape::strides() const {
  Shape s = filled(rank_, 1);
  for (int i = rank_ - 2; i >= 0; --i) s[i] = wrapping_product(s[i + 1], dims_[static_cast<size_t>(i + 1)]);
  return s;
}

bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out) {
  const int rank = std::max(a.rank(), b.rank());
  *out = Shape::filled(rank, 1);
  for (int i = 1; i <= rank; ++i) {
    const int64_t x = i <= a.rank() ? a[a.rank() - i] : 1;
    const int64_t y = i <= b.rank() ? b[b.rank() - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    (*out)[rank - i] = x == 1 ? y : x;
  }
  return true;
}

Shape broadcast_strides(const Shape& s, const Shape& out) {
  Shape strides = Shape::filled(out.rank(), 0);
  const int lead = out.rank() - s.rank();
  int64_t step = 1;
  for (int i = s.rank() - 1; i >= 0; --i) {
    strides[lead + i] = s[i] == 1 ? 0 : step;
    step = wrapping_product(step, s[i]);
  }
  return strides;
}

void collapse_dims(Shape* dims, std::span<Shape> strides) {
  int kept = 0;  // axes [0, kept) are the result so far
  for (int i = 0; i < dims->rank(); ++i) {
    if ((*dims)[i] == 1) continue;
    bool merge = kept > 0;
    for (const Shape& s : strides) merge = merge && s[kept - 1] == wrapping_product(s[i], (*dims)[i]);
    if (merge) {
      (*dims)[kept - 1] = wrapping_product((*dims)[kept - 1], (*dims)[i]);
      for (Shape& s : strides) s[kept - 1] = s[i];
    } else {
      (*dims)[kept] = (*dims)[i];
      for (Shape& s : strides) s[kept] = s[i];
      ++kept;
    }
  }
  *dims = Shape(std::span(dims->begin(), static_cast<size_t>(kept)));
  for (Shape& s : strides) s = Shape(std::span(s.begin(), static_cast<size_t>(kept)));
}

StridedIterator::StridedIterator(const Shape& dims, std::span<const Shape> strides, int64_t start_row)
    : dims_(dims), operands_(static_cast<int>(strides.size())) {
  const int last = dims.rank() - 1;
  inner_ = last >= 0 ? dims[last] : 1;
  rows_ = last > 0 ? dims.product(0, last) : 1;
  if (inner_ == 0) rows_ = 0;
  for (int k = 0; k < operands_; ++k) {
    const auto at = static_cast<size_t>(k);
    strides_[at] = strides[at];
    inner_strides_[at] = last >= 0 ? strides[at][last] : 0;
  }
  row_ = start_row;
  for (int axis = last - 1; axis >= 0 && start_row > 0; --axis) {
    const int64_t i = start_row % dims[axis];
    start_row /= dims[axis];
    index_[static_cast<size_t>(axis)] = i;
    for (int k = 0; k < operands_; ++k) offsets_[static_cast<size_t>(k)] += i * strides_[static_cast<size_t>(k)][axis];
  }
}

void StridedIterator::next() {
  ++row_;
  for (int axis = dims_.rank() - 2; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (++index_[a] < dims_[axis]) {
      for (int k = 0; k < operands_; ++k) offsets_[static_cast<size_t>(k)] += strides_[static_cast<size_t>(k)][axis];
      return;
    }
    index_[a] = 0;
    for (int k = 0; k < operands_; ++k) {
      offsets_[static_cast<size_t>(k)] -= strides_[static_cast<size_t>(k)][axis] * (dims_[axis] - 1);
    }
  }
}

}  // namespace onnxlet
