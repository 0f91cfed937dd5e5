// Making and running one operator: the path that the interpreter and constant folding share.
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"
#include "ops/op.h"

namespace onnxlet {

// The operator of a node, with its attributes read. Errors name the node.
Result<OpPtr> make_op(const IrNode& node, const OpRow& row, Pool& pool);

struct OpCall {
  const Op* op;
  const OpRow* row;
  const Schema* schema;                  // nullptr: inputs are not checked
  std::span<const Value* const> inputs;  // never null; an absent input is a Value that is not present()
  std::span<Value* const> last_use;      // beside inputs: where the value may be taken from, or nullptr
  std::span<const bool> wanted;          // beside outputs
  Pool* pool;
  uint64_t* random_state;
};

// Input kinds and types against the schema.
Status check_call(const OpCall& call);

// Checks the call, unpacks and packs sub-byte tensors, runs. `kernel` may be null.
Status run_op(const OpCall& call, std::vector<Value>* outputs, const char** kernel = nullptr);

}  // namespace onnxlet
