#include "base/value.h"

#include "base/trim.h"

namespace onnxlet {

Value Value::sequence(Sequence items) {
  Value v;
  v.kind_ = Kind::kSequence;
  v.sequence_ = std::make_shared<Sequence>(std::move(items));
  return v;
}

Value Value::map(MapValue m) {
  Value v;
  v.kind_ = Kind::kMap;
  v.map_ = std::make_shared<const MapValue>(std::move(m));
  return v;
}

Value Value::empty_optional() {
  Value v;
  v.kind_ = Kind::kOptional;
  return v;
}

Value Value::on_device(DType dtype, const Shape& shape, DeviceBufferPtr buffer) {
  Value v(Tensor::borrow(nullptr, dtype, shape));
  v.device_ = std::move(buffer);
  return v;
}

Value::Sequence& Value::mutable_sequence() {
  if (sequence_.use_count() > 1) sequence_ = std::make_shared<Sequence>(*sequence_);
  return *sequence_;
}

Result<Value> with_valid_bools(Value v, Pool& pool) {
  if (!trim::keeps_type(DType::kBool)) return v;
  if (v.is_tensor() && v.is_here()) {
    OL_ASSIGN(v.tensor(), with_valid_bools(std::move(v.tensor()), pool));
  } else if (!trim::kContainers) {
    return v;
  } else if (v.kind() == Value::Kind::kSequence) {
    for (size_t i = 0; i < v.sequence().size(); ++i) {
      OL_ASSIGN(Value item, with_valid_bools(v.sequence()[i], pool));
      v.mutable_sequence()[i] = std::move(item);
    }
  } else if (v.kind() == Value::Kind::kMap) {
    OL_ASSIGN(Tensor values, with_valid_bools(v.map().values, pool));
    return Value::map({v.map().keys, std::move(values)});
  }
  return v;
}

const char* kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNone:
      return "nothing";
    case Value::Kind::kTensor:
      return "tensor";
    case Value::Kind::kSequence:
      return "sequence";
    case Value::Kind::kMap:
      return "map";
    case Value::Kind::kOptional:
      return "optional";
  }
  return "?";
}

}  // namespace onnxlet
