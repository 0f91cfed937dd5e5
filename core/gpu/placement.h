// Where each node has run, and why.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"

namespace onnxlet::gpu {

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
