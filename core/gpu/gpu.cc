// The device of builds with WebGPU: which node has a kernel, and whether a call is worth sending there.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "gpu/kernel.h"
#include "gpu/placement.h"

namespace onnxlet {
namespace gpu {
namespace {

const auto& tables() {
  static const auto* const all = new std::array{map_rows(),
                                                matmul_rows(),
                                                nbits_rows(),
                                                conv_rows(),
                                                conv_transpose_rows(),
                                                pool_rows(),
                                                resize_rows(),
                                                row_rows(),
                                                norm_rows(),
                                                move_rows(),
                                                index_rows(),
                                                order_rows(),
                                                attention_rows(),
                                                attention_contrib_rows(),
                                                rotary_rows(),
                                                quantize_rows(),
                                                int_product_rows(),
                                                einsum_rows(),
                                                recurrent_rows(),
                                                grid_rows()};
  return *all;
}

const Row* find(const IrNode& node) {
  const Row* best = nullptr;
  for (const Table table : tables()) {
    for (const Row& row : table) {
      if (row.name == node.op_type && row.domain == node.domain && row.since <= node.since_version() &&
          (best == nullptr || row.since > best->since)) {
        best = &row;
      }
    }
  }
  return best;
}

}  // namespace

class Gpu : public Device {
 public:
  explicit Gpu(const DeviceOptions& options) : options_(options) {}

  Result<DeviceKernelPtr> kernel(const IrNode& node, std::span<const Tensor> constants, Pool& pool) override {
    const Row* row = find(node);
    if (row == nullptr || node.channels_last) return DeviceKernelPtr();
    Attrs attrs(node, node.since_version(), node.schema->attributes, pool);
    OL_ASSIGN(KernelPtr made, row->make(attrs));
    for (size_t i = 0; i < constants.size(); ++i) {
      const Tensor& t = constants[i];
      const bool fits = t.bytes() <= options_.max_buffer || made->splits(static_cast<int>(i));
      if (t.valid() && fits && weights_.insert(t.raw()).second) weight_bytes_ += t.bytes();
    }
    return DeviceKernelPtr(std::move(made));
  }

  Status check_weights() const override {
    if (options_.max_bytes == 0 || weight_bytes_ <= options_.max_bytes) return {};
    return Status(Code::kOutOfMemory, text("the weights that WebGPU works with have ", weight_bytes_,
                                           " bytes, and maxBytes allows it ", options_.max_bytes,
                                           "; allow more, make the weights smaller (onnxlet pack), or leave the model "
                                           "to the CPU (executionProviders: ['wasm'])"));
  }

  Result<bool> run(const IrNode& node, const DeviceKernel* kernel, const OpCall& call, std::vector<Value>* outputs,
                   std::string* name) override {
    const auto* work = static_cast<const Kernel*>(kernel);
    std::string reason = kernel != nullptr ? refusal(call, *work) : no_kernel(node);
    if (reason.empty()) {
      Context ctx(call, *commands_, options_);
      Result<Answer> answer = work->run(ctx);
      if (!answer.ok()) {
        if (answer.status().code() != Code::kNotImplemented) return answer.status();
        reason = answer.status().message();  // such as a size that the device does not hold
      } else if (answer.value() == Answer::kDone) {
        *outputs = std::move(ctx.outputs_);
        *name = "webgpu " + ctx.name_;
      } else {
        reason = "the kernel has no shader for these types, shapes or attributes";
        for (const Value* v : call.inputs) {
          if (v->present() && wgsl_type(v->tensor().dtype()).empty())
            reason = text("shaders have no ", v->tensor().dtype());
        }
      }
    }
    const bool taken = reason.empty();
    placement_.note(node, std::move(reason));
    return taken;
  }

  Status fetch(Value* value, Pool& pool) override {
    OL_ASSIGN(Tensor here, Tensor::allocate(pool, value->tensor().dtype(), value->tensor().shape()));
    commands_->read(*value->device(), here);
    value->bring(std::move(here));
    return {};
  }

  DeviceBufferPtr adopt(uint32_t id) override { return commands_->adopt(id); }

  Status keep(Value* value) override {
    const Tensor& t = value->tensor();
    DeviceBufferPtr buffer = value->device();
    const bool own = buffer != nullptr && buffer->id() < kFirstForeign && !value->is_here();
    if (t.bytes() > options_.max_buffer) return {};  // it has come from the CPU, and stays there
    if (!own) {
      const DeviceBufferPtr from = std::exchange(buffer, commands_->allocate(t.bytes()));
      if (!value->is_here()) {
        commands_->copy(*from, 0, *buffer, 0, (t.bytes() + 3) / 4 * 4);
      } else if (t.bytes() > 0) {
        commands_->write(*buffer, t);
      }
    }
    *value = Value::on_device(t.dtype(), Shape(t.shape()), std::move(buffer));
    return {};
  }

  std::string placement() const override { return placement_.to_json(); }
  std::span<const uint32_t> commands() const override { return commands_->words(); }
  void done() override { commands_->done(); }

 private:
  // Why a call is not for the device; "" where it is. Inputs that only the device has stay there. What is here goes
  // there if it is of some size; shapes and other whole numbers are worked on here, unless everything is to go there.
  std::string refusal(const OpCall& call, const Kernel& kernel) const {
    uint64_t bytes = 0;
    bool there = false, numbers = false;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const Value* v = call.inputs[i];
      if (!v->present()) continue;
      if (!v->is_tensor()) return text("an input is a ", kind_name(v->kind()));
      const Tensor& t = v->tensor();
      if (t.dtype() == DType::kString) return "an input is a tensor of strings";
      if (t.size() == 0 && !kernel.takes_empty()) return "an input has no elements";
      if (t.size() > INT32_MAX) return text("an input has ", t.size(), " elements; shaders count to ", INT32_MAX);
      if (t.bytes() > options_.max_buffer && !kernel.splits(static_cast<int>(i))) {
        return text("an input has ", t.bytes(), " bytes; the device's largest buffer has ", options_.max_buffer);
      }
      there = there || !v->is_here();
      numbers = numbers || is_float(t.dtype());
      bytes += t.bytes();
    }
    if (there || options_.min_bytes == 0) return {};
    if (!numbers) return "the inputs are on the CPU and are whole numbers";
    if (bytes >= options_.min_bytes) return {};
    return text("the inputs are on the CPU and have ", bytes, " bytes; minBytes is ", options_.min_bytes);
  }

  static std::string no_kernel(const IrNode& node) {
    if (node.custom) return "the host runs this operator";
    if (node.row != nullptr && (node.row->flags & kShapeOnly) != 0) return "only the shape changes";
    if (const std::string_view why = why_on_cpu(node); !why.empty()) return std::string(why);
    return find(node) != nullptr ? "the kernel does not take channels innermost"
                                 : "WebGPU has no kernel for this operator";
  }

  DeviceOptions options_;
  std::shared_ptr<Commands> commands_{std::make_shared<Commands>()};
  Placement placement_;
  std::set<const void*> weights_;  // of nodes with a kernel; what is shared counts once
  uint64_t weight_bytes_ = 0;
};

}  // namespace gpu

std::unique_ptr<Device> make_device(const DeviceOptions& options) { return std::make_unique<gpu::Gpu>(options); }

}  // namespace onnxlet
