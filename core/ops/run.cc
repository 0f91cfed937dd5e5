#include "ops/run.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace onnxlet {
namespace {

std::string type_text(const Value& v) {
  return v.is_tensor() ? text("tensor(", v.tensor().dtype(), ")") : std::string(kind_name(v.kind()));
}

bool allowed(const TypeConstraint& constraint, const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kNone:
      return true;
    // A filled optional is its element, so an operator that takes optionals may meet any tensor.
    case Value::Kind::kTensor:
      return (constraint.tensors >> static_cast<int>(v.tensor().dtype()) & 1) != 0 || (constraint.others & 4) != 0;
    case Value::Kind::kSequence:
      return (constraint.others & 5) != 0;
    case Value::Kind::kMap:
      return (constraint.others & 2) != 0;
    case Value::Kind::kOptional:
      return (constraint.others & 4) != 0;
  }
  return false;
}

bool is_attribute(const Schema& schema, std::string_view name) {
  return std::any_of(schema.attributes.begin(), schema.attributes.end(),
                     [&](const AttributeSpec& a) { return a.name == name; });
}

// Kernels rely on this: what they call in(i) is a tensor of an allowed type, and equal type variables are equal.
Status check_inputs(const Schema& schema, std::span<const Value* const> inputs) {
  std::array<DType, 32> bound{};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& v = *inputs[i];
    if (!v.present()) {
      if (i < schema.min_input && i < schema.inputs.size() && schema.inputs[i].option == FormalParameter::kSingle) {
        return run_failed("the required input '", schema.inputs[i].name, "' is absent");
      }
      continue;
    }
    if (schema.inputs.empty()) break;
    // Beyond the list lie further arguments of a last, variadic parameter, or promoted attributes (always tensors).
    const bool variadic = schema.inputs.back().option == FormalParameter::kVariadic;
    if (i >= schema.inputs.size() && !variadic) continue;
    const FormalParameter& formal = schema.inputs[std::min(i, schema.inputs.size() - 1)];
    const TypeConstraint& constraint = schema.types[formal.type];
    if (!allowed(constraint, v)) {
      if (is_attribute(schema, formal.name))
        continue;  // Split-1 takes its lengths either way; ints are the promoted attribute
      return invalid_argument("input ", i, " ('", formal.name, "') is a ", type_text(v),
                              ", which this version of the operator does not take");
    }
    if (!v.is_tensor() || formal.type >= bound.size()) continue;
    if (formal.option == FormalParameter::kVariadic && !formal.homogeneous) continue;
    DType& seen = bound[formal.type];
    if (seen != DType::kUndefined && seen != v.tensor().dtype()) {
      return invalid_argument("input ", i, " ('", formal.name, "') is a ", type_text(v),
                              "; an earlier input of the same type '", constraint.name, "' is a tensor(", seen, ")");
    }
    seen = v.tensor().dtype();
  }
  return {};
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

Status run_op(const OpCall& call, std::vector<Value>* outputs, const char** kernel) {
  if (call.schema != nullptr) OL_TRY(check_inputs(*call.schema, call.inputs));
  OpContext ctx;
  ctx.inputs_.assign(call.inputs.begin(), call.inputs.end());
  ctx.last_use_.assign(call.last_use.begin(), call.last_use.end());
  // Room for outputs the model does not name, so that pointers handed out by out() stay valid.
  constexpr size_t kUnnamedOutputs = 8;
  ctx.outputs_.reserve(call.wanted.size() + kUnnamedOutputs);
  ctx.outputs_.resize(call.wanted.size());
  ctx.wanted_.assign(call.wanted.begin(), call.wanted.end());
  ctx.pool_ = call.pool;
  ctx.random_state_ = call.random_state;
  ctx.in_place_ = (call.row->flags & kInPlace) != 0;
  std::vector<Value> unpacked;
  const bool packed_ok = (call.row->flags & kPackedSubByte) != 0;
  if (!packed_ok) {
    unpacked.reserve(ctx.inputs_.size());  // pointers into it must stay valid
    for (size_t i = 0; i < ctx.inputs_.size(); ++i) {
      const Value& v = *ctx.inputs_[i];
      if (!v.is_tensor() || !is_sub_byte(v.tensor().dtype()) || v.tensor().unpacked()) continue;
      OL_ASSIGN(Tensor t, v.tensor().unpack(*call.pool));
      unpacked.push_back(Value(std::move(t)));
      ctx.inputs_[i] = &unpacked.back();
      ctx.last_use_[i] = nullptr;
    }
  }
  OL_TRY(call.op->run(ctx));
  ctx.outputs_.resize(call.wanted.size());
  for (size_t i = 0; i < ctx.outputs_.size(); ++i) {
    Value& v = ctx.outputs_[i];
    if (!call.wanted[i]) {
      v = Value();
    } else if (v.is_tensor() && v.tensor().unpacked()) {
      OL_ASSIGN(Tensor t, v.tensor().pack(*call.pool));
      v = Value(std::move(t));
    }
  }
  if (kernel != nullptr) *kernel = ctx.kernel_;
  *outputs = std::move(ctx.outputs_);
  return {};
}

}  // namespace onnxlet
