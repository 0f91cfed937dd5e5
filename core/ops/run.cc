#include "ops/run.h"

#include "base/text.h"
#include "base/trim.h"
#include "schema/types.h"

namespace onnxlet {
namespace {

ValueType type_of(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kNone:
      return {};
    case Value::Kind::kTensor:
      return ValueType::tensor(v.tensor().dtype());
    case Value::Kind::kSequence:
      return {.kind = ValueType::Kind::kSequence};
    case Value::Kind::kMap:
      return {.kind = ValueType::Kind::kMap};
    case Value::Kind::kOptional:
      return {.optional = true};
  }
  return {};
}

// Kernels rely on this: what they call in(i) is a tensor of an allowed type, and equal type variables are equal.
Status check_inputs(const Schema& schema, std::span<const Value* const> inputs) {
  for (size_t i = 0; i < inputs.size() && i < schema.min_input && i < schema.inputs.size(); ++i) {
    if (!inputs[i]->present() && schema.inputs[i].option == FormalParameter::kSingle) {
      return run_failed("the required input '", schema.inputs[i].name, "' is absent");
    }
  }
  Status first;
  TypeBindings bound;
  const auto given = [&](size_t i) { return inputs[i]->present(); };
  const auto type = [&](size_t i) { return type_of(*inputs[i]); };
  check_types(schema, {inputs.size(), given, type}, &bound, [&](std::string problem) {
    if (first.ok()) first = invalid_argument(problem);
  });
  return first;
}

}  // namespace

Result<OpPtr> make_op(const IrNode& node, const OpRow& row, Pool& pool) {
  const std::span<const AttributeSpec> specs =
      node.schema != nullptr ? node.schema->attributes : std::span<const AttributeSpec>();
  Attrs attrs(node, node.since_version(), specs, pool);
  Result<OpPtr> op = row.make(attrs);
  if (!op.ok()) return op.status().with_context(text(node.describe(), ": "));
  if (!attrs.unread().empty()) {
    return not_implemented(node.describe(), ": the attribute '", attrs.unread(), "' is not supported");
  }
  return op;
}

namespace {

bool packed_sub_byte(const Value* v) {
  return v->is_tensor() && is_sub_byte(v->tensor().dtype()) && !v->tensor().unpacked();
}

// The inputs of a call, those of sub-byte types with one element per byte.
struct UnpackedInputs {
  std::vector<Value> values;
  std::vector<const Value*> inputs;
  std::vector<Value*> last_use;

  Status take(const OpCall& call) {
    inputs.assign(call.inputs.begin(), call.inputs.end());
    last_use.assign(call.last_use.begin(), call.last_use.end());
    values.reserve(inputs.size());  // pointers into it must stay valid
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!packed_sub_byte(inputs[i])) continue;
      OL_ASSIGN(Tensor t, inputs[i]->tensor().unpack(*call.pool));
      values.push_back(Value(std::move(t)));
      inputs[i] = &values.back();
      last_use[i] = nullptr;
    }
    return {};
  }
};

}  // namespace

Status check_call(const OpCall& call) {
  return call.schema != nullptr ? check_inputs(*call.schema, call.inputs) : Status();
}

Status run_op(const OpCall& call, std::vector<Value>* outputs, const char** kernel) {
  OL_TRY(check_call(call));
  OpContext ctx;
  ctx.inputs_ = call.inputs;
  ctx.last_use_ = call.last_use;
  // Room for outputs the model does not name, so that pointers handed out by out() stay valid.
  constexpr size_t kUnnamedOutputs = 8;
  ctx.outputs_.reserve(call.wanted.size() + kUnnamedOutputs);
  ctx.outputs_.resize(call.wanted.size());
  ctx.wanted_ = call.wanted;
  ctx.pool_ = call.pool;
  ctx.random_state_ = call.random_state;
  ctx.in_place_ = (call.row->flags & kInPlace) != 0;
  UnpackedInputs unpacked;
  if (trim::keeps_sub_byte() && (call.row->flags & kPackedSubByte) == 0 &&
      std::any_of(call.inputs.begin(), call.inputs.end(), packed_sub_byte)) {
    OL_TRY(unpacked.take(call));
    ctx.inputs_ = unpacked.inputs;
    ctx.last_use_ = unpacked.last_use;
  }
  OL_TRY(call.op->run(ctx));
  ctx.outputs_.resize(call.wanted.size());
  for (size_t i = 0; i < ctx.outputs_.size(); ++i) {
    Value& v = ctx.outputs_[i];
    if (!call.wanted[i]) {
      v = Value();
    } else if (trim::keeps_sub_byte() && v.is_tensor() && v.tensor().unpacked()) {
      OL_ASSIGN(Tensor t, v.tensor().pack(*call.pool));
      v = Value(std::move(t));
    }
  }
  if (kernel != nullptr) *kernel = ctx.kernel_;
  *outputs = std::move(ctx.outputs_);
  return {};
}

}  // namespace onnxlet
