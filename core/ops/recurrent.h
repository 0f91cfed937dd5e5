// The attributes that RNN, GRU and LSTM have in common.
#pragma once

#include <string_view>

#include "kernels/recurrent.h"
#include "ops/op.h"

namespace onnxlet {

struct RecurrentSpec {
  int gates = 1;        // RNN: 1, GRU: 3, LSTM: 4
  CellSpec cells[2]{};  // of each direction
  bool reverse_first = false;
  int directions = 1;
  bool batch_first = false;
  bool linear_before_reset = false;
};

// `op` is RNN, GRU or LSTM; what com.microsoft adds to LSTM has its attributes.
Result<RecurrentSpec> read_recurrent(Attrs& a, std::string_view op);

}  // namespace onnxlet
