// FlexAttention of ai.onnx.preview: attention whose scores and probabilities pass through subgraphs of the model. It is
// therefore a control operator: the interpreter runs the subgraphs between its stages.
#include <algorithm>
#include <cmath>

#include "kernels/convert.h"
#include "kernels/softmax.h"
#include "runtime/control.h"

namespace onnxlet {
namespace {

// Everything in double: the subgraphs set the pace, not these products.
struct FlexState : ControlState {
  Pool& pool;
  Tensor q, k, v, weights;  // weights: [batch, heads, q_len, kv_len], first scores, then probabilities
  double scale = 1;
  DType precision = DType::kFloat;
  int score_mod = -1, prob_mod = -1;
  enum class Stage : uint8_t { kStart, kScored, kProbabilities } stage = Stage::kStart;

  explicit FlexState(Pool& p) : pool(p) {}

  Result<Tensor> doubles(const Tensor& t) const {
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, DType::kDouble, t.shape()));
    to_double(t.dtype(), t.raw(), out.mutable_data<double>(), t.size());
    return out;
  }
  Result<Tensor> rounded(const Tensor& t, DType type) const {
    OL_ASSIGN(Tensor out, Tensor::allocate(pool, type, t.shape()));
    from_double(t.data<double>(), type, out.mutable_raw(), t.size());
    return out;
  }

  // c[b, h, i, j] = sum over e of a[b, h, i, e] * m[b, h / group, ...], m's last axes being (j, e) or, not transposed,
  // (e, j).
  Result<Tensor> product(const Tensor& a, const Tensor& m, bool transposed) const {
    const int64_t rows = a.dim(2), depth = a.dim(3), columns = m.dim(transposed ? 2 : 3), group = a.dim(1) / m.dim(1);
    OL_ASSIGN(Tensor c, Tensor::allocate(pool, DType::kDouble, Shape{a.dim(0), a.dim(1), rows, columns}));
    const int64_t row_step = transposed ? 1 : columns, column_step = transposed ? depth : 1;
    for (int64_t bh = 0; bh < a.dim(0) * a.dim(1); ++bh) {
      const double* left = a.data<double>() + bh * rows * depth;
      const double* right = m.data<double>() + (bh / a.dim(1) * m.dim(1) + bh % a.dim(1) / group) * depth * columns;
      double* out = c.mutable_data<double>() + bh * rows * columns;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          double sum = 0;
          for (int64_t e = 0; e < depth; ++e) sum += left[i * depth + e] * right[e * row_step + j * column_step];
          out[i * columns + j] = sum;
        }
      }
    }
    return c;
  }

  Status take_back(std::vector<Value>* results, const char* name) {
    if (results->size() != 1 || !(*results)[0].is_tensor() || !((*results)[0].tensor().shape() == weights.shape())) {
      return run_failed(name, " must give one tensor of shape ", weights.shape());
    }
    weights = (*results)[0].tensor();
    return {};
  }

  Result<BodyCall> advance(std::vector<Value> results) override {
    BodyCall call;
    if (stage == Stage::kStart) {
      OL_ASSIGN(const Tensor a, doubles(q));
      OL_ASSIGN(const Tensor b, doubles(k));
      OL_ASSIGN(Tensor scores, product(a, b, true));
      for (int64_t i = 0; i < scores.size(); ++i) scores.mutable_data<double>()[i] *= scale;
      OL_ASSIGN(weights, rounded(scores, precision));
      stage = Stage::kScored;
      if (score_mod >= 0) {
        call.body = score_mod;
        call.inputs.push_back(Value(weights));
        return call;
      }
    } else {
      OL_TRY(take_back(&results, stage == Stage::kScored ? "score_mod" : "prob_mod"));
    }
    if (stage == Stage::kScored) {
      OL_ASSIGN(Tensor p, doubles(weights));
      softmax(false, p.data<double>(), p.dim(0) * p.dim(1) * p.dim(2), p.dim(3), 1, p.mutable_data<double>());
      OL_ASSIGN(weights, rounded(p, precision));
      stage = Stage::kProbabilities;
      if (prob_mod >= 0) {
        call.body = prob_mod;
        call.inputs.push_back(Value(weights));
        return call;
      }
    }
    OL_ASSIGN(const Tensor p, doubles(weights));
    OL_ASSIGN(const Tensor values, doubles(v));
    OL_ASSIGN(const Tensor y, product(p, values, false));
    OL_ASSIGN(Tensor out, rounded(y, v.dtype()));
    call.outputs.push_back(Value(std::move(out)));
    return call;
  }
};

struct FlexAttention : ControlOp {
  bool has_scale = false;
  float scale = 0;
  DType precision = DType::kUndefined;

  Status init(Attrs& a) {
    has_scale = a.has("scale");
    scale = a.f("scale", 0);
    precision = a.dtype("softmax_precision", DType::kUndefined);
    if (precision != DType::kUndefined && !is_float(precision)) {
      return invalid_graph("softmax_precision must be a float type; it is ", precision);
    }
    return {};
  }

  Result<std::unique_ptr<ControlState>> start(std::vector<Value> inputs, const Step& step, Pool& pool) const override {
    auto state = std::make_unique<FlexState>(pool);
    state->q = inputs[0].tensor(), state->k = inputs[1].tensor(), state->v = inputs[2].tensor();
    const Tensor &q = state->q, &k = state->k, &v = state->v;
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || k.dim(0) != q.dim(0) || v.dim(0) != q.dim(0) ||
        k.dim(3) != q.dim(3) || k.dim(1) != v.dim(1) || k.dim(2) != v.dim(2) || k.dim(1) < 1 ||
        q.dim(1) % k.dim(1) != 0) {
      return run_failed("Q, K and V of shapes ", q.shape(), ", ", k.shape(), " and ", v.shape(),
                        " do not fit together");
    }
    state->scale = has_scale ? static_cast<double>(scale) : 1 / std::sqrt(static_cast<double>(q.dim(3)));
    state->precision = q.dtype() == DType::kDouble ? DType::kDouble : DType::kFloat;
    if (precision != DType::kUndefined) state->precision = precision;
    for (size_t i = 0; i < step.node.subgraphs.size(); ++i) {
      const std::string_view name = step.node.subgraphs[i].attribute;
      (name == "score_mod" ? state->score_mod : state->prob_mod) = static_cast<int>(i);
    }
    return std::unique_ptr<ControlState>(std::move(state));
  }
};

const OpRow kRows[] = {
    {"FlexAttention", 1, make<FlexAttention>, kControl},
};

}  // namespace

extern const OpTable kFlexAttentionOps{"ai.onnx.preview", kRows};

}  // namespace onnxlet
