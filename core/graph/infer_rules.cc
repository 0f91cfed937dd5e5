// Output types that type variables do not tell: each operator's rule, in one place.
#include <algorithm>

#include "graph/infer.h"

namespace onnxlet {
namespace {

constexpr int kNone = -1;

// By an attribute that holds a TensorProto type; not given or 0: as input `input`; that absent too: `fallback`.
struct AttributeRule {
  const char* op_type;
  const char* attribute;
  int input = kNone;
  DType fallback = DType::kUndefined;
};

constexpr AttributeRule kAttributeRules[] = {
    {"Bernoulli", "dtype", 0},
    {"BitCast", "to"},
    {"BlackmanWindow", "output_datatype", kNone, DType::kFloat},
    {"Cast", "to"},
    {"DequantizeLinear", "output_dtype", 1},
    {"EyeLike", "dtype", 0},
    {"GroupQueryAttention", "", 0},
    {"HammingWindow", "output_datatype", kNone, DType::kFloat},
    {"HannWindow", "output_datatype", kNone, DType::kFloat},
    {"LayerNormalization", "stash_type", kNone, DType::kFloat},
    {"LinearAttention", "", 0},
    {"MelWeightMatrix", "output_datatype", kNone, DType::kFloat},
    {"Multinomial", "dtype", kNone, DType::kInt32},
    {"QGemm", "", 8, DType::kFloat},
    {"QuantizeLinear", "output_dtype", kNone, DType::kUint8},
    {"RandomNormal", "dtype", kNone, DType::kFloat},
    {"RandomNormalLike", "dtype", 0},
    {"RandomUniform", "dtype", kNone, DType::kFloat},
    {"RandomUniformLike", "dtype", 0},
    {"SimplifiedLayerNormalization", "stash_type", kNone, DType::kFloat},
};

// By which of several attributes is given.
struct PresenceRule {
  const char* op_type;
  const char* attribute;
  DType dtype;  // kUndefined: that of the tensor in it
};

constexpr PresenceRule kPresenceRules[] = {
    {"Constant", "value", DType::kUndefined},
    {"Constant", "sparse_value", DType::kUndefined},
    {"Constant", "value_float", DType::kFloat},
    {"Constant", "value_floats", DType::kFloat},
    {"Constant", "value_int", DType::kInt64},
    {"Constant", "value_ints", DType::kInt64},
    {"Constant", "value_string", DType::kString},
    {"Constant", "value_strings", DType::kString},
    {"ConstantOfShape", "value", DType::kUndefined},
    {"ConstantOfShape", "", DType::kFloat},
    {"LabelEncoder", "values_strings", DType::kString},
    {"LabelEncoder", "values_int64s", DType::kInt64},
    {"LabelEncoder", "values_floats", DType::kFloat},
    {"LabelEncoder", "values_tensor", DType::kUndefined},
    {"LinearClassifier", "classlabels_strings", DType::kString},
    {"LinearClassifier", "", DType::kInt64},
    {"SVMClassifier", "classlabels_strings", DType::kString},
    {"SVMClassifier", "", DType::kInt64},
    {"TreeEnsembleClassifier", "classlabels_strings", DType::kString},
    {"TreeEnsembleClassifier", "", DType::kInt64},
};

ValueType input_type(const IrGraph& graph, const IrNode& node, int i) {
  const auto at = static_cast<size_t>(i);
  return at < node.inputs.size() && node.inputs[at] != kAbsent ? graph.value(node.inputs[at]).type : ValueType();
}

bool input_given(const IrNode& node, int i) {
  return static_cast<size_t>(i) < node.inputs.size() && node.inputs[static_cast<size_t>(i)] != kAbsent;
}

DType dtype_attribute(const IrNode& node, std::string_view name) {
  const Attribute* a = node.find(name);
  if (a != nullptr && a->type == Attribute::Type::kInt)
    return a->i > 0 && a->i < kDTypeCount ? static_cast<DType>(a->i) : DType::kUndefined;
  if (a != nullptr && a->type == Attribute::Type::kString) return dtype_from_name(a->s);  // Cast-1
  for (const AttributeSpec& spec : node.schema->attributes) {
    if (name == spec.name && spec.has_default && spec.type == Attribute::Type::kInt) return static_cast<DType>(spec.i);
  }
  return DType::kUndefined;
}

ValueType by_attribute(const IrGraph& graph, const IrNode& node, const AttributeRule& rule) {
  const DType given = dtype_attribute(node, rule.attribute);
  if (given != DType::kUndefined) return ValueType::tensor(given);
  if (rule.input != kNone && input_given(node, rule.input)) return input_type(graph, node, rule.input);
  return ValueType::tensor(rule.fallback);
}

DType stored_dtype(const Attribute& a) {
  if (a.t != nullptr) return a.t->dtype;
  return a.sparse != nullptr ? a.sparse->values.dtype : DType::kUndefined;
}

ValueType element_of(ValueType sequence) {
  return sequence.kind == ValueType::Kind::kSequence ? ValueType::tensor(sequence.dtype) : ValueType();
}

ValueType sequence_of(DType dtype) { return {ValueType::Kind::kSequence, false, dtype}; }

ValueType labels_for(ValueType input) {  // strings become numbers and numbers strings
  if (!input.is_tensor()) return {};
  return ValueType::tensor(input.dtype == DType::kString ? DType::kInt64 : DType::kString);
}

ValueType cast_map(const IrNode& node) {
  const Attribute* to = node.find("cast_to");
  if (to == nullptr || to->s == "TO_FLOAT") return ValueType::tensor(DType::kFloat);
  if (to->s == "TO_STRING") return ValueType::tensor(DType::kString);
  return ValueType::tensor(to->s == "TO_INT64" ? DType::kInt64 : DType::kUndefined);
}

ValueType optional_type(const IrNode& node, ValueType input) {
  const Attribute* declared = node.find("type");
  if (declared != nullptr && !declared->types.empty()) input = ValueType::of(declared->types[0]);
  input.optional = true;
  return input;
}

ValueType sequence_empty(const IrNode& node) {
  const DType given = dtype_attribute(node, "dtype");
  return sequence_of(given != DType::kUndefined ? given : DType::kFloat);
}

struct FunctionRule {
  const char* op_type;
  ValueType (*type)(const IrNode& node, ValueType first_input);
};

constexpr FunctionRule kFunctionRules[] = {
    {"CastMap", [](const IrNode& n, ValueType) { return cast_map(n); }},
    {"CategoryMapper", [](const IrNode&, ValueType x) { return labels_for(x); }},
    {"ConcatFromSequence", [](const IrNode&, ValueType x) { return element_of(x); }},
    {"DictVectorizer", [](const IrNode&, ValueType x) { return ValueType::tensor(x.dtype); }},
    {"LabelEncoder", [](const IrNode& n, ValueType x) { return n.since_version() == 1 ? labels_for(x) : ValueType(); }},
    {"Optional", [](const IrNode& n, ValueType x) { return optional_type(n, x); }},
    {"OptionalGetElement", [](const IrNode&, ValueType x) { return ValueType{x.kind, false, x.dtype}; }},
    {"SequenceAt", [](const IrNode&, ValueType x) { return element_of(x); }},
    {"SequenceConstruct", [](const IrNode&, ValueType x) { return sequence_of(x.dtype); }},
    {"SequenceEmpty", [](const IrNode& n, ValueType) { return sequence_empty(n); }},
    {"SplitToSequence", [](const IrNode&, ValueType x) { return sequence_of(x.dtype); }},
    {"ZipMap", [](const IrNode&, ValueType) { return sequence_of(DType::kUndefined); }},
};

}  // namespace

ValueType ruled_output_type(const IrGraph& graph, const IrNode& node, size_t i) {
  if (node.op_type == "Gradient") return input_type(graph, node, static_cast<int>(i));
  for (const AttributeRule& rule : kAttributeRules) {
    if (node.op_type == rule.op_type) return by_attribute(graph, node, rule);
  }
  for (const PresenceRule& rule : kPresenceRules) {
    if (node.op_type != rule.op_type) continue;
    const std::string_view name = rule.attribute;
    const Attribute* a = node.find(name);
    if (a == nullptr && !name.empty()) continue;
    return ValueType::tensor(rule.dtype != DType::kUndefined ? rule.dtype : stored_dtype(*a));
  }
  for (const FunctionRule& rule : kFunctionRules) {
    if (node.op_type == rule.op_type) return rule.type(node, input_type(graph, node, 0));
  }
  return {};
}

}  // namespace onnxlet
