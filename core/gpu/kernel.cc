#include "gpu/kernel.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kGroupSize = 64;

// In the place of the one buffer that a tensor has otherwise; only kernels that ask for parts meet it.
class Split : public DeviceBuffer {
 public:
  Split(Parts parts, uint64_t unit) : parts_(std::move(parts)), unit_(unit) {}
  uint32_t id() const override { return parts_.buffers.front()->id(); }
  const Parts& parts() const { return parts_; }
  uint64_t unit() const { return unit_; }

 private:
  Parts parts_;
  uint64_t unit_;
};

}  // namespace

Shader& Shader::set(std::string_view name, std::string_view value) {
  append(text_, onnxlet::text(" ", name, "=", value));
  return *this;
}
Shader& Shader::set(std::string_view name, int64_t value) {
  append(text_, onnxlet::text(" ", name, "=", value));
  return *this;
}

Uniforms& Uniforms::u(int64_t value) {
  words_.push_back(static_cast<uint32_t>(value));
  return *this;
}
Uniforms& Uniforms::f(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  words_.push_back(bits);
  return *this;
}
Uniforms& Uniforms::dims(const Shape& values, int vectors) {
  words_.resize((words_.size() + 3) / 4 * 4);
  for (int i = 0; i < 4 * vectors; ++i) u(i < values.rank() ? values[i] : 0);
  return *this;
}

Uniforms& Uniforms::window(const Window& w) {
  for (const Shape* sizes : {&w.in, &w.out, &w.kernel, &w.stride, &w.dilation}) {
    dims(with_leading(*sizes, kMostSpace, 1), 1);
  }
  return dims(with_leading(w.pad, kMostSpace, 0), 1);
}
Uniforms& Uniforms::batches(const Shape& counts, const Shape& a, const Shape& b) {
  dims(with_leading(counts, kMostBatchDims, 1), 1);
  return dims(with_leading(a, kMostBatchDims, 0), 1).dims(with_leading(b, kMostBatchDims, 0), 1);
}

Context::Context(const OpCall& call, Commands& commands, const DeviceOptions& options)
    : call_(call), commands_(commands), options_(options), outputs_(call.wanted.size()) {}

DeviceBufferPtr Context::buffer(int i) {
  const Value& v = value(i);
  if (v.device() == nullptr) {
    DeviceBufferPtr made = commands_.allocate(v.tensor().bytes());
    commands_.write(*made, v.tensor());
    v.add_device(std::move(made));
  }
  return v.device();
}

Result<Parts> Context::parts(int i, uint64_t unit) {
  const Value& v = value(i);
  const uint64_t bytes = v.tensor().bytes(), most = options_.max_buffer;
  if (bytes <= most) return Parts{{buffer(i)}, static_cast<int64_t>(bytes / unit)};
  if (unit > most) {
    return not_implemented("an input has ", bytes, " bytes in parts of at least ", unit,
                           "; the device's largest buffer has ", most);
  }
  const auto* known = static_cast<const Split*>(v.device().get());  // nothing else has so many bytes
  if (known != nullptr && known->unit() == unit) return Parts(known->parts());
  Parts made;
  made.units = static_cast<int64_t>(most / unit);
  const uint64_t step = static_cast<uint64_t>(made.units) * unit;
  for (uint64_t at = 0; at < bytes; at += step) {
    const uint64_t size = std::min(step, bytes - at);
    made.buffers.push_back(commands_.allocate(size));
    commands_.write(*made.buffers.back(), v.tensor(), at, size);
  }
  v.add_device(std::make_shared<Split>(made, unit));
  return made;
}

DeviceBufferPtr Context::upload(Tensor table) {
  DeviceBufferPtr made = commands_.allocate(table.bytes());
  commands_.write(*made, std::move(table));
  return made;
}

Result<DeviceBufferPtr> Context::out(int i, DType dtype, const Shape& shape) {
  OL_ASSIGN(const uint64_t count, checked_size(shape));
  const uint64_t bytes = count * element_size(dtype);
  if (bytes > options_.max_buffer) {
    return not_implemented("an output of ", bytes, " bytes; the device's largest buffer has ", options_.max_buffer);
  }
  DeviceBufferPtr buffer = commands_.allocate(bytes);
  if (wants(i)) outputs_[static_cast<size_t>(i)] = Value::on_device(dtype, shape, buffer);
  return buffer;
}

void Context::alias(int i, int input, const Shape& shape) {
  if (wants(i)) outputs_[static_cast<size_t>(i)] = Value::on_device(in(input).dtype(), shape, buffer(input));
}

void Context::dispatch(const Shader& shader, std::span<const DeviceBufferPtr> buffers, const Uniforms& uniforms,
                       Groups groups) {
  if (name_.empty()) name_ = shader.text();
  commands_.dispatch(shader.text(), buffers, uniforms.words(), groups);
}

void Context::dispatch(const Shader& shader, std::span<const DeviceBufferPtr> buffers, const Uniforms& uniforms,
                       int64_t n) {
  if (n > 0) dispatch(shader, buffers, uniforms, groups_for((n + kGroupSize - 1) / kGroupSize));
}

Groups groups_for(int64_t n) {
  const int64_t y = (n + kMostGroups - 1) / kMostGroups;
  return Groups{static_cast<uint32_t>((n + y - 1) / y), static_cast<uint32_t>(y), 1};
}

Shape with_leading(const Shape& s, int rank, int64_t size) {
  Shape out = s;
  while (out.rank() < rank) out.insert(0, size);
  return out;
}

bool has_shape(const Tensor& t, std::initializer_list<int64_t> dims) {
  return std::equal(dims.begin(), dims.end(), t.shape().begin(), t.shape().end());
}

std::string_view wgsl_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return "f32";
    case DType::kInt32:
      return "i32";
    case DType::kUint32:
      return "u32";
    case DType::kInt64:
      return "i64";
    case DType::kUint64:
      return "u64";
    case DType::kBool:
      return "bool";
    case DType::kUint8:
      return "u8";
    case DType::kInt8:
      return "i8";
    case DType::kUint16:
      return "u16";
    case DType::kInt16:
      return "i16";
    case DType::kFloat16:
      return "half";
    case DType::kUint4:
      return "u4";
    case DType::kInt4:
      return "i4";
    default:
      return {};
  }
}

int64_t invocations_for(DType dtype, int64_t count) {
  const int64_t to_a_word = std::max<int64_t>(1, 32 / dtype_bits(dtype));
  return (count + to_a_word - 1) / to_a_word;
}

}  // namespace onnxlet::gpu
