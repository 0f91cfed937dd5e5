// Sparse tensors are made dense as soon as they are read: no kernel knows them.
#include <cstring>

#include "base/text.h"
#include "onnx/model.h"

namespace onnxlet {

Result<Tensor> densify(const SparseTensorRef& ref, Pool& pool) {
  OL_ASSIGN(const Tensor values, tensor_from(ref.values, pool));
  OL_ASSIGN(const Tensor indices, tensor_from(ref.indices, pool));
  if (values.dtype() == DType::kString || is_sub_byte(values.dtype())) {
    return not_implemented("sparse tensors of ", values.dtype(), " are not supported");
  }
  OL_ASSIGN(Tensor dense, Tensor::allocate(pool, values.dtype(), ref.dims));
  const size_t width = element_size(values.dtype());
  std::memset(dense.mutable_raw(), 0, static_cast<size_t>(dense.bytes()));
  const int64_t count = values.size();
  const bool linear = indices.rank() < 2;
  const int per_value = linear ? 1 : static_cast<int>(indices.dim(1));
  if (indices.dtype() != DType::kInt64 || indices.size() != count * per_value ||
      (!linear && per_value != ref.dims.rank())) {
    return invalid_graph("sparse tensor '", ref.values.name, "': indices of shape ", indices.shape(), " do not fit ",
                         count, " values in ", ref.dims);
  }
  const Shape strides = ref.dims.strides();
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (int d = 0; d < per_value; ++d) {
      const int64_t index = indices.data<int64_t>()[i * per_value + d];
      if (index < 0 || index >= (linear ? dense.size() : ref.dims[d])) {
        return invalid_graph("sparse tensor '", ref.values.name, "': index ", index, " is outside ", ref.dims);
      }
      at += index * (linear ? 1 : strides[d]);
    }
    std::memcpy(dense.mutable_data<char>() + static_cast<size_t>(at) * width,
                values.data<char>() + static_cast<size_t>(i) * width, width);
  }
  return dense;
}

}  // namespace onnxlet
