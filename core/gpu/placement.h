// Where each node has run, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace onnxlet::gpu {

// Why an operator is the CPU's by design; "" of those that are not.
std::string_view why_on_cpu(const IrNode& node);

class Placement {
 public:
  // `reason` is why the CPU has the node; "" where the device has it. Nodes stay where they are in memory.
  void note(const IrNode& node, std::string reason);
  std::string to_json() const;

 private:
  struct Entry {
    const IrNode* node;
    std::string reason;
  };
  std::vector<Entry> entries_;  // in the order in which nodes have first run
  size_t next_ = 0;             // where the next note most likely belongs: runs are alike
};

}  // namespace onnxlet::gpu
