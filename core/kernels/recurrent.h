// The element-wise half of RNN, GRU and LSTM cells. The matrix products are done before.
#pragma once

#include <cstdint>

namespace onnxlet {

struct Activation {
  enum Kind : uint8_t {
    kRelu,
    kTanh,
    kSigmoid,
    kAffine,
    kLeakyRelu,
    kThresholdedRelu,
    kScaledTanh,
    kHardSigmoid,
    kElu,
    kSoftsign,
    kSoftplus
  };
  Kind kind = kTanh;
  float alpha = 0, beta = 0;
};
void activate(Activation f, float* x, int64_t n);

struct CellSpec {
  Activation f, g, h;
  float clip = 0;  // 0: none
  bool input_forget = false;
};

// gates: [i, o, f, c], each `hidden` long, overwritten. peephole: [i, o, f] or null.
void lstm_cell(const CellSpec& spec, float* gates, const float* peephole, int64_t hidden, float* h, float* c);
// update: z, overwritten; candidate: overwritten; h = (1 - z) * candidate + z * h.
void gru_output(const CellSpec& spec, float* update, float* candidate, int64_t hidden, float* h);
void clip_values(float clip, float* x, int64_t n);

}  // namespace onnxlet
