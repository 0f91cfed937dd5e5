#include "runtime/stack.h"

#include "base/visit.h"
#include "ops/op.h"

namespace onnxlet {

Result<Tensor> stack(std::span<const Tensor> items, int64_t axis, const TypeSpec* declared, Pool& pool) {
  if (items.empty()) {
    if (declared == nullptr || declared->dtype == DType::kUndefined) {
      return run_failed("an output that collects no values needs a declared element type");
    }
    Shape shape{0};
    for (int64_t d : declared->dims) {
      if (shape.rank() < Shape::kMaxRank) shape.push_back(d < 0 ? 0 : d);
    }
    return Tensor::allocate(pool, declared->dtype, shape);
  }
  const Tensor& first = items[0];
  for (const Tensor& t : items) {
    if (t.shape() != first.shape() || t.dtype() != first.dtype()) {
      return run_failed("values collected over iterations must agree: ", first.dtype(), first.shape(), " and ",
                        t.dtype(), t.shape());
    }
  }
  if (first.rank() == Shape::kMaxRank) return not_implemented("more than ", Shape::kMaxRank, " dimensions");
  OL_ASSIGN(const int at, normalize_axis(axis, first.rank() + 1));
  Shape shape = first.shape();
  shape.insert(at, static_cast<int64_t>(items.size()));
  if (is_sub_byte(first.dtype()) && !first.unpacked()) {
    std::vector<Tensor> wide;
    for (const Tensor& t : items) {
      OL_ASSIGN(Tensor each, t.unpack(pool));
      wide.push_back(std::move(each));
    }
    OL_ASSIGN(const Tensor stacked, stack(wide, axis, declared, pool));
    return stacked.pack(pool);
  }
  OL_ASSIGN(Tensor out, Tensor::allocate(pool, first.dtype(), shape, true));
  const int64_t outer = first.shape().product(0, at);
  const int64_t inner = first.shape().product(at, first.rank());
  const auto count = static_cast<int64_t>(items.size());
  visit_size(first.dtype(), [&]<class T>() {
    for (int64_t k = 0; k < count; ++k) {
      const T* from = items[static_cast<size_t>(k)].data<T>();
      for (int64_t o = 0; o < outer; ++o)
        std::copy_n(from + o * inner, inner, out.mutable_data<T>() + (o * count + k) * inner);
    }
  });
  return out;
}

Status collect(const Value& value, size_t output, std::vector<Tensor>* items) {
  constexpr size_t kMost = size_t{1} << 24;
  if (!value.is_tensor()) {
    return run_failed("scan output ", output, " must be made of tensors; one is a ", kind_name(value.kind()));
  }
  if (items->size() == kMost) return run_failed("scan output ", output, " has more than ", kMost, " parts");
  items->push_back(value.tensor());
  return {};
}

Result<Tensor> slice_of(const Tensor& t, int axis, int64_t index, Pool& pool) {
  const Rows rows = split_at(t.shape(), axis);
  Shape shape = t.shape();
  shape.erase(axis);
  if (is_sub_byte(t.dtype()) && !t.unpacked()) {
    OL_ASSIGN(const Tensor wide, t.unpack(pool));
    OL_ASSIGN(const Tensor slice, slice_of(wide, axis, index, pool));
    return slice.pack(pool);
  }
  OL_ASSIGN(Tensor out, Tensor::allocate(pool, t.dtype(), shape, true));
  visit_size(t.dtype(), [&]<class T>() {
    const T* from = t.data<T>();
    for (int64_t o = 0; o < rows.outer; ++o) {
      std::copy_n(from + (o * rows.n + index) * rows.inner, rows.inner, out.mutable_data<T>() + o * rows.inner);
    }
  });
  return out;
}

}  // namespace onnxlet
