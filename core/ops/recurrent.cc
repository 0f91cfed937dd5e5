// RNN, GRU, LSTM, and com.microsoft DynamicQuantizeLSTM.
#include "ops/recurrent.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/panel_gemm.h"
#include "ops/staged.h"

namespace onnxlet {
namespace {

struct NamedActivation {
  std::string_view name;
  Activation f;
  bool takes_alpha, takes_beta;
};
constexpr NamedActivation kActivations[] = {
    {"relu", {Activation::kRelu, 0, 0}, false, false},
    {"tanh", {Activation::kTanh, 0, 0}, false, false},
    {"sigmoid", {Activation::kSigmoid, 0, 0}, false, false},
    {"affine", {Activation::kAffine, 1, 0}, true, true},
    {"leakyrelu", {Activation::kLeakyRelu, 0.01f, 0}, true, false},
    {"thresholdedrelu", {Activation::kThresholdedRelu, 1, 0}, true, false},
    {"scaledtanh", {Activation::kScaledTanh, 1, 1}, true, true},
    {"hardsigmoid", {Activation::kHardSigmoid, 0.2f, 0.5f}, true, true},
    {"elu", {Activation::kElu, 1, 0}, true, false},
    {"softsign", {Activation::kSoftsign, 0, 0}, false, false},
    {"softplus", {Activation::kSoftplus, 0, 0}, false, false},
};

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Reads the activation attributes: one list of names, and alpha and beta values that only the functions with such a
// parameter take from, in order.
Status read_activations(Attrs& a, std::span<const std::string_view> defaults, int directions,
                        std::vector<Activation>* out) {
  std::vector<std::string_view> names = a.strings("activations");
  const std::vector<float> alphas = a.floats("activation_alpha"), betas = a.floats("activation_beta");
  const size_t expected = defaults.size() * static_cast<size_t>(directions);
  if (names.empty()) {
    for (int d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != expected) {
    return invalid_graph("activations has ", names.size(), " names; ", expected, " are expected");
  }
  size_t alpha = 0, beta = 0;
  for (std::string_view name : names) {
    const std::string key = lower(name);
    const auto* found = std::find_if(std::begin(kActivations), std::end(kActivations),
                                     [&](const NamedActivation& n) { return n.name == key; });
    if (found == std::end(kActivations)) return invalid_graph("unknown activation function '", name, "'");
    Activation f = found->f;
    if (found->takes_alpha && alpha < alphas.size()) f.alpha = alphas[alpha++];
    if (found->takes_beta && beta < betas.size()) f.beta = betas[beta++];
    out->push_back(f);
  }
  return {};
}

constexpr std::string_view kRnnActivations[] = {"Tanh"};
constexpr std::string_view kGruActivations[] = {"Sigmoid", "Tanh"};
constexpr std::string_view kLstmActivations[] = {"Sigmoid", "Tanh", "Tanh"};

}  // namespace

Result<RecurrentSpec> read_recurrent(Attrs& a, std::string_view op) {
  RecurrentSpec out;
  std::span<const std::string_view> defaults = kRnnActivations;
  bool input_forget = false;
  if (op == "GRU") {
    out.gates = 3;
    defaults = kGruActivations;
    out.linear_before_reset = a.i("linear_before_reset", 0) != 0;
  } else if (op == "LSTM") {
    out.gates = 4;
    defaults = kLstmActivations;
    input_forget = a.i("input_forget", 0) != 0;
  }
  const std::string_view direction = a.s("direction", "forward");
  if (direction == "bidirectional") {
    out.directions = 2;
  } else if (direction == "reverse") {
    out.reverse_first = true;
  } else if (direction != "forward") {
    return invalid_graph("direction must be forward, reverse or bidirectional; it is '", direction, "'");
  }
  out.batch_first = a.i("layout", 0) != 0;
  std::vector<Activation> f;
  OL_TRY(read_activations(a, defaults, out.directions, &f));
  for (int d = 0; d < out.directions; ++d) {
    const size_t base = static_cast<size_t>(d) * defaults.size();
    CellSpec& cell = out.cells[d];
    cell.f = f[base];
    if (defaults.size() > 1) cell.g = f[base + 1];
    if (defaults.size() > 2) cell.h = f[base + 2];
    cell.clip = a.f("clip", 0);
    cell.input_forget = input_forget;
  }
  a.ignore("hidden_size");      // the weights' shapes say it
  a.ignore("output_sequence");  // version 1: Y is written whenever it is used
  return out;
}

namespace {

// The weights of one direction, packed for panel_gemm, with the biases that can be added up front.
struct Weights {
  const float* w = nullptr;       // [input, gates * hidden]
  const float* r = nullptr;       // [hidden, gates * hidden]; GRU keeps its last gate apart
  const float* r_last = nullptr;  // GRU: [hidden, hidden]
  std::vector<float> bias;        // [gates * hidden]
  std::vector<float> last_bias;   // GRU with linear_before_reset: R's bias of the last gate
};

// Sizes of one run.
struct Sizes {
  int64_t length, batch, input, hidden;
};

struct Recurrent : Op, RecurrentSpec {
  Tensor packed_;  // [directions, panels of W, R (, R_last)] when the weights are constant

  Status read(Attrs& a, std::string_view op) {
    OL_ASSIGN(static_cast<RecurrentSpec&>(*this), read_recurrent(a, op));
    return {};
  }

  bool splits_last_gate() const { return gates == 3; }
  int64_t r_columns(int64_t hidden) const { return (splits_last_gate() ? gates - 1 : gates) * hidden; }
  int64_t packed_size(int64_t input, int64_t hidden) const {
    return packed_panels_size(input, gates * hidden) + packed_panels_size(hidden, r_columns(hidden)) +
           (splits_last_gate() ? packed_panels_size(hidden, hidden) : 0);
  }

  // w is [gates * hidden, input], r is [gates * hidden, hidden], or their transposes.
  void pack(const float* w, const float* r, int64_t input, int64_t hidden, bool transposed, float* out) const {
    const int64_t n = gates * hidden, first = r_columns(hidden);
    const auto at = [&](const float* m, int64_t k, int64_t from, int64_t columns) {
      if (transposed) {
        pack_panels(m + from, k, columns, n, 1, out);
      } else {
        pack_panels(m + from * k, k, columns, 1, k, out);
      }
      out += packed_panels_size(k, columns);
    };
    at(w, input, 0, n);
    at(r, hidden, 0, first);
    if (splits_last_gate()) at(r, hidden, first, hidden);
  }

  Weights unpack(const float* packed, int64_t input, int64_t hidden) const {
    Weights out;
    out.w = packed;
    out.r = out.w + packed_panels_size(input, gates * hidden);
    out.r_last = out.r + packed_panels_size(hidden, r_columns(hidden));
    return out;
  }

  Status prepare(std::span<const Tensor> constants, Pool& pool) override {
    if (constants.size() < 3 || !constants[1].valid() || !constants[2].valid()) return {};
    const Tensor& w = constants[1];
    const Tensor& r = constants[2];
    OL_TRY(check_weights(w, r));
    const int64_t input = w.dim(2), hidden = r.dim(2), size = packed_size(input, hidden);
    OL_ASSIGN(packed_, Tensor::allocate(pool, DType::kFloat, Shape{directions, size}));
    OL_ASSIGN(Tensor copy, Tensor::allocate(pool, DType::kFloat, Shape{w.size() + r.size()}));
    float* wf = copy.mutable_data<float>();
    float* rf = wf + w.size();
    to_floats(w.dtype(), w.raw(), w.size(), wf);
    to_floats(r.dtype(), r.raw(), r.size(), rf);
    for (int d = 0; d < directions; ++d) {
      pack(wf + d * gates * hidden * input, rf + d * gates * hidden * hidden, input, hidden, false,
           packed_.mutable_data<float>() + d * size);
    }
    return {};
  }

  Status check_weights(const Tensor& w, const Tensor& r) const {
    if (w.rank() != 3 || r.rank() != 3 || w.dim(0) != directions || r.dim(0) != directions ||
        r.dim(1) != gates * r.dim(2) || w.dim(1) != r.dim(1)) {
      return run_failed("W of shape ", w.shape(), " and R of shape ", r.shape(), " must be [", directions, ", ", gates,
                        " * hidden, input] and [", directions, ", ", gates, " * hidden, hidden]");
    }
    return {};
  }

  virtual bool quantizes_activations() const { return false; }

  // The packed weights of all directions, from prepare() or made now.
  virtual Result<const float*> weights(OpContext& ctx, int64_t* hidden) const {
    const Tensor& w = ctx.in(1);
    const Tensor& r = ctx.in(2);
    OL_TRY(check_weights(w, r));
    *hidden = r.dim(2);
    if (packed_.valid()) return packed_.data<float>();
    const int64_t input = w.dim(2), size = packed_size(input, *hidden);
    OL_ASSIGN(const float* wf, floats_of(ctx, w));
    OL_ASSIGN(const float* rf, floats_of(ctx, r));
    OL_ASSIGN(float* out, ctx.scratch_of<float>(directions * size));
    for (int d = 0; d < directions; ++d) {
      pack(wf + d * gates * *hidden * input, rf + d * gates * *hidden * *hidden, input, *hidden, false, out + d * size);
    }
    return static_cast<const float*>(out);
  }
  virtual int64_t input_size(const OpContext& ctx) const { return ctx.in(1).dim(2); }

  Status run(OpContext& ctx) const override;

  // One time step of one batch row: `gate` holds the finished products, `h` (and `c`) the state.
  struct Step {
    const CellSpec& spec;
    const float* peephole;
    int64_t hidden;
  };
  virtual void step(const Step& s, float* gate, float* extra, float* h, float* c) const = 0;
  virtual void before_last_gate(const Step&, float*, const float*, float*) const {}

  struct Direction;
  void run_direction(const Direction& d) const;
};

// Everything one direction works on.
struct Recurrent::Direction {
  const CellSpec& spec;
  Weights weights;
  bool reverse;
  Sizes size;
  const float* x;
  const float* peephole;
  const int64_t* lengths;   // per batch row
  float* projected;         // [length * batch, gates * hidden]
  float* gate;              // [batch, gates * hidden]
  float* extra;             // [batch, hidden]
  float* quantized;         // [max(length * input, hidden) * batch] or null
  float *h, *c;             // [batch, hidden]
  float* y;                 // null when nobody wants it
  int64_t y_time, y_batch;  // strides of y
  bool batch_first;
};

// c[m, n] += a[m, k] * panels, with the rows of c ldc apart.
void multiply(const float* a, int64_t m, int64_t k, const float* panels, int64_t n, float* c, int64_t ldc) {
  panel_gemm(PanelGemm{a, m, k, k, panels, kPanel * k, n, c, ldc});
}

// What a uint8 dynamically quantized matrix stands for, as float.
const float* fake_quantize(const float* x, int64_t n, float* out) {
  float lo = 0, hi = 0;
  for (int64_t i = 0; i < n; ++i) lo = std::min(lo, x[i]), hi = std::max(hi, x[i]);
  const float scale = hi == lo ? 1.0f : (hi - lo) / 255.0f;
  const float zero = std::nearbyint(std::clamp(-lo / scale, 0.0f, 255.0f));
  for (int64_t i = 0; i < n; ++i) {
    out[i] = (std::clamp(std::nearbyint(x[i] / scale) + zero, 0.0f, 255.0f) - zero) * scale;
  }
  return out;
}

void Recurrent::run_direction(const Direction& d) const {
  const int64_t hidden = d.size.hidden, batch = d.size.batch, length = d.size.length, n = gates * hidden;
  const int64_t first = r_columns(hidden);
  const float* x = d.x;
  if (d.quantized) {  // steps beyond the longest sequence do not widen the range
    const int64_t longest = batch == 0 ? 0 : *std::max_element(d.lengths, d.lengths + batch);
    x = fake_quantize(d.x, longest * batch * d.size.input, d.quantized);
    std::fill_n(d.quantized + longest * batch * d.size.input, (length - longest) * batch * d.size.input, 0.0f);
  }
  for (int64_t i = 0; i < length * batch; ++i) std::copy_n(d.weights.bias.data(), n, d.projected + i * n);
  multiply(x, length * batch, d.size.input, d.weights.w, n, d.projected, n);
  const Step step_of{d.spec, d.peephole, hidden};
  for (int64_t s = 0; s < length; ++s) {
    const auto time_of = [&](int64_t b) { return d.reverse ? std::max<int64_t>(d.lengths[b] - 1 - s, 0) : s; };
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t row = d.batch_first ? b * length + time_of(b) : time_of(b) * batch + b;
      std::copy_n(d.projected + row * n, n, d.gate + b * n);
    }
    const float* h = d.h;
    if (d.quantized) {  // states of sequences that are over do not widen the range
      for (int64_t b = 0; b < batch; ++b) {
        float* row = d.quantized + b * hidden;
        if (s < d.lengths[b]) {
          std::copy_n(d.h + b * hidden, hidden, row);
        } else {
          std::fill_n(row, hidden, 0.0f);
        }
      }
      h = fake_quantize(d.quantized, batch * hidden, d.quantized);
    }
    multiply(h, batch, hidden, d.weights.r, first, d.gate, n);
    if (splits_last_gate()) {
      if (linear_before_reset) {
        for (int64_t b = 0; b < batch; ++b) std::copy_n(d.weights.last_bias.data(), hidden, d.extra + b * hidden);
        multiply(d.h, batch, hidden, d.weights.r_last, hidden, d.extra, hidden);
      } else {
        for (int64_t b = 0; b < batch; ++b) {
          before_last_gate(step_of, d.gate + b * n, d.h + b * hidden, d.extra + b * hidden);
        }
        multiply(d.extra, batch, hidden, d.weights.r_last, hidden, d.gate + first, n);
      }
    }
    for (int64_t b = 0; b < batch; ++b) {
      if (s >= d.lengths[b]) continue;
      step(step_of, d.gate + b * n, d.extra + b * hidden, d.h + b * hidden, d.c + b * hidden);
      if (d.y) std::copy_n(d.h + b * hidden, hidden, d.y + time_of(b) * d.y_time + b * d.y_batch);
    }
  }
}

Status Recurrent::run(OpContext& ctx) const {
  const Tensor& x = ctx.in(0);
  const bool lstm = gates == 4;
  if (x.rank() != 3) return run_failed("X must have rank 3; its shape is ", x.shape());
  int64_t hidden = 0;
  OL_ASSIGN(const float* packed, weights(ctx, &hidden));
  const Sizes size{x.dim(batch_first ? 1 : 0), x.dim(batch_first ? 0 : 1), x.dim(2), hidden};
  const int64_t n = gates * hidden, dirs = directions, batch = size.batch;
  if (size.input != input_size(ctx)) {
    return run_failed("X of shape ", x.shape(), " has ", size.input, " features; W was made for ", input_size(ctx));
  }
  const auto expect = [&](int i, int64_t count, const char* name) -> Status {
    if (!ctx.has(i) || ctx.in(i).size() == count) return {};
    return run_failed(name, " has shape ", ctx.in(i).shape(), "; ", count, " elements are expected");
  };
  OL_TRY(expect(3, dirs * 2 * n, "B"));
  OL_TRY(expect(4, batch, "sequence_lens"));
  OL_TRY(expect(5, dirs * batch * hidden, "initial_h"));
  if (lstm) OL_TRY(expect(6, dirs * batch * hidden, "initial_c"));
  if (lstm) OL_TRY(expect(7, dirs * 3 * hidden, "P"));

  std::vector<int64_t> lengths(static_cast<size_t>(batch), size.length);
  if (ctx.has(4)) {
    OL_ASSIGN(lengths, to_ints(ctx.in(4), "sequence_lens"));
    for (int64_t l : lengths) {
      if (l < 0 || l > size.length) return run_failed("sequence_lens has ", l, "; X has ", size.length, " time steps");
    }
  }
  OL_ASSIGN(const float* xf, floats_of(ctx, x));
  OL_ASSIGN(const float* bias, optional_floats(ctx, 3));
  const Shape state = batch_first ? Shape{batch, dirs, hidden} : Shape{dirs, batch, hidden};
  const Shape all = batch_first ? Shape{batch, size.length, dirs, hidden} : Shape{size.length, dirs, batch, hidden};
  OL_ASSIGN(const FloatOutput y, float_output(ctx, 0, x.dtype(), all));
  OL_ASSIGN(const FloatOutput y_h, float_output(ctx, 1, x.dtype(), state));
  FloatOutput y_c;
  const float *h0 = nullptr, *c0 = nullptr, *peephole = nullptr;
  OL_ASSIGN(h0, optional_floats(ctx, 5));
  if (lstm) {
    OL_ASSIGN(y_c, float_output(ctx, 2, x.dtype(), state));
    OL_ASSIGN(c0, optional_floats(ctx, 6));
    OL_ASSIGN(peephole, optional_floats(ctx, 7));
  }
  std::fill_n(y.data, all.size(), 0.0f);
  OL_ASSIGN(float* projected, ctx.scratch_of<float>(size.length * batch * n));
  OL_ASSIGN(float* work, ctx.scratch_of<float>(batch * (n + 3 * hidden)));
  float* quantized = nullptr;
  if (quantizes_activations()) {
    OL_ASSIGN(quantized, ctx.scratch_of<float>(batch * std::max(size.length * size.input, hidden)));
  }
  float *gate = work, *extra = gate + batch * n, *h = extra + batch * hidden, *c = h + batch * hidden;
  for (int64_t d = 0; d < dirs; ++d) {
    // State row b of this direction within [dirs, batch] or [batch, dirs].
    const auto state_at = [&](int64_t b) { return (batch_first ? b * dirs + d : d * batch + b) * hidden; };
    std::fill_n(h, 2 * batch * hidden, 0.0f);
    for (int64_t b = 0; b < batch; ++b) {
      if (h0) std::copy_n(h0 + state_at(b), hidden, h + b * hidden);
      if (c0) std::copy_n(c0 + state_at(b), hidden, c + b * hidden);
    }
    Weights weights = unpack(packed + d * packed_size(size.input, hidden), size.input, hidden);
    weights.bias.assign(static_cast<size_t>(n), 0.0f);
    weights.last_bias.assign(static_cast<size_t>(hidden), 0.0f);
    for (int64_t i = 0; bias && i < n; ++i) {
      const float wb = bias[d * 2 * n + i], rb = bias[d * 2 * n + n + i];
      const bool apart = linear_before_reset && i >= r_columns(hidden);
      weights.bias[static_cast<size_t>(i)] = apart ? wb : wb + rb;
      if (apart) weights.last_bias[static_cast<size_t>(i - r_columns(hidden))] = rb;
    }
    const int64_t y_time = batch_first ? dirs * hidden : dirs * batch * hidden;
    const int64_t y_batch = batch_first ? size.length * dirs * hidden : hidden;
    run_direction(Direction{cells[d], std::move(weights), d == 1 || reverse_first, size, xf,
                            peephole ? peephole + d * 3 * hidden : nullptr, lengths.data(), projected, gate, extra,
                            quantized, h, c, y.data + d * (batch_first ? hidden : batch * hidden), y_time, y_batch,
                            batch_first});
    for (int64_t b = 0; b < batch; ++b) {
      std::copy_n(h + b * hidden, hidden, y_h.data + state_at(b));
      if (lstm) std::copy_n(c + b * hidden, hidden, y_c.data + state_at(b));
    }
  }
  y.finish();
  y_h.finish();
  if (lstm) y_c.finish();
  return {};
}

struct Rnn : Recurrent {
  Status init(Attrs& a) { return read(a, "RNN"); }
  void step(const Step& s, float* gate, float*, float* h, float*) const override {
    clip_values(s.spec.clip, gate, s.hidden);
    activate(s.spec.f, gate, s.hidden);
    std::copy_n(gate, s.hidden, h);
  }
};

struct Gru : Recurrent {
  Status init(Attrs& a) { return read(a, "GRU"); }
  // gate is [z, r, h]; extra becomes r * h_prev.
  void before_last_gate(const Step& s, float* gate, const float* h, float* extra) const override {
    clip_values(s.spec.clip, gate, 2 * s.hidden);
    activate(s.spec.f, gate, 2 * s.hidden);
    for (int64_t i = 0; i < s.hidden; ++i) extra[i] = gate[s.hidden + i] * h[i];
  }
  void step(const Step& s, float* gate, float* extra, float* h, float*) const override {
    float* candidate = gate + 2 * s.hidden;
    if (linear_before_reset) {
      clip_values(s.spec.clip, gate, 2 * s.hidden);
      activate(s.spec.f, gate, 2 * s.hidden);
      for (int64_t i = 0; i < s.hidden; ++i) candidate[i] += gate[s.hidden + i] * extra[i];
    }
    gru_output(s.spec, gate, candidate, s.hidden, h);
  }
};

struct Lstm : Recurrent {
  Status init(Attrs& a) { return read(a, "LSTM"); }
  void step(const Step& s, float* gate, float*, float* h, float* c) const override {
    lstm_cell(s.spec, gate, s.peephole, s.hidden, h, c);
  }
};

// Weights are 8-bit, transposed ([directions, input, 4 * hidden]), with scales and zero points per direction or column
// (inputs 8 to 11); X and the hidden state are quantized to uint8 as they come. The arithmetic is done on what the
// quantized numbers stand for, so it differs from integer arithmetic by float rounding only.
struct DynamicQuantizeLstm : Lstm {
  Status prepare(std::span<const Tensor>, Pool&) override { return {}; }
  bool quantizes_activations() const override { return true; }
  int64_t input_size(const OpContext& ctx) const override { return ctx.in(1).dim(1); }

  Result<const float*> weights(OpContext& ctx, int64_t* hidden) const override {
    const Tensor& w = ctx.in(1);
    const Tensor& r = ctx.in(2);
    if (w.rank() != 3 || r.rank() != 3 || w.dim(0) != directions || r.dim(0) != directions ||
        r.dim(2) != 4 * r.dim(1) || w.dim(2) != r.dim(2)) {
      return run_failed("W of shape ", w.shape(), " and R of shape ", r.shape(), " must be [", directions,
                        ", input, 4 * hidden] and [", directions, ", hidden, 4 * hidden]");
    }
    *hidden = r.dim(1);
    const int64_t input = w.dim(1), size = packed_size(input, *hidden);
    OL_ASSIGN(const float* wf, dequantize(ctx, w, 8));
    OL_ASSIGN(const float* rf, dequantize(ctx, r, 10));
    OL_ASSIGN(float* out, ctx.scratch_of<float>(directions * size));
    for (int d = 0; d < directions; ++d) {
      pack(wf + d * input * 4 * *hidden, rf + d * *hidden * 4 * *hidden, input, *hidden, true, out + d * size);
    }
    return static_cast<const float*>(out);
  }

  Result<float*> dequantize(OpContext& ctx, const Tensor& w, int scale_input) const {
    OL_ASSIGN(float* out, ctx.scratch_of<float>(w.size()));
    to_floats(w.dtype(), w.raw(), w.size(), out);
    OL_ASSIGN(const float* scale, floats_of(ctx, ctx.in(scale_input)));
    OL_ASSIGN(const float* zero, optional_floats(ctx, scale_input + 1));
    const int64_t columns = w.dim(2), rows = w.dim(1), given = ctx.in(scale_input).size();
    if ((given != directions && given != directions * columns) || (zero && ctx.in(scale_input + 1).size() != given)) {
      return run_failed("weight scale and zero point must have ", directions, " or ", directions * columns,
                        " elements; the scale has ", given);
    }
    for (int64_t i = 0; i < w.size(); ++i) {
      const int64_t d = i / (rows * columns), at = given == directions ? d : d * columns + i % columns;
      out[i] = (out[i] - (zero ? zero[at] : 0.0f)) * scale[at];
    }
    return out;
  }
};

const OpRow kRows[] = {
    {"RNN", 1, make<Rnn>},
    {"GRU", 1, make<Gru>},
    {"LSTM", 1, make<Lstm>},
};
const OpRow kContribRows[] = {
    {"DynamicQuantizeLSTM", 1, make<DynamicQuantizeLstm>},
};

}  // namespace

extern const OpTable kRecurrentOps{"", kRows};
extern const OpTable kRecurrentContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
