// Activations that exporters spell out in arithmetic: Gelu in both forms, Swish, HardSigmoid, HardSwish, Mish, Clip.
//
// An activation is recognized around its one node that is no arithmetic (Erf, Tanh, Sigmoid, Clip): its argument must
// be a given polynomial in some x, and what follows it a given polynomial in x and its result t. Comparing coefficients
// finds every order of operands and factors that exporters write.
#include <algorithm>
#include <array>
#include <cmath>

#include "graph/match.h"
#include "graph/passes.h"

namespace onnxlet {
namespace {

constexpr int kDeepest = 8;

// Coefficients of x^i t^j.
struct Polynomial {
  static constexpr int kX = 4, kT = 2;
  std::array<std::array<double, kT>, kX> c{};

  static Polynomial constant(double v) {
    Polynomial p;
    p.c[0][0] = v;
    return p;
  }
  static Polynomial term(int x, int t, double v = 1) {
    Polynomial p;
    p.c[static_cast<size_t>(x)][static_cast<size_t>(t)] = v;
    return p;
  }
};
using MaybePolynomial = std::optional<Polynomial>;

Polynomial sum(Polynomial a, const Polynomial& b, double sign) {
  for (size_t i = 0; i < a.c.size(); ++i) {
    for (size_t j = 0; j < a.c[i].size(); ++j) a.c[i][j] += sign * b.c[i][j];
  }
  return a;
}

MaybePolynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial p;
  for (size_t i = 0; i < Polynomial::kX; ++i) {
    for (size_t j = 0; j < Polynomial::kT; ++j) {
      if (a.c[i][j] == 0) continue;
      for (size_t k = 0; k < Polynomial::kX; ++k) {
        for (size_t l = 0; l < Polynomial::kT; ++l) {
          if (b.c[k][l] == 0) continue;
          if (i + k >= Polynomial::kX || j + l >= Polynomial::kT) return std::nullopt;
          p.c[i + k][j + l] += a.c[i][j] * b.c[k][l];
        }
      }
    }
  }
  return p;
}

// Values as polynomials in x and t; remembers what the constants on the way say about types and ranks.
class Reader {
 public:
  Reader(Matcher& m, ValueId x, ValueId t) : m_(m), x_(x), t_(t) {}

  MaybePolynomial read(ValueId id, int depth = 0) {
    if (id == kAbsent) return std::nullopt;
    if (id == x_) return Polynomial::term(1, 0);
    if (id == t_) return Polynomial::term(0, 1);
    if (const std::optional<double> s = m_.scalar(id)) {
      note(*m_.graph().constant(id));
      return Polynomial::constant(*s);
    }
    IrNode* n = depth > kDeepest ? nullptr : m_.producer(id);
    return n == nullptr || !n->domain.empty() ? std::nullopt : apply(*n, depth + 1);
  }
  DType dtype() const { return dtype_; }
  int rank() const { return rank_; }

 private:
  MaybePolynomial apply(const IrNode& n, int depth) {
    const MaybePolynomial a = read(Matcher::input(n, 0), depth);
    if (!a) return std::nullopt;
    if (n.op_type == "Neg") return sum({}, *a, -1);
    if (n.inputs.size() != 2) return std::nullopt;
    if (n.op_type == "Pow") return power(*a, n.inputs[1]);
    const MaybePolynomial b = read(n.inputs[1], depth);
    if (!b) return std::nullopt;
    if (n.op_type == "Add" || n.op_type == "Sub") return sum(*a, *b, n.op_type == "Add" ? 1 : -1);
    if (n.op_type == "Mul") return product(*a, *b);
    const std::optional<double> divisor = m_.scalar(n.inputs[1]);
    if (n.op_type != "Div" || !divisor || *divisor == 0) return std::nullopt;
    return product(*a, Polynomial::constant(1 / *divisor));
  }

  MaybePolynomial power(const Polynomial& base, ValueId exponent) {
    const std::optional<double> e = m_.scalar(exponent);
    if (!e || (*e != 2 && *e != 3)) return std::nullopt;
    rank_ = std::max(rank_, m_.graph().constant(exponent)->rank());  // its type is its own
    const MaybePolynomial square = product(base, base);
    return *e == 2 || !square ? square : product(*square, base);
  }

  void note(const Tensor& constant) {
    dtype_ = constant.dtype();
    rank_ = std::max(rank_, constant.rank());
  }

  Matcher& m_;
  ValueId x_, t_;
  DType dtype_ = DType::kUndefined;
  int rank_ = 0;
};

bool same(const Polynomial& a, const Polynomial& b, DType type) {
  for (size_t i = 0; i < a.c.size(); ++i) {
    for (size_t j = 0; j < a.c[i].size(); ++j) {
      if (!close(a.c[i][j], b.c[i][j], type)) return false;
    }
  }
  return true;
}

// Values that `id` is computed from by arithmetic, itself first: any of them may be the x of an activation.
void candidates(Matcher& m, ValueId id, int depth, std::vector<ValueId>* out) {
  if (id == kAbsent || m.graph().constant(id) != nullptr || depth > kDeepest) return;
  if (std::find(out->begin(), out->end(), id) != out->end()) return;
  out->push_back(id);
  const IrNode* n = m.producer(id);
  constexpr std::string_view kArithmetic[] = {"Add", "Sub", "Mul", "Div", "Neg", "Pow"};
  if (n == nullptr || !n->domain.empty()) return;
  if (std::find(std::begin(kArithmetic), std::end(kArithmetic), n->op_type) == std::end(kArithmetic)) return;
  for (ValueId in : n->inputs) candidates(m, in, depth + 1, out);
}

std::vector<ValueId> deepest_first(Matcher& m, ValueId id) {
  std::vector<ValueId> values;
  candidates(m, id, 0, &values);
  std::reverse(values.begin(), values.end());
  return values;
}

struct Found {
  IrNode* root = nullptr;
  DType dtype = DType::kUndefined;
};

// The node after t that computes `wanted`, on a path of values that are read once.
Found follow(Matcher& m, ValueId x, ValueId t, const Polynomial& wanted, Reader* reader) {
  ValueId at = t;
  for (int step = 0; step < kDeepest; ++step) {
    IrNode* next = m.only_reader(at);
    if (next == nullptr || !next->domain.empty() || next->outputs.size() != 1) return {};
    at = next->outputs[0];
    const MaybePolynomial p = reader->read(at);
    if (!p) return {};
    const DType type = reader->dtype() != DType::kUndefined ? reader->dtype() : m.dtype(x);
    if (is_integer(type)) return {};
    // Constants with axes of length 1 could give the result more axes than x has.
    if (same(*p, wanted, type) && reader->rank() <= m.least_rank(x)) return {next, type};
  }
  return {};
}

// x from the argument of the node that computes t: `argument` accepts it as a polynomial in x, and the arithmetic that
// follows t is `result`.
template <class Accepts>
Found find_activation(Matcher& m, const IrNode& n, Accepts argument, const Polynomial& result, ValueId* x) {
  for (ValueId id : deepest_first(m, n.inputs[0])) {
    Reader reader(m, id, n.outputs[0]);
    const MaybePolynomial p = reader.read(n.inputs[0]);
    if (!p || !argument(*p, reader.dtype())) continue;
    *x = id;
    const Found found = follow(m, id, n.outputs[0], result, &reader);
    if (found.root != nullptr) return found;
  }
  return {};
}

constexpr double kSqrtHalf = 0.70710678118654752440, kTanhScale = 0.79788456080286535588, kCubic = 0.044715;

// scale * (x + kCubic x^3): the argument of Gelu's tanh form.
Polynomial cubic(double scale) { return sum(Polynomial::term(1, 0, scale), Polynomial::term(3, 0, scale * kCubic), 1); }
Polynomial gated() { return Polynomial::term(1, 1); }                                                 // x t
Polynomial half_gated() { return sum(Polynomial::term(1, 0, 0.5), Polynomial::term(1, 1, 0.5), 1); }  // x (1 + t) / 2

Result<bool> gelu_from_erf(Matcher& m, IrNode& n, Pool&) {
  ValueId x = kAbsent;
  const auto argument = [](const Polynomial& p, DType type) {
    return same(p, Polynomial::term(1, 0, kSqrtHalf), type);
  };
  const Found found = find_activation(m, n, argument, half_gated(), &x);
  return found.root != nullptr && m.become(*found.root, "Gelu", 20, {}, {x});
}

bool make_tanh_gelu(Matcher& m, const Found& found, ValueId x) {
  if (found.root == nullptr || !m.become(*found.root, "Gelu", 20, {}, {x})) return false;
  Matcher::set(*found.root, "approximate", std::string_view("tanh"));
  return true;
}

Result<bool> gelu_from_tanh(Matcher& m, IrNode& n, Pool&) {
  ValueId x = kAbsent;
  const auto argument = [](const Polynomial& p, DType type) { return same(p, cubic(kTanhScale), type); };
  const Found found = find_activation(m, n, argument, half_gated(), &x);
  return make_tanh_gelu(m, found, x);
}

Result<bool> mish(Matcher& m, IrNode& n, Pool&) {
  const IrNode* softplus = m.producer(n.inputs[0], "Softplus");
  if (softplus == nullptr || !m.feeds_only(n.inputs[0], n)) return false;
  const ValueId x = softplus->inputs[0];
  Reader reader(m, x, n.outputs[0]);
  const Found found = follow(m, x, n.outputs[0], gated(), &reader);
  return found.root != nullptr && m.become(*found.root, "Mish", 22, {}, {x});
}

// sigmoid(2 z) = (1 + tanh(z)) / 2, so Gelu's tanh form exists with Sigmoid too.
Result<bool> from_sigmoid(Matcher& m, IrNode& n, Pool&) {
  ValueId x = kAbsent;
  const auto as_tanh = [](const Polynomial& p, DType type) { return same(p, cubic(2 * kTanhScale), type); };
  const Found gelu = find_activation(m, n, as_tanh, gated(), &x);
  if (make_tanh_gelu(m, gelu, x)) return true;
  double alpha = 0;
  const auto scaled = [&](const Polynomial& p, DType type) {
    alpha = p.c[1][0];
    return alpha != 0 && same(p, Polynomial::term(1, 0, alpha), type);
  };
  const Found found = find_activation(m, n, scaled, gated(), &x);
  if (found.root == nullptr) return false;
  // Swish knows no double; QuickGelu is the same function.
  const bool narrow = found.dtype == DType::kFloat || found.dtype == DType::kFloat16 || found.dtype == DType::kBFloat16;
  const bool done = narrow ? m.become(*found.root, "Swish", 24, {}, {x})
                           : m.become(*found.root, "QuickGelu", 1, "com.microsoft", {x});
  if (done) Matcher::set(*found.root, "alpha", static_cast<float>(alpha));
  return done;
}

bool make_hard_sigmoid(Matcher& m, IrNode& n, ValueId x, double alpha, double beta) {
  if (!m.become(n, "HardSigmoid", 22, {}, {x})) return false;
  Matcher::set(n, "alpha", static_cast<float>(alpha));
  Matcher::set(n, "beta", static_cast<float>(beta));
  return true;
}

bool is_hard_swish(double alpha, double beta, DType type) {
  return close(alpha, 1.0 / 6, type) && close(beta, 0.5, type);
}

// clip(a x + b, 0, h), alone or divided by h and multiplied by x.
Result<bool> from_clip(Matcher& m, IrNode& n, Pool&) {
  const std::optional<double> lo = m.scalar(Matcher::input(n, 1)), hi = m.scalar(Matcher::input(n, 2));
  if (!lo || !hi || *lo != 0 || !(*hi > 0)) return false;
  double alpha = 0, beta = 0;
  const auto line = [&](const Polynomial& p, DType type) {
    alpha = p.c[1][0] / *hi;
    beta = p.c[0][0] / *hi;
    return alpha != 0 && (p.c[0][0] != 0 || p.c[1][0] != 1) &&
           same(p, sum(Polynomial::term(1, 0, p.c[1][0]), Polynomial::term(0, 0, p.c[0][0]), 1), type);
  };
  ValueId x = kAbsent;
  const auto hard_swish_line = [&](const Polynomial& p, DType type) {
    return line(p, type) && is_hard_swish(alpha, beta, type);
  };
  const Found swish = find_activation(m, n, hard_swish_line, Polynomial::term(1, 1, 1 / *hi), &x);
  if (swish.root != nullptr) return m.become(*swish.root, "HardSwish", 22, {}, {x});
  const Found sigmoid = find_activation(m, n, line, Polynomial::term(0, 1, 1 / *hi), &x);
  if (sigmoid.root != nullptr) return make_hard_sigmoid(m, *sigmoid.root, x, alpha, beta);
  if (*hi != 1) return false;
  for (ValueId id : deepest_first(m, n.inputs[0])) {
    Reader reader(m, id, kAbsent);
    const MaybePolynomial p = reader.read(n.inputs[0]);
    if (!p || !line(*p, reader.dtype()) || is_integer(reader.dtype()) || reader.rank() > m.least_rank(id)) continue;
    if (m.feeds_only(n.inputs[0], n)) return make_hard_sigmoid(m, n, id, alpha, beta);
  }
  return false;
}

Result<bool> hard_swish(Matcher& m, IrNode& n, Pool&) {
  if (!is_hard_swish(static_cast<double>(float_attribute(n, "alpha", 0.2f)),
                     static_cast<double>(float_attribute(n, "beta", 0.5f)), DType::kFloat)) {
    return false;
  }
  Reader reader(m, n.inputs[0], n.outputs[0]);
  const Found found = follow(m, n.inputs[0], n.outputs[0], gated(), &reader);
  return found.root != nullptr && m.become(*found.root, "HardSwish", 22, {}, {n.inputs[0]});
}

// min(max(x, lo), hi) and max(min(x, hi), lo); relu is max(x, 0).
Result<bool> clip_from_bounds(Matcher& m, IrNode& n, Pool& pool) {
  const auto outer = m.with_scalar(n);
  if (!outer) return false;
  const bool outer_is_min = n.op_type == "Min";
  IrNode* inner = m.producer(outer->value);
  if (inner == nullptr || !inner->domain.empty() || !m.feeds_only(outer->value, n)) return false;
  const ValueId outer_bound = n.inputs[outer->first ? 0 : 1];
  ValueId x = kAbsent, inner_bound = kAbsent;
  double inner_value = 0;
  int rank = outer->rank;
  if (outer_is_min && inner->op_type == "Relu") {
    x = inner->inputs[0];
  } else if (inner->op_type == (outer_is_min ? "Max" : "Min")) {
    const auto with = m.with_scalar(*inner);
    if (!with) return false;
    x = with->value;
    inner_value = with->scalar;
    inner_bound = inner->inputs[with->first ? 0 : 1];
    rank = std::max(rank, with->rank);
  } else {
    return false;
  }
  const bool ordered = outer_is_min ? inner_value <= outer->scalar : outer->scalar <= inner_value;
  if (!ordered || rank > m.least_rank(x)) return false;
  if (inner_bound == kAbsent) {
    const DType type = m.graph().constant(outer_bound)->dtype();
    OL_ASSIGN(inner_bound, m.add_number("zero", 0, type, Shape{}, pool));
  }
  return m.become(n, "Clip", 13, {},
                  outer_is_min ? std::vector{x, inner_bound, outer_bound} : std::vector{x, outer_bound, inner_bound});
}

constexpr Rule kRules[] = {
    {"Min", clip_from_bounds}, {"Max", clip_from_bounds}, {"Erf", gelu_from_erf}, {"Tanh", mish},
    {"Tanh", gelu_from_tanh},  {"Sigmoid", from_sigmoid}, {"Clip", from_clip},    {"HardSigmoid", hard_swish},
};

}  // namespace

Result<bool> fuse_activations(IrGraph& graph, Pool& pool) { return apply_rules(graph, pool, kRules); }

}  // namespace onnxlet
