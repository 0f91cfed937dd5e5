// What runs nodes elsewhere than on the CPU. The interpreter knows this interface only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/run.h"

namespace onnxlet {

class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
};
using DeviceKernelPtr = std::unique_ptr<DeviceKernel>;

struct DeviceOptions {
  bool on = false;
  uint64_t min_bytes = 0;           // inputs that are smaller in sum, and here, are worked on here; 0: none
  uint64_t max_buffer = 256 << 20;  // the largest tensor that the device takes, in bytes
  uint64_t max_bytes = 0;           // of weights that the device has; 0: no limit
  bool on_processor = false;        // a processor plays the device
  bool packed_dots = false;         // shaders may use dot4I8Packed()
};

class Device {
 public:
  virtual ~Device() = default;
  // What runs a node of this kind; null where only the CPU can. `constants`: of its inputs, not valid() for others.
  virtual Result<DeviceKernelPtr> kernel(const IrNode& node, std::span<const Tensor> constants, Pool& pool) = 0;
  // Whether the device may have the weights of all nodes that it has given kernels for.
  virtual Status check_weights() const = 0;
  // Puts the node's work among the commands. False: the CPU has to, or does it better. `kernel` may be null.
  virtual Result<bool> run(const IrNode& node, const DeviceKernel* kernel, const OpCall& call,
                           std::vector<Value>* outputs, std::string* name) = 0;
  // The elements are here once the host has done the commands.
  virtual Status fetch(Value* value, Pool& pool) = 0;
  // The host's own memory, which has a number of the host's choice.
  virtual DeviceBufferPtr adopt(uint32_t id) = 0;
  // The tensor is on the device only, in memory that neither the host nor the model has. What is too large stays here.
  virtual Status keep(Value* value) = 0;
  // Words for the host to read, of the format that gpu/commands.h describes. They are new after each call of done().
  virtual std::span<const uint32_t> commands() const = 0;
  virtual void done() = 0;
  // JSON: where each node has run, and why.
  virtual std::string placement() const = 0;
};

// Null where this build has none.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

}  // namespace onnxlet
