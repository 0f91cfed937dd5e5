#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace onnxlet {

// Dimensions of a tensor, outermost first. Rank 0 is a scalar with one element.
// Beside an axis of length 0 the others may multiply beyond 64 bits.
inline int64_t wrapping_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

class Shape {
 public:
  static constexpr int kMaxRank = 12;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) : rank_(static_cast<int8_t>(dims.size())) {
    std::copy(dims.begin(), dims.end(), dims_.begin());
  }
  static Shape filled(int rank, int64_t value) {
    Shape s;
    s.rank_ = static_cast<int8_t>(rank);
    std::fill_n(s.dims_.begin(), rank, value);
    return s;
  }

  int rank() const { return rank_; }
  int64_t operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  int64_t& operator[](int i) { return dims_[static_cast<size_t>(i)]; }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  int64_t back() const { return dims_[static_cast<size_t>(rank_ - 1)]; }
  void push_back(int64_t d) { dims_[static_cast<size_t>(rank_++)] = d; }  // rank() < kMaxRank
  void insert(int at, int64_t d);
  void erase(int at);

  int64_t size() const { return product(0, rank_); }  // element count; checked when a tensor is allocated
  int64_t product(int from, int to) const {
    int64_t n = 1;
    for (int i = from; i < to; ++i) n = wrapping_product(n, dims_[static_cast<size_t>(i)]);
    return n;
  }
  // Row-major strides in elements.
  Shape strides() const;

  bool operator==(const Shape& other) const {
    return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
  }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int8_t rank_ = 0;
};

// [outer, n, inner]: a tensor seen from one axis, so that kernels need no rank of their own.
struct Rows {
  int64_t outer, n, inner;
};
inline Rows split_at(const Shape& s, int axis) {
  return {s.product(0, axis), axis < s.rank() ? s[axis] : 1, s.product(std::min(axis + 1, s.rank()), s.rank())};
}

// Multidirectional (numpy) broadcasting. False when a pair of dimensions differs and neither is 1.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out);

// Strides in elements of `s` read as if it had shape `out`: 0 along broadcast axes.
Shape broadcast_strides(const Shape& s, const Shape& out);

// Merges neighbouring axes that every stride set walks contiguously, and drops axes of length 1, in place.
// All entries of `strides` have the rank of `dims`. Rank-generic loops become one or two real loops.
void collapse_dims(Shape* dims, std::span<Shape> strides);

// Walks an index space; `offsets[k]` follows strides[k]. The last axis is left to the caller's inner loop:
// `for (StridedIterator it(dims, strides); !it.done(); it.next()) inner(it.offset(0), it.offset(1))`.
class StridedIterator {
 public:
  StridedIterator(const Shape& dims, std::span<const Shape> strides, int64_t start_row = 0);
  bool done() const { return row_ >= rows_; }
  void next();
  int64_t offset(int k) const { return offsets_[static_cast<size_t>(k)]; }
  int64_t rows() const { return rows_; }    // how many times the body runs
  int64_t inner() const { return inner_; }  // length of the last axis (1 for scalars)
  int64_t inner_stride(int k) const { return inner_strides_[static_cast<size_t>(k)]; }

 private:
  static constexpr int kMaxOperands = 4;
  Shape dims_;
  int operands_;
  std::array<Shape, kMaxOperands> strides_;
  std::array<int64_t, Shape::kMaxRank> index_{};
  std::array<int64_t, kMaxOperands> offsets_{};
  std::array<int64_t, kMaxOperands> inner_strides_{};
  int64_t row_ = 0, rows_ = 1, inner_ = 1;
};

}  // namespace onnxlet
