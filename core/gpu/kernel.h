// The contract of a GPU kernel: how it sees its inputs, makes its outputs and asks for shaders. Attributes are read as
// by operators (ops/op.h). Shaders are in web/shaders/; a kernel knows their names, constants, bindings and uniforms.
#pragma once

#include <string>
#include <vector>

#include "gpu/commands.h"
#include "kernels/window.h"
#include "ops/device.h"

namespace onnxlet::gpu {

// The text of a pipeline: `Shader("matmul").set("T", "f32").set("TILE", 4)`.
class Shader {
 public:
  explicit Shader(std::string_view name) : text_(name) {}
  Shader& set(std::string_view name, std::string_view value);
  Shader& set(std::string_view name, int64_t value);
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

// The words of a uniform buffer, laid out as WGSL lays out a struct of u32, f32 and array<vec4<u32>, n>.
class Uniforms {
 public:
  Uniforms& u(int64_t value);
  Uniforms& f(float value);
  Uniforms& dims(const Shape& values, int vectors);  // vectors * 4 values, beginning at a multiple of 16 bytes
  // Sizes of X and Y, kernel, strides, dilations and the pads before: each with a dimension of space in its last place.
  Uniforms& window(const Window& w);
  // What a batch of products counts through, and the strides of both operands.
  Uniforms& batches(const Shape& counts, const Shape& a, const Shape& b);
  std::span<const uint32_t> words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

// A tensor that is larger than a buffer can be: each has `units` of its units, the last perhaps fewer.
struct Parts {
  std::vector<DeviceBufferPtr> buffers;
  int64_t units = 0;
};

class Context {
 public:
  Context(const OpCall& call, Commands& commands, const DeviceOptions& options);

  int input_count() const { return static_cast<int>(call_.inputs.size()); }
  int output_count() const { return static_cast<int>(call_.wanted.size()); }
  bool has(int i) const { return i < input_count() && value(i).present(); }
  bool wants(int i) const { return i < output_count() && call_.wanted[static_cast<size_t>(i)]; }
  // Element type and shape; elements only where is_here(i).
  const Tensor& in(int i) const { return value(i).tensor(); }
  const Tensor* opt(int i) const { return has(i) ? &in(i) : nullptr; }
  bool is_here(int i) const { return value(i).is_here(); }
  // On the device; written there now if it is not.
  DeviceBufferPtr buffer(int i);
  // An input that the kernel splits, in units of `unit` bytes; one buffer where all of it fits.
  Result<Parts> parts(int i, uint64_t unit);

  // A fresh output of this type and shape. An empty one has no work to be done.
  Result<DeviceBufferPtr> out(int i, DType dtype, const Shape& shape);
  // Output i has the elements of input `input`, in another shape.
  void alias(int i, int input, const Shape& shape);
  // A table that a kernel has made.
  DeviceBufferPtr upload(Tensor table);
  Pool& pool() const { return *call_.pool; }
  // Memory between two dispatches.
  DeviceBufferPtr scratch(uint64_t bytes) { return commands_.allocate(bytes); }
  void dispatch(const Shader& shader, std::span<const DeviceBufferPtr> buffers, const Uniforms& uniforms,
                Groups groups);
  // For shaders that count invocations: one for each of n, 64 in a group.
  void dispatch(const Shader& shader, std::span<const DeviceBufferPtr> buffers, const Uniforms& uniforms, int64_t n);
  // What the profile is to tell, where that is not the first shader.
  void set_name(const Shader& shader) { name_ = shader.text(); }
  bool on_processor() const { return options_.on_processor; }
  bool packed_dots() const { return options_.packed_dots; }
  uint64_t max_buffer() const { return options_.max_buffer; }
  Commands& commands() { return commands_; }

 private:
  friend class Gpu;
  const Value& value(int i) const { return *call_.inputs[static_cast<size_t>(i)]; }
  const OpCall& call_;
  Commands& commands_;
  const DeviceOptions& options_;
  std::vector<Value> outputs_;
  std::string name_;  // for the profile
};

// What run() answers instead of an error when the CPU has to do it: a type or a form that has no shader.
enum class Answer { kDone, kDeclined };

class Kernel : public DeviceKernel {
 public:
  Status init(Attrs&) { return {}; }  // of those without attributes
  virtual Result<Answer> run(Context& ctx) const = 0;
  virtual bool takes_empty() const { return false; }  // inputs without elements: caches at first
  virtual bool splits(int) const { return false; }    // takes this input in parts where it is larger than a buffer
};
using KernelPtr = std::unique_ptr<Kernel>;

template <class T>
Result<KernelPtr> make(Attrs& attrs) {
  auto kernel = std::make_unique<T>();
  OL_TRY(kernel->init(attrs));
  return KernelPtr(std::move(kernel));
}

struct Row {
  std::string_view domain, name;
  int since;  // serves nodes from this version of the operator on
  Result<KernelPtr> (*make)(Attrs& attrs);
};
using Table = std::span<const Row>;

// By the shaders they use.
Table map_rows();  // element by element
Table matmul_rows();
Table einsum_rows();
Table conv_rows();
Table conv_transpose_rows();
Table resize_rows();
Table grid_rows();
Table nbits_rows();
Table attention_rows();
Table attention_contrib_rows();
Table rotary_rows();
Table pool_rows();
Table row_rows();   // along an axis: sums, softmax
Table norm_rows();  // normalizations
Table move_rows();  // elements change place only
Table index_rows();
Table order_rows();
Table quantize_rows();
Table int_product_rows();
Table recurrent_rows();

inline constexpr int kMostSpace = 3;           // dimensions of space that shaders count through
inline constexpr int kMostBatchDims = 4;       // of products
inline constexpr int64_t kMostGroups = 65535;  // of one dimension: maxComputeWorkgroupsPerDimension's default

// Work groups that are counted through x, then y.
Groups groups_for(int64_t n);

// Leading axes of this size until there are `rank`.
Shape with_leading(const Shape& s, int rank, int64_t size);

bool has_shape(const Tensor& t, std::initializer_list<int64_t> dims);

// "f32" of DType::kFloat; "" where shaders have no such type.
std::string_view wgsl_type(DType dtype);

// Invocations of a shader that includes each.wgsl: one for every element, or every word of elements that share one.
int64_t invocations_for(DType dtype, int64_t count);

}  // namespace onnxlet::gpu
