// The graph the passes work on: nodes in execution order, edges as small integers. Function calls are already inlined.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "onnx/model.h"
#include "schema/schema.h"
#include "schema/types.h"

namespace onnxlet {

using ValueId = int32_t;
inline constexpr ValueId kAbsent = -1;  // an omitted optional input or output

struct IrGraph;
struct OpRow;

struct IrValue {
  std::string_view name;
  Tensor constant = {};  // valid() when the value is known at load time
  ValueType type = {};   // what infer_types() found out
};

struct IrSubgraph {
  std::string_view attribute;  // "then_branch", "body" ...
  std::unique_ptr<IrGraph> graph;
};

struct IrNode {
  std::string_view name, op_type, domain;
  std::string path;                   // "" or "loop_3/body/"; for messages
  int opset = 0;                      // version of the domain this node was written for
  const Schema* schema = nullptr;     // nullptr: a registered operator, or one ONNX does not know
  const OpRow* row = nullptr;         // nullptr: the host runs it
  std::vector<Attribute> attributes;  // graph attributes are in subgraphs
  std::vector<ValueId> inputs, outputs;
  std::vector<IrSubgraph> subgraphs;
  bool custom = false;         // the host runs it
  bool channels_last = false;  // tensors with channels are [N, space..., C] instead of [N, C, space...]

  const Attribute* find(std::string_view attribute) const;
  int since_version() const { return schema != nullptr ? schema->since_version : 1; }
  std::string describe() const;  // "node 'conv1' (Conv-11)"
};

// A value of an enclosing graph that this graph reads.
struct Capture {
  ValueId outer, inner;
};

struct IrGraph {
  std::vector<IrNode> nodes;
  std::vector<IrValue> values;
  std::vector<ValueId> inputs, outputs;
  std::vector<const TypeSpec*> input_types;   // as declared; beside inputs. nullptr in subgraphs: nobody checks those
  std::vector<const TypeSpec*> output_types;  // as declared; beside outputs
  std::vector<Capture> captures;

  ValueId add_value(std::string_view name) {
    values.push_back({name});
    return static_cast<ValueId>(values.size() - 1);
  }
  IrValue& value(ValueId id) { return values[static_cast<size_t>(id)]; }
  const IrValue& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  const Tensor* constant(ValueId id) const {
    return id != kAbsent && value(id).constant.valid() ? &value(id).constant : nullptr;
  }
  // How often each value is read: by nodes, by subgraphs' captures, as a graph output.
  std::vector<int> use_counts() const;
};

}  // namespace onnxlet
