#include "graph/infer.h"

#include <string>
#include <vector>

#include "graph/build.h"
#include "onnx/model.h"
#include "tests/check.h"
#include "tests/model_writer.h"

namespace onnxlet {
namespace {

using namespace test;  // NOLINT: the writers of messages

constexpr int kFloatType = 1, kInt64Type = 7, kBoolType = 9;

// A built graph with all it points into.
struct Built {
  std::string bytes;
  Model model;
  PoolPtr pool{new Pool};
  std::unique_ptr<IrGraph> graph;
  std::string error;

  explicit Built(const GraphParts& parts, int opset = 17, const GraphOptions& options = {})
      : bytes(test::model(parts, opset)) {
    CHECK_OK(parse_model(bytes, &model));
    auto result = build_graph(model, options, *pool);
    if (result.ok())
      graph = result.take();
    else
      error = result.status().message();
  }
  // The type of a value in the graph, or in the subgraphs of its nodes.
  std::string type_of(std::string_view name) const { return graph == nullptr ? error : find(*graph, name); }

 private:
  static std::string find(const IrGraph& g, std::string_view name) {
    for (const IrValue& v : g.values) {
      if (v.name == name) return v.type.to_string();
    }
    for (const IrNode& n : g.nodes) {
      for (const IrSubgraph& s : n.subgraphs) {
        std::string inside = find(*s.graph, name);
        if (inside != "no such value") return inside;
      }
    }
    return "no such value";
  }
};

Message undeclared(std::string_view name) { return Message().bytes(1, name); }

Built built(std::vector<Message> nodes, int opset = 17) {
  return Built({std::move(nodes),
                {tensor<int64_t>("i", kInt64Type, {1}, {0})},
                {value_info("x", kFloatType)},
                {undeclared("y")}},
               opset);
}

TEST(infer_follows_type_variables_fixed_types_and_constants) {
  const Built b = built({node("Shape", {"x"}, {"s"}), node("Add", {"s", "i"}, {"t"}),
                         node("Greater", {"x", "x"}, {"g"}), node("Where", {"g", "x", "x"}, {"y"})});
  CHECK_EQ(b.type_of("x"), "tensor(float)");
  CHECK_EQ(b.type_of("i"), "tensor(int64)");
  CHECK_EQ(b.type_of("t"), "tensor(int64)");
  CHECK_EQ(b.type_of("g"), "tensor(bool)");
  CHECK_EQ(b.type_of("y"), "tensor(float)");
}

TEST(infer_reads_attributes) {
  const Built b =
      built({node("Cast", {"x"}, {"h"}, {int_attribute("to", 10)}), node("EyeLike", {"x"}, {"e"}),
             node("EyeLike", {"x"}, {"e64"}, {int_attribute("dtype", 7)}), node("RandomNormalLike", {"h"}, {"r"}),
             node("ConstantOfShape", {"i"}, {"z"}), node("QuantizeLinear", {"x", "x"}, {"q"}),
             node("Constant", {}, {"c"}, {int_attribute("value_int", 5)}), node("Identity", {"x"}, {"y"})});
  CHECK_EQ(b.type_of("h"), "tensor(float16)");
  CHECK_EQ(b.type_of("e"), "tensor(float)");
  CHECK_EQ(b.type_of("e64"), "tensor(int64)");
  CHECK_EQ(b.type_of("r"), "tensor(float16)");
  CHECK_EQ(b.type_of("z"), "tensor(float)");
  CHECK_EQ(b.type_of("q"), "tensor(uint8)");
  CHECK_EQ(b.type_of("c"), "tensor(int64)");
}

TEST(infer_keeps_the_kind_of_sequences_and_optionals) {
  const Built b = built({node("SequenceConstruct", {"x", "x"}, {"s"}), node("SequenceAt", {"s", "i"}, {"a"}),
                         node("Optional", {"s"}, {"o"}), node("OptionalGetElement", {"o"}, {"g"}),
                         node("ConcatFromSequence", {"g"}, {"y"}, {int_attribute("axis", 0)})});
  CHECK_EQ(b.type_of("s"), "seq(tensor(float))");
  CHECK_EQ(b.type_of("a"), "tensor(float)");
  CHECK_EQ(b.type_of("o"), "optional(seq(tensor(float)))");
  CHECK_EQ(b.type_of("g"), "seq(tensor(float))");
  CHECK_EQ(b.type_of("y"), "tensor(float)");
}

Message loop_body(const std::vector<Message>& nodes, std::vector<Message> outputs) {
  return graph({nodes, {}, {undeclared("n"), undeclared("go"), undeclared("v")}, std::move(outputs)});
}

TEST(infer_goes_into_subgraphs_and_comes_out_of_them) {
  const Message body =
      loop_body({node("Identity", {"go"}, {"on"}), node("Mul", {"v", "x"}, {"w"}), node("Mul", {"n", "n"}, {"square"})},
                {undeclared("on"), undeclared("w"), undeclared("square")});
  const Built b = built({node("Loop", {"i", "", "x"}, {"last", "squares"}, {graph_attribute("body", body)}),
                         node("Identity", {"last"}, {"y"})});
  CHECK_EQ(b.type_of("n"), "tensor(int64)");
  CHECK_EQ(b.type_of("go"), "tensor(bool)");
  CHECK_EQ(b.type_of("v"), "tensor(float)");
  CHECK_EQ(b.type_of("squares"), "tensor(int64)");
  CHECK_EQ(b.type_of("y"), "tensor(float)");
}

TEST(infer_leaves_a_carried_value_that_changes_its_type_unknown) {
  const Message body =
      loop_body({node("Identity", {"go"}, {"on"}), node("Cast", {"v"}, {"w"}, {int_attribute("to", kInt64Type)})},
                {undeclared("on"), undeclared("w")});
  const Built b =
      built({node("Loop", {"i", "", "x"}, {"last"}, {graph_attribute("body", body)}), node("Sqrt", {"last"}, {"y"})});
  CHECK_EQ(b.type_of("last"), "value of unknown type");
  CHECK_EQ(b.type_of("y"), "value of unknown type");
}

TEST(infer_declares_outputs_that_the_model_does_not) {
  const Built b = built({node("Shape", {"x"}, {"y"})});
  CHECK_EQ(b.model.graph.outputs[0].type.to_string(), "tensor(int64)");
}

TEST(infer_reports_every_argument_of_a_wrong_type) {
  const Built b = built({node("Shape", {"x"}, {"s"}), node("Sqrt", {"s"}, {"r"}), node("Add", {"x", "i"}, {"y"})});
  CHECK_EQ(b.error,
           "the model has 2 problems:\n"
           "- node 'the_Sqrt' (Sqrt-13): input 0 ('X') is a tensor(int64); this version takes float, float16, double, "
           "bfloat16\n"
           "- node 'the_Add' (Add-14): input 1 ('B') is a tensor(int64); input 0, of the same type 'T', is a "
           "tensor(float)");
}

TEST(infer_asks_what_the_version_of_the_model_takes) {
  const std::vector<Message> nodes = {node("Shape", {"x"}, {"s"}), node("Max", {"s", "i"}, {"y"})};
  CHECK_EQ(built(nodes, 12).error, "");
  CHECK_EQ(
      built(nodes, 11).error,
      "the model has 2 problems:\n"
      "- node 'the_Max' (Max-8): input 0 ('data_0') is a tensor(int64); this version takes float, float16, double\n"
      "- node 'the_Max' (Max-8): input 1 ('data_0') is a tensor(int64); this version takes float, float16, double");
}

TEST(infer_takes_the_declared_type_of_fed_inputs_only) {
  // A branch's declaration of a captured value does not count, nor does value_info.
  const Message branch = graph({{node("Sqrt", {"s"}, {"b"})}, {}, {}, {undeclared("b")}});
  const Built b = Built(
      {{node("Shape", {"x"}, {"s"}),
        node("If", {"c"}, {"y"}, {graph_attribute("then_branch", branch), graph_attribute("else_branch", branch)})},
       {},
       {value_info("x", kFloatType), value_info("c", kBoolType)},
       {undeclared("y")}});
  CHECK_EQ(b.error.substr(0, 100),
           "the model has 2 problems:\n- node 'the_If/then_branch/the_Sqrt' (Sqrt-13): input 0 ('X') is a tensor(");
}

// "ReduceMean-13 Mul-13 ...": what the body of one operator becomes.
std::string inlined(std::string_view op_type, int opset) {
  GraphOptions options;
  options.function_bodies = true;
  const Built b({{node(op_type, {"x"}, {"y"})}, {}, {value_info("x", kFloatType)}, {undeclared("y")}}, opset, options);
  if (b.graph == nullptr) return b.error;
  std::string out;
  for (const IrNode& n : b.graph->nodes) {
    if (n.op_type == "Constant") continue;
    out += (out.empty() ? "" : " ") + std::string(n.op_type) + '-' + std::to_string(n.since_version());
  }
  return out;
}

TEST(build_inlines_the_function_body_of_the_models_opset) {
  CHECK_EQ(inlined("MeanVarianceNormalization", 13).substr(0, 13), "ReduceMean-13");
  CHECK_EQ(inlined("MeanVarianceNormalization", 17).substr(0, 13), "ReduceMean-13");
  CHECK_EQ(inlined("MeanVarianceNormalization", 18).substr(0, 13), "ReduceMean-18");
  // Nodes are of the opset that the body imports, not of the model's.
  CHECK_EQ(inlined("Softplus", 7), "Exp-13 CastLike-15 Add-14 Log-13");
  CHECK_EQ(inlined("Softplus", 22), "Exp-13 CastLike-15 Add-14 Log-13");
  CHECK_EQ(inlined("Tanh", 13), "Tanh-13");
}

}  // namespace
}  // namespace onnxlet
