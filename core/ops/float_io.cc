#include "ops/float_io.h"

#include <cstring>

#include "base/parallel.h"
#include "base/visit.h"

namespace onnxlet {

void widen(const void* data, DType dtype, int64_t n, float* out) {
  if (dtype == DType::kFloat) {
    std::memcpy(out, data, static_cast<size_t>(n) * sizeof(float));
    return;
  }
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    (void)visit<Halves>(dtype, [&]<class T>() -> Status {
      for (int64_t i = begin; i < end; ++i) out[i] = static_cast<float>(static_cast<const T*>(data)[i]);
      return {};
    });
  });
}

void narrow(const float* data, int64_t n, DType dtype, void* out) {
  if (dtype == DType::kFloat) {
    std::memcpy(out, data, static_cast<size_t>(n) * sizeof(float));
    return;
  }
  parallel_for(n, 16384, [&](int64_t begin, int64_t end) {
    (void)visit<Halves>(dtype, [&]<class T>() -> Status {
      for (int64_t i = begin; i < end; ++i) static_cast<T*>(out)[i] = T(data[i]);
      return {};
    });
  });
}

Result<const float*> float_input(OpContext& ctx, const Tensor& t) {
  if (t.dtype() == DType::kFloat) return t.data<float>();
  if (!is_half(t.dtype())) return not_implemented("element type ", t.dtype(), " is not supported here");
  OL_ASSIGN(float* p, ctx.scratch_of<float>(t.size()));
  widen(t.raw(), t.dtype(), t.size(), p);
  return static_cast<const float*>(p);
}

Result<FloatOutput> FloatOutput::make(OpContext& ctx, int i, DType dtype, const Shape& shape) {
  FloatOutput out;
  OL_ASSIGN(out.tensor_, ctx.out(i, dtype, shape));
  if (dtype == DType::kFloat) {
    out.data_ = out.tensor_->mutable_data<float>();
  } else {
    OL_ASSIGN(out.data_, ctx.scratch_of<float>(out.tensor_->size()));
  }
  return out;
}

void FloatOutput::finish() {
  if (tensor_->dtype() != DType::kFloat) narrow(data_, tensor_->size(), tensor_->dtype(), tensor_->mutable_raw());
}

Result<Tensor> widened_constant(const Tensor& t, Pool& pool) {
  if (t.dtype() == DType::kFloat) return t;
  OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kFloat, t.shape()));
  widen(t.raw(), t.dtype(), t.size(), out.mutable_data<float>());
  return out;
}

}  // namespace onnxlet
