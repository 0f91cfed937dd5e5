// What flows along an edge of the graph: a tensor, a sequence, a map, an optional, or nothing.
#pragma once

#include <memory>
#include <vector>

#include "base/device_buffer.h"
#include "base/tensor.h"

namespace onnxlet {

class Value;

// ONNX map: keys are a 1-D tensor of strings or integers, values a 1-D tensor of the same length.
struct MapValue {
  Tensor keys;
  Tensor values;
};

class Value {
 public:
  enum class Kind : uint8_t { kNone = 0, kTensor = 1, kSequence = 2, kMap = 3, kOptional = 4 };
  using Sequence = std::vector<Value>;

  Value() = default;
  Value(Tensor t) : kind_(Kind::kTensor), tensor_(std::move(t)) {}  // NOLINT: implicit by design
  static Value sequence(Sequence items);
  static Value map(MapValue m);
  static Value empty_optional();  // an optional that holds nothing; a filled one is just the value it holds
  // A tensor whose elements only a device has: of tensor() there are element type and shape.
  static Value on_device(DType dtype, const Shape& shape, DeviceBufferPtr buffer);

  Kind kind() const { return kind_; }
  bool present() const { return kind_ != Kind::kNone; }
  bool is_tensor() const { return kind_ == Kind::kTensor; }
  bool has_element() const { return present() && kind_ != Kind::kOptional; }
  const Tensor& tensor() const { return tensor_; }
  Tensor& tensor() { return tensor_; }
  const Sequence& sequence() const { return *sequence_; }
  Sequence& mutable_sequence();  // copies the list first when it is shared
  const MapValue& map() const { return *map_; }

  // The elements are here too, or nowhere else.
  bool is_here() const { return device_ == nullptr || tensor_.raw() != nullptr || tensor_.size() == 0; }
  const DeviceBufferPtr& device() const { return device_; }  // null: no device has them
  // A device has the same elements from now on.
  void add_device(DeviceBufferPtr buffer) const { device_ = std::move(buffer); }
  // They are here too, from now on.
  void bring(Tensor here) { tensor_ = std::move(here); }

 private:
  Kind kind_ = Kind::kNone;
  Tensor tensor_;
  PointerIf<trim::kContainers, Sequence> sequence_;
  PointerIf<trim::kContainers, const MapValue> map_;
  mutable DeviceBufferPtr device_;  // a copy: it changes nothing of the value
};

// As of tensors, also of those in sequences and maps.
Result<Value> with_valid_bools(Value v, Pool& pool);

const char* kind_name(Value::Kind kind);

}  // namespace onnxlet
