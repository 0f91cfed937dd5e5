#include "onnx/model.h"

#include <cstring>

#include "base/text.h"
#include "base/trim.h"
#include "onnx/wire.h"

namespace onnxlet {

const Attribute* Node::find(std::string_view attribute) const {
  for (const Attribute& a : attributes) {
    if (a.name == attribute) return &a;
  }
  return nullptr;
}

int Model::opset_of(std::string_view wanted) const {
  for (const auto& [domain_name, version] : opset_imports) {
    if (domain_name == wanted) return static_cast<int>(version);
  }
  return 0;
}

std::string TypeSpec::to_string() const {
  const std::string inner = elem ? elem->to_string() : "?";
  switch (kind) {
    case Kind::kUnknown:
      return "unknown";
    case Kind::kTensor:
      return text("tensor(", dtype, ")");
    case Kind::kSparseTensor:
      return text("sparse_tensor(", dtype, ")");
    case Kind::kSequence:
      return text("seq(", inner, ")");
    case Kind::kMap:
      return text("map(", dtype, ",", inner, ")");
    case Kind::kOptional:
      return text("optional(", inner, ")");
    case Kind::kOpaque:
      return "opaque";
  }
  return "unknown";
}

namespace {

Status wrong_size(const TensorRef& ref, uint64_t needed, uint64_t found) {
  return invalid_graph("tensor '", ref.name, "' of type ", ref.dtype, " and shape ", ref.shape, " needs ", needed,
                       " bytes; the file holds ", found);
}

// Bytes in the file as a tensor.
Result<Tensor> in_place(const TensorRef& ref, std::string_view bytes, Pool& pool) {
  Tensor borrowed = Tensor::borrow(bytes.data(), ref.dtype, ref.shape);
  if (borrowed.bytes() != bytes.size()) return wrong_size(ref, borrowed.bytes(), bytes.size());
  return can_lie_at(bytes.data(), ref.dtype) ? borrowed : borrowed.copy(pool);
}

Result<Tensor> strings_from(const TensorRef& ref, uint64_t count, Pool& pool) {
  if (ref.strings.size() != count) {
    return invalid_graph("tensor '", ref.name, "' of shape ", ref.shape, " needs ", count, " strings; the file holds ",
                         ref.strings.size());
  }
  OL_ASSIGN(Tensor t, Tensor::allocate(pool, DType::kString, ref.shape));
  for (uint64_t i = 0; i < count; ++i) t.mutable_data<std::string>()[i] = ref.strings[i];
  return t;
}

// int32_data, int64_data and uint64_data: one scalar per element, or per byte of packed sub-byte elements.
Result<Tensor> scalars_from(const TensorRef& ref, uint64_t count, Pool& pool) {
  const bool six_bits = dtype_bits(ref.dtype) == 6;  // one element per entry (onnx.proto, int32_data)
  OL_ASSIGN(Tensor t, Tensor::allocate(pool, ref.dtype, ref.shape, six_bits));
  const size_t width = is_sub_byte(ref.dtype) ? 1 : element_size(ref.dtype);
  const uint64_t entries = six_bits ? count : t.bytes() / width;
  auto* out = t.mutable_data<char>();
  uint64_t n = 0;
  const auto put = [&](uint64_t v) {
    if (n < entries) std::memcpy(out + n * width, &v, width);
    ++n;
  };
  for (uint64_t v : ref.loose) put(v);
  wire::Reader reader(ref.packed, ref.packed.data());
  while (!reader.done()) {
    OL_ASSIGN(const uint64_t v, reader.varint());
    put(v);
  }
  if (n != entries) return wrong_size(ref, entries * width, n * width);
  return trim::keeps_sub_byte() ? t.pack(pool) : t;
}

Result<Tensor> as_written(const TensorRef& ref, Pool& pool) {
  if (trim::kTrimmed) OL_TRY(check_kept(ref.dtype));
  Result<uint64_t> size = checked_size(ref.shape);
  if (!size.ok()) return invalid_graph("tensor '", ref.name, "': ", size.status().message());
  const uint64_t count = size.value();
  if (trim::keeps_type(DType::kString) && ref.dtype == DType::kString) return strings_from(ref, count, pool);
  if (ref.external && ref.raw.data() == nullptr) {
    return invalid_argument("external data file '", ref.external_file, "' of tensor '", ref.name, "' was not provided");
  }
  if (ref.external || !ref.raw.empty()) return in_place(ref, ref.raw, pool);
  const bool fixed_width = ref.packed_field == 4 || ref.packed_field == 10;
  if (fixed_width && ref.loose.empty()) return in_place(ref, ref.packed, pool);
  if (fixed_width) {
    const size_t width = ref.packed_field == 4 ? 4 : 8;
    OL_ASSIGN(Tensor t, Tensor::allocate(pool, ref.dtype, ref.shape));
    if (t.bytes() != ref.loose.size() * width) return wrong_size(ref, t.bytes(), ref.loose.size() * width);
    for (size_t i = 0; i < ref.loose.size(); ++i) std::memcpy(t.mutable_data<char>() + i * width, &ref.loose[i], width);
    return t;
  }
  return scalars_from(ref, count, pool);
}

}  // namespace

Result<Tensor> tensor_from(const TensorRef& ref, Pool& pool) {
  OL_ASSIGN(Tensor t, as_written(ref, pool));
  return with_valid_bools(std::move(t), pool);
}

}  // namespace onnxlet
