#include "base/value.h"

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

Value::Sequence& Value::mutable_sequence() {
  if (sequence_.use_count() > 1) sequence_ = std::make_shared<Sequence>(*sequence_);
  return *sequence_;
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
