// y = a x + b with constant a and b for each channel (BatchNormalization, and Mul, Div, Add, Sub by constants) after a
// node that has such factors of its own: Conv, ConvTranspose, Gemm, MatMul and BatchNormalization take them into their
// constants.
#include <algorithm>
#include <cmath>

#include "graph/match.h"
#include "graph/passes.h"

namespace onnxlet {
namespace {

using Numbers = std::vector<double>;

// One factor and one summand per channel.
struct Affine {
  Numbers a, b;
  bool finite() const {
    const auto fine = [](double v) { return std::isfinite(v); };
    return std::all_of(a.begin(), a.end(), fine) && std::all_of(b.begin(), b.end(), fine);
  }
  bool scales() const {
    return std::any_of(a.begin(), a.end(), [](double v) { return v != 1; });
  }
  bool shifts() const {
    return std::any_of(b.begin(), b.end(), [](double v) { return v != 0; });
  }
};

// Rounding scaled weights to half precision would cost more than it saves.
bool is_plain_float(DType t) { return t == DType::kFloat || t == DType::kDouble; }

std::optional<Numbers> numbers(const Tensor* t) {
  if (t == nullptr || !is_plain_float(t->dtype())) return std::nullopt;
  Numbers out(static_cast<size_t>(t->size()));
  if (t->dtype() == DType::kFloat)
    std::copy_n(t->data<float>(), t->size(), out.begin());
  else
    std::copy_n(t->data<double>(), t->size(), out.begin());
  return out;
}

Result<ValueId> add_vector(Matcher& m, std::string_view name, const Numbers& values, DType type, Pool& pool) {
  OL_ASSIGN(Tensor t, Tensor::allocate(pool, type, Shape{static_cast<int64_t>(values.size())}));
  if (type == DType::kFloat)
    std::transform(values.begin(), values.end(), t.mutable_data<float>(),
                   [](double v) { return static_cast<float>(v); });
  else
    std::copy(values.begin(), values.end(), t.mutable_data<double>());
  return m.add_constant(name, std::move(t));
}

// Where the channels of a node's result are: `count` along axis `axis` of `rank` axes. rank 0: unknown, and the
// channels are on the last axis.
struct Channels {
  int64_t count = 0;
  int axis = 0, rank = 0;
};

// The constant as one number per channel, if broadcasting reads it so and leaves the result's shape as it is.
std::optional<Numbers> per_channel(const Tensor* t, const Channels& channels) {
  std::optional<Numbers> values = numbers(t);
  if (!values || t->rank() > std::max(channels.rank, 1)) return std::nullopt;
  if (t->size() == 1) return Numbers(static_cast<size_t>(channels.count), (*values)[0]);
  const int from_end = channels.rank == 0 ? 1 : channels.rank - channels.axis;
  if (t->size() != channels.count || t->rank() < from_end || t->dim(t->rank() - from_end) != channels.count) {
    return std::nullopt;
  }
  return values;
}

bool runs_as_inference(const IrNode& n) {
  if (n.since_version() >= 14) return int_attribute(n, "training_mode", 0) == 0;
  return std::all_of(n.outputs.begin() + 1, n.outputs.end(), [](ValueId id) { return id == kAbsent; }) &&
         (n.since_version() >= 9 || int_attribute(n, "spatial", 1) != 0);
}

std::optional<Affine> batch_norm_affine(Matcher& m, const IrNode& n, const Channels& channels) {
  if (!runs_as_inference(n) || channels.axis != 1 || channels.rank < 2) return std::nullopt;
  Numbers parameter[4];
  for (size_t i = 0; i < 4; ++i) {
    std::optional<Numbers> values = numbers(m.graph().constant(Matcher::input(n, i + 1)));
    if (!values || static_cast<int64_t>(values->size()) != channels.count) return std::nullopt;
    parameter[i] = std::move(*values);
  }
  const double epsilon = static_cast<double>(float_attribute(n, "epsilon", 1e-5f));
  Affine f{parameter[0], parameter[1]};
  for (size_t c = 0; c < f.a.size(); ++c) {
    f.a[c] /= std::sqrt(parameter[3][c] + epsilon);
    f.b[c] -= parameter[2][c] * f.a[c];
  }
  return f;
}

// What node n does to its input `data`.
std::optional<Affine> affine_of(Matcher& m, const IrNode& n, ValueId data, const Channels& channels) {
  if (n.op_type == "BatchNormalization") return batch_norm_affine(m, n, channels);
  if (n.inputs.size() != 2) return std::nullopt;
  const bool data_first = n.inputs[0] == data;
  const std::optional<Numbers> c = per_channel(m.graph().constant(n.inputs[data_first ? 1 : 0]), channels);
  if (!c) return std::nullopt;
  Affine f{Numbers(c->size(), 1), Numbers(c->size(), 0)};
  if (n.op_type == "Mul") {
    f.a = *c;
  } else if (n.op_type == "Div") {
    if (!data_first) return std::nullopt;
    std::transform(c->begin(), c->end(), f.a.begin(), [](double v) { return 1 / v; });
  } else {
    const bool minus = n.op_type == "Sub" && data_first;
    f.b = *c;
    if (minus) std::transform(c->begin(), c->end(), f.b.begin(), [](double v) { return -v; });
    if (n.op_type == "Sub" && !data_first) f.a.assign(c->size(), -1);
  }
  return f;
}

// Constant weights of a node as [outer, channels, inner].
struct Weights {
  Channels channels;  // of the result
  int64_t outer = 1, width = 0, inner = 1;
  int64_t outer_per_group = 0;  // ConvTranspose: rows of the weights that share their output channels; 0: all
};

std::optional<Weights> weights_of(Matcher& m, const IrNode& n) {
  const Tensor* w = m.graph().constant(Matcher::input(n, 1));
  if (w == nullptr || !is_plain_float(w->dtype()) || m.readers(n.inputs[1]) != 1) return std::nullopt;
  if (n.op_type == "Conv") {
    if (w->rank() < 3) return std::nullopt;
    return Weights{{w->dim(0), 1, w->rank()}, 1, w->dim(0), w->shape().product(1, w->rank())};
  }
  if (n.op_type == "ConvTranspose") {
    const int64_t group = int_attribute(n, "group", 1);
    if (w->rank() < 3 || group < 1 || w->dim(0) % group != 0) return std::nullopt;
    return Weights{
        {w->dim(1) * group, 1, w->rank()}, w->dim(0), w->dim(1), w->shape().product(2, w->rank()), w->dim(0) / group};
  }
  if (w->rank() != 2) return std::nullopt;
  const bool transposed = n.op_type == "Gemm" && int_attribute(n, "transB", 0) != 0;
  const int64_t columns = w->dim(transposed ? 0 : 1);
  const Channels channels{columns, 1, n.op_type == "Gemm" ? 2 : 0};
  return transposed ? Weights{channels, 1, columns, w->dim(1)} : Weights{channels, w->dim(0), columns, 1};
}

template <class T>
void scale_weights(const Weights& w, const Numbers& a, T* t) {
  for (int64_t o = 0; o < w.outer; ++o) {
    const int64_t first = w.outer_per_group == 0 ? 0 : o / w.outer_per_group * w.width;
    for (int64_t c = 0; c < w.width; ++c) {
      const double factor = a[static_cast<size_t>(first + c)];
      for (int64_t i = 0; i < w.inner; ++i, ++t) *t = static_cast<T>(static_cast<double>(*t) * factor);
    }
  }
}

void scale_weights(const Weights& w, const Numbers& a, Tensor& t) {
  if (t.dtype() == DType::kFloat)
    scale_weights(w, a, t.mutable_data<float>());
  else
    scale_weights(w, a, t.mutable_data<double>());
}

// Conv, ConvTranspose, Gemm and MatMul: a into the weights, b into the bias.
Result<bool> fold_into_weights(Matcher& m, IrNode& n, const IrNode& from, Pool& pool) {
  const std::optional<Weights> w = weights_of(m, from);
  if (!w) return false;
  const std::optional<Affine> f = affine_of(m, n, from.outputs[0], w->channels);
  if (!f || !f->finite() || from.inputs.size() > 3) return false;
  const ValueId bias_id = Matcher::input(from, 2);
  // One factor for all rides on FusedMatMul's alpha, without a copy of the weights.
  const bool uniform = std::all_of(f->a.begin(), f->a.end(), [&](double v) { return v == f->a[0]; });
  if (from.op_type == "MatMul" && (f->shifts() || uniform)) return false;
  Numbers bias(f->b.size(), 0);
  if (bias_id != kAbsent) {
    const Tensor* constant = m.graph().constant(bias_id);
    const std::optional<Numbers> old =
        per_channel(constant, from.op_type == "Gemm" ? w->channels : Channels{w->channels.count, 0, 1});
    const double beta = from.op_type == "Gemm" ? static_cast<double>(float_attribute(from, "beta", 1)) : 1;
    if (!old) return false;
    std::transform(old->begin(), old->end(), bias.begin(), [&](double v) { return beta * v; });
  }
  for (size_t c = 0; c < bias.size(); ++c) bias[c] = bias[c] * f->a[c] + f->b[c];
  const Tensor* weights = m.graph().constant(from.inputs[1]);
  const DType type = weights->dtype();
  std::vector<ValueId> inputs{from.inputs[0], from.inputs[1]};
  if (f->scales() && !weights->unique()) {
    OL_ASSIGN(Tensor copy, weights->copy(pool));
    inputs[1] = m.add_constant(m.graph().value(from.inputs[1]).name, std::move(copy));
  }
  const ValueId weights_id = inputs[1];
  if (bias_id != kAbsent || f->shifts()) {
    OL_ASSIGN(const ValueId id, add_vector(m, "bias", bias, type, pool));
    inputs.push_back(id);
  }
  if (!m.become_like(n, from, std::move(inputs))) return false;
  if (n.op_type == "Gemm") Matcher::unset(n, "beta");
  if (f->scales()) scale_weights(*w, f->a, m.graph().value(weights_id).constant);
  return true;
}

Result<bool> fold_into_batch_norm(Matcher& m, IrNode& n, const IrNode& from, Pool& pool) {
  const Tensor* scale = m.graph().constant(Matcher::input(from, 1));
  const std::optional<Numbers> old_scale = numbers(scale), old_bias = numbers(m.graph().constant(from.inputs[2]));
  const int rank = m.rank(from.outputs[0]).value_or(0);
  if (!old_scale || !old_bias || old_scale->size() != old_bias->size() || rank < 2 || !runs_as_inference(from)) {
    return false;
  }
  const std::optional<Affine> f = affine_of(m, n, from.outputs[0], {scale->size(), 1, rank});
  if (!f || !f->finite()) return false;
  Affine joined = *f;
  for (size_t c = 0; c < f->a.size(); ++c) {
    joined.a[c] *= (*old_scale)[c];
    joined.b[c] += (*old_bias)[c] * f->a[c];
  }
  const DType type = scale->dtype();
  OL_ASSIGN(const ValueId a, add_vector(m, "scale", joined.a, type, pool));
  OL_ASSIGN(const ValueId b, add_vector(m, "bias", joined.b, type, pool));
  return m.become_like(n, from, {from.inputs[0], a, b, from.inputs[3], from.inputs[4]});
}

Result<bool> fold(Matcher& m, IrNode& n, Pool& pool) {
  if (n.op_type == "BatchNormalization" && !runs_as_inference(n)) return false;
  for (ValueId id : n.inputs) {
    const IrNode* from = m.producer(id);
    if (from == nullptr || !from->domain.empty() || m.readers(id) != 1) continue;
    if (from->op_type == "BatchNormalization") return fold_into_batch_norm(m, n, *from, pool);
    const bool weighted = from->op_type == "Conv" || from->op_type == "ConvTranspose" || from->op_type == "Gemm" ||
                          from->op_type == "MatMul";
    if (weighted) return fold_into_weights(m, n, *from, pool);
  }
  return false;
}

constexpr Rule kRules[] = {
    {"BatchNormalization", fold}, {"Mul", fold}, {"Div", fold}, {"Add", fold}, {"Sub", fold},
};

}  // namespace

Result<bool> fold_affine(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
