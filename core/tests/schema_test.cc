#include "schema/schema.h"

#include "schema/schema_table.h"
#include "tests/check.h"

namespace onnxlet {
namespace {

TEST(schema_picks_the_largest_version_not_above_the_opset) {
  const Schema* s = find_schema("", "Softmax", 12);
  CHECK(s != nullptr);
  CHECK_EQ(s->since_version, 11);
  CHECK_EQ(find_schema("ai.onnx", "Softmax", 100)->since_version, 13);
  CHECK(find_schema("", "LayerNormalization", 16) == nullptr);
  CHECK_EQ(first_schema("", "LayerNormalization")->since_version, 17);
  CHECK_EQ(first_schema("", "Einsum")->since_version, 12);
  CHECK(first_schema("", "NoSuchOperator") == nullptr);
  CHECK(first_schema("no.such.domain", "Softmax") == nullptr);
}

TEST(schema_carries_defaults_and_types) {
  const Schema* conv = find_schema("", "Conv", 11);
  CHECK_EQ(conv->min_input, 2);
  CHECK_EQ(conv->max_input, 3);
  bool found = false;
  for (const AttributeSpec& a : conv->attributes) {
    if (std::string_view(a.name) != "group") continue;
    found = true;
    CHECK(a.has_default);
    CHECK_EQ(a.i, 1);
  }
  CHECK(found);
  CHECK_EQ(conv->types[conv->inputs[0].type].tensors >> static_cast<int>(DType::kFloat) & 1, 1u);
  CHECK_EQ(conv->types[conv->inputs[0].type].tensors >> static_cast<int>(DType::kInt32) & 1, 0u);
  CHECK(function_body(*find_schema("", "HardSwish", 14), 14) != nullptr);
  CHECK(function_body(*find_schema("", "Conv", 14), 14) == nullptr);
}

TEST(schema_has_a_function_body_for_every_opset) {
  // MeanVarianceNormalization-13 was written again when the axes of ReduceMean became an input.
  const Schema* s = find_schema("", "MeanVarianceNormalization", 17);
  CHECK_EQ(s->since_version, 13);
  CHECK_EQ(function_body(*s, 13)->opset, 13);
  CHECK_EQ(function_body(*s, 17)->opset, 13);
  CHECK_EQ(function_body(*s, 18)->opset, 18);
  CHECK_EQ(function_body(*s, 25)->opset, 18);
  // The only body of Softplus-1 came later than the operator; it imports what it needs.
  CHECK_EQ(function_body(*find_schema("", "Softplus", 7), 7)->opset, 18);
}

TEST(schema_knows_contrib_operators) {
  const Schema* s = find_schema("com.microsoft", "GroupQueryAttention", 1);
  CHECK(s != nullptr);
  CHECK_EQ(s->min_input, 7);
  CHECK_EQ(s->max_input, 17);
  CHECK_EQ(s->min_output, 1);
  CHECK_EQ(find_schema("com.microsoft", "QLinearConcat", 1)->max_input, 65535);
  CHECK(find_schema("", "SimplifiedLayerNormalization", 13) != nullptr);
}

TEST(schema_table_is_sorted) {
  const Schema* last = nullptr;
  for (const Schema& s : schema_table()) {
    CHECK(find_schema(s.domain, s.name, s.since_version) == &s);
    if (last != nullptr) CHECK(std::string_view(last->domain) <= s.domain);
    last = &s;
  }
}

}  // namespace
}  // namespace onnxlet
