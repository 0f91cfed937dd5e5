// What is wrong with a model, collected so that all of it is told at once.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"

namespace onnxlet {

class Problems {
 public:
  void add(Code code, std::string message);
  void add(Status&& status) { add(status.code(), std::string(status.message())); }
  bool empty() const { return messages_.empty(); }
  Status report() const;

 private:
  Code code_ = Code::kOk;  // of the first
  std::vector<std::string> messages_;
};

void report_missing_operator(const IrNode& node, Problems* problems);

// Attributes of a node that the host runs must be of a type that it can be given.
void check_host_attributes(const IrNode& ir, Problems* problems);
// Arity, attribute names, types and presence. `node` as written, `ir` with its attributes resolved.
void check_against_schema(const Node& node, const IrNode& ir, Problems* problems);

}  // namespace onnxlet
