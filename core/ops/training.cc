// ai.onnx.preview.training: one step of an optimizer on any number of tensors. Inputs are the learning rate R, the
// update count T, then all tensors X, all gradients G, and the optimizer's states; outputs are the new X and states.
#include <algorithm>
#include <cmath>

#include "kernels/convert.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

constexpr int kMaxStates = 2;

// One element: x and its states are updated in place.
struct Element {
  double x, gradient, state[kMaxStates];
};

struct Optimizer : Op {
  int states;
  float norm_coefficient;

  virtual double adjusted_rate(double rate, int64_t count) const = 0;
  virtual void step(double rate, int64_t count, Element* e) const = 0;

  Status run(OpContext& ctx) const override {
    const int groups = 2 + states, given = ctx.input_count() - 2;
    if (given <= 0 || given % groups != 0) {
      return run_failed("after R and T come ", groups, " equally long groups of tensors; there are ", given,
                        " tensors");
    }
    OL_ASSIGN(const double r, to_double(ctx.in(0), "R"));
    OL_ASSIGN(const int64_t count, to_int(ctx.in(1), "T"));
    const double rate = adjusted_rate(r, count);
    const int tensors = given / groups;
    for (int t = 0; t < tensors; ++t) OL_TRY(update(ctx, t, tensors, rate, count));
    return {};
  }

  Status update(OpContext& ctx, int t, int tensors, double rate, int64_t count) const {
    const ConstView x = ctx.in(2 + t).view();
    ConstView in[2 + kMaxStates];
    View out[1 + kMaxStates];
    for (int g = 0; g < 2 + states; ++g) {
      in[g] = ctx.in(2 + g * tensors + t).view();
      if (!(in[g].shape == x.shape) || in[g].dtype != x.dtype) {
        return run_failed("the tensors of one update must be alike; they are ", x.dtype, x.shape, " and ", in[g].dtype,
                          in[g].shape);
      }
    }
    for (int g = 0; g < 1 + states; ++g) {
      OL_ASSIGN(Tensor * y, ctx.out(g * tensors + t, x.dtype, x.shape));
      out[g] = y->mutable_view();
    }
    const auto size = static_cast<int64_t>(element_size(x.dtype));
    for (int64_t i = 0, n = x.size(); i < n; ++i) {
      Element e{};
      to_double(x.dtype, in[0].as<char>() + i * size, &e.x, 1);
      to_double(x.dtype, in[1].as<char>() + i * size, &e.gradient, 1);
      for (int s = 0; s < states; ++s) to_double(x.dtype, in[2 + s].as<char>() + i * size, &e.state[s], 1);
      e.gradient += norm_coefficient * e.x;
      step(rate, count, &e);
      from_double(&e.x, x.dtype, out[0].as<char>() + i * size, 1);
      for (int s = 0; s < states; ++s) from_double(&e.state[s], x.dtype, out[1 + s].as<char>() + i * size, 1);
    }
    return {};
  }
};

struct Adagrad : Optimizer {
  float epsilon, decay;
  Status init(Attrs& a) {
    states = 1;
    norm_coefficient = a.f("norm_coefficient");
    epsilon = a.f("epsilon", 1e-6f);
    decay = a.f("decay_factor");
    return {};
  }
  double adjusted_rate(double rate, int64_t count) const override {
    return rate / (1 + static_cast<double>(count) * decay);
  }
  void step(double rate, int64_t, Element* e) const override {
    e->state[0] += e->gradient * e->gradient;
    e->x -= rate * e->gradient / (std::sqrt(e->state[0]) + epsilon);
  }
};

struct Adam : Optimizer {
  float alpha, beta, epsilon, norm_post;
  Status init(Attrs& a) {
    states = 2;
    norm_coefficient = a.f("norm_coefficient");
    norm_post = a.f("norm_coefficient_post");
    alpha = a.f("alpha", 0.9f);
    beta = a.f("beta", 0.999f);
    epsilon = a.f("epsilon", 1e-6f);
    return {};
  }
  double adjusted_rate(double rate, int64_t count) const override {
    if (count <= 0) return rate;
    const auto t = static_cast<double>(count);
    return rate * std::sqrt(1 - std::pow(double{beta}, t)) / (1 - std::pow(double{alpha}, t));
  }
  void step(double rate, int64_t, Element* e) const override {
    e->state[0] = alpha * e->state[0] + (1.0 - alpha) * e->gradient;
    e->state[1] = beta * e->state[1] + (1.0 - beta) * e->gradient * e->gradient;
    e->x -= rate * e->state[0] / (std::sqrt(e->state[1]) + epsilon);
    e->x *= 1.0 - norm_post;
  }
};

struct Momentum : Optimizer {
  float alpha, beta;
  bool nesterov;
  Status init(Attrs& a) {
    states = 1;
    norm_coefficient = a.f("norm_coefficient");
    alpha = a.f("alpha");
    beta = a.f("beta");
    const std::string_view mode = a.s("mode");
    nesterov = mode == "nesterov";
    if (!nesterov && mode != "standard")
      return invalid_graph("Momentum: mode must be standard or nesterov; it is ", mode);
    return {};
  }
  double adjusted_rate(double rate, int64_t) const override { return rate; }
  void step(double rate, int64_t count, Element* e) const override {
    e->state[0] = alpha * e->state[0] + (count > 0 ? beta : 1.0f) * e->gradient;
    e->x -= rate * (nesterov ? e->gradient + alpha * e->state[0] : e->state[0]);
  }
};

const OpRow kRows[] = {
    {"Adagrad", 1, make<Adagrad>},
    {"Adam", 1, make<Adam>},
    {"Momentum", 1, make<Momentum>},
};

}  // namespace

extern const OpTable kTrainingOps{"ai.onnx.preview.training", kRows};

}  // namespace onnxlet
