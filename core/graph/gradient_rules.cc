// How each operator is differentiated. Formulas are in the language of formula.cc.
#include <algorithm>

#include "graph/backward.h"

namespace onnxlet {
namespace {

struct FormulaRule {
  const char* op_type;
  int input;
  const char* formula;
};

// Broadcasting is undone after these.
constexpr FormulaRule kElementwise[] = {
#include "graph/gradient_formulas.inc"
};

constexpr const char* kShapeOfInput = "Reshape(g, Shape(x), allowzero=1)";
// Averages: every element of the input has the same share.
constexpr const char* kShare = "Expand(g * (cast(Size(y), g) / cast(Size(x), g)), Shape(x))";
// Where the output was attained, in equal parts.
constexpr const char* kAttained = "m = cast(Equal(x, y), g); m * (g / SumToShapeOf(m, y))";

constexpr FormulaRule kStructural[] = {
    {"Cast", 0, "cast(g, x)"},
    {"CastLike", 0, "cast(g, x)"},
    {"CumSum", 0, "CumSum(g, b, exclusive=exclusive, reverse=!reverse)"},
    {"Expand", 0, "SumToShapeOf(g, x)"},
    {"Flatten", 0, kShapeOfInput},
    {"GatherElements", 0, "ScatterElements(Expand(0, Shape(x)), b, g, axis=axis, reduction='add')"},
    {"GlobalAveragePool", 0, kShare},
    {"GlobalMaxPool", 0, kAttained},
    {"Identity", 0, "g"},
    {"Mish", 0, "t = Tanh(Softplus(x)); g * (t + x * Sigmoid(x) * (1 - t*t))"},
    {"Reshape", 0, kShapeOfInput},
    {"Squeeze", 0, kShapeOfInput},
    {"SumToShapeOf", 0, "Expand(g, Shape(x))"},
    {"Trilu", 0, "Trilu(g, b, upper=upper)"},
    {"Unsqueeze", 0, kShapeOfInput},
};

// Of reductions; g and y have the reduced axes at length 1, and the result is expanded.
constexpr FormulaRule kReductions[] = {
    {"ReduceL1", 0, "g * Sign(x)"},      {"ReduceL2", 0, "g * x / y"},
    {"ReduceLogSum", 0, "g * Exp(-y)"},  {"ReduceLogSumExp", 0, "g * Exp(x - y)"},
    {"ReduceMax", 0, kAttained},         {"ReduceMean", 0, kShare},
    {"ReduceMin", 0, kAttained},         {"ReduceSum", 0, "g"},
    {"ReduceSumSquare", 0, "2 * g * x"},
};

const FormulaRule* find_rule(std::span<const FormulaRule> rules, std::string_view op_type) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const FormulaRule& r) { return op_type == r.op_type; });
  return found != rules.end() ? &*found : nullptr;
}

void give(Backward& b, int i, const char* formula) {
  if (b.wants(i)) b.give(i, b.formula(formula));
}

bool is_zero(const Tensor* t) {  // a constant false or 0
  return t != nullptr && t->size() == 1 && t->bytes() <= 8 &&
         std::all_of(t->data<char>(), t->data<char>() + t->bytes(), [](char c) { return c == 0; });
}

// ---- shapes and places ----

void transpose(Backward& b) {
  const std::vector<int64_t> perm = b.ints_of("perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    const int64_t to = perm[i];
    if (to >= 0 && to < static_cast<int64_t>(perm.size())) inverse[static_cast<size_t>(to)] = static_cast<int64_t>(i);
  }
  if (!perm.empty()) b.attributes.push_back(make_attribute("perm", std::move(inverse)));
  give(b, 0, "Transpose(g, @)");
}

// Operators that move elements: moving their places instead shows where each gradient belongs.
void moved(Backward& b) {
  if (!b.wants(0)) return b.refuse("only its first input has a rule");
  Backward::Inputs inputs = b.node().inputs;
  inputs[0] = b.formula("Reshape(Range(Size(x) - Size(x), Size(x), Squeeze([1])), Shape(x), allowzero=1)");
  b.let("places", b.copy(b.node(), std::move(inputs)).outputs[0]);
  b.give(0, b.formula("zeros = Expand(0, Reshape(Size(x), [-1])); flat = Reshape(g, [-1]);"
                      "sums = ScatterElements(zeros, Reshape(places, [-1]), flat, axis=0, reduction='add');"
                      "Reshape(sums, Shape(x), allowzero=1)"));
}

void resize(Backward& b) {
  if (b.text_of("mode") != "nearest") return b.refuse("only nearest neighbours have a rule");
  moved(b);
}

void pad(Backward& b) {
  if (b.text_of("mode") != "constant") return moved(b);
  if (b.wants(2)) return b.refuse("the padding value has no rule");
  give(b, 0, "Pad(g, -b, _, i3)");
}

void concat(Backward& b) {
  b.formula("start = [0]");
  for (int i = 0; i < b.inputs(); ++i) {
    b.let("v", b.in(i));
    const ValueId part = b.formula("stop = start + Gather(Shape(v), [axis]); Slice(g, start, stop, [axis])");
    b.let("start", b.named("stop"));
    b.give(i, part);
  }
}

void split(Backward& b) {
  Backward::Inputs parts;
  for (int i = 0; i < static_cast<int>(b.node().outputs.size()); ++i) {
    if (b.out(i) == kAbsent) return b.refuse("one of its outputs is left out");
    parts.push_back(b.g(i) != kAbsent ? b.g(i) : b.formula("Expand(0, Shape(y))", b.out(i), b.out(i)));
  }
  b.give(0, b.op("Concat", std::move(parts), {make_attribute("axis", b.int_of("axis"))}));
}

void scatter_elements(Backward& b) {
  const std::string_view reduction = b.text_of("reduction");
  const bool adds = reduction == "add";
  if (!adds && !reduction.empty() && reduction != "none") return b.refuse("this reduction has no rule");
  give(b, 0, adds ? "g" : "ScatterElements(g, b, Expand(0, Shape(c)), axis=axis)");
  give(b, 2, "GatherElements(g, b, axis=axis)");
}

void dropout(Backward& b) {
  const bool inference = b.node().since_version() < 12 || b.in(2) == kAbsent || is_zero(b.constant(b.in(2)));
  if (!inference) return b.refuse("it may be in training mode");
  b.give(0, b.g());
}

// ---- elementwise, of many inputs or forms ----

template <class F>
void each_input(Backward& b, F f) {
  for (int i = 0; i < b.inputs(); ++i) {
    b.let("v", b.in(i));
    f(i);
  }
}

void sum(Backward& b) {
  each_input(b, [&](int i) {
    if (b.wants(i)) b.give(i, b.formula("SumToShapeOf(g, v)"));
  });
}

void mean(Backward& b) {
  b.let("n", b.number(b.inputs(), b.dtype(b.g())));
  each_input(b, [&](int i) {
    if (b.wants(i)) b.give(i, b.formula("SumToShapeOf(g / n, v)"));
  });
}

// Max and Min: those that attain it share the gradient.
void extreme(Backward& b) {
  each_input(b, [&](int i) { b.formula(i == 0 ? "n = cast(Equal(v, y), g)" : "n = n + cast(Equal(v, y), g)"); });
  each_input(b, [&](int i) {
    if (b.wants(i)) b.give(i, b.formula("SumToShapeOf(g / n * cast(Equal(v, y), g), v)"));
  });
}

void gelu(Backward& b) {
  if (b.text_of("approximate") == "tanh") {
    return give(b, 0,
                "t = Tanh(0.7978845608028654 * x * (1 + 0.044715 * x*x));"
                "g * (0.5 * (1 + t) + 0.3989422804014327 * x * (1 + 0.134145 * x*x) * (1 - t*t))");
  }
  give(b, 0, "g * (0.5 * (1 + Erf(x * 0.7071067811865476)) + x * 0.3989422804014327 * Exp(-0.5 * x*x))");
}

// ---- reductions and normalization ----

// A reduced value with the reduced axes at length 1, so that it broadcasts with the input.
ValueId kept(Backward& b, ValueId reduced) {
  const Tensor* axes = b.constant(b.in(1));
  if (b.int_of("keepdims") != 0 || b.in(1) == kAbsent || (axes != nullptr && axes->size() == 0)) return reduced;
  return b.op("Unsqueeze", {reduced, b.in(1)});
}

void reduction(Backward& b, const char* formula) {
  b.let("gradient", b.formula(formula, kept(b, b.g()), kept(b, b.out())));
  give(b, 0, "Expand(gradient, Shape(x))");
}

// Before version 13 everything from the axis on is one axis.
void softmax(Backward& b) {
  if (b.node().since_version() >= 13) return give(b, 0, "(g - ReduceSum(g*y, [axis])) * y");
  give(b, 0,
       "p = Flatten(g, axis=axis); q = Flatten(y, axis=axis);"
       "Reshape((p - ReduceSum(p*q, [1])) * q, Shape(x), allowzero=1)");
}

void log_softmax(Backward& b) {
  if (b.node().since_version() >= 13) return give(b, 0, "g - Exp(y) * ReduceSum(g, [axis])");
  give(b, 0,
       "p = Flatten(g, axis=axis); q = Flatten(y, axis=axis);"
       "Reshape(p - Exp(q) * ReduceSum(p, [1]), Shape(x), allowzero=1)");
}

void layer_normalization(Backward& b) {
  if (b.g(1) != kAbsent || b.g(2) != kAbsent) return b.refuse("its mean and deviation have no rule");
  b.formula(
      "p = Flatten(x, axis=axis); h = Flatten(g, axis=axis); s = Reshape(b, [-1]); d = p - ReduceMean(p, [1]);"
      "v = Sqrt(ReduceMean(d*d, [1]) + epsilon); n = d / v; q = h * s");
  give(b, 0, "Reshape((q - ReduceMean(q, [1]) - n * ReduceMean(q*n, [1])) / v, Shape(x), allowzero=1)");
  give(b, 1, "Reshape(SumToShapeOf(h*n, s), Shape(b), allowzero=1)");
  give(b, 2, "Reshape(SumToShapeOf(h, Reshape(c, [-1])), Shape(c), allowzero=1)");
}

// With fixed statistics it is a line per channel, and so is the way back.
void batch_normalization(Backward& b) {
  if (b.node().since_version() < 7 || b.int_of("training_mode") != 0 || b.node().outputs.size() > 1)
    return b.refuse("it is in training mode");
  if (b.wants(3) || b.wants(4)) return b.refuse("its mean and variance have no rule");
  if (const Attribute* epsilon = b.node().find("epsilon")) b.attributes.push_back(*epsilon);
  b.formula("zeros = Expand(0, Shape(i3)); ones = Expand(1, Shape(i3))");
  give(b, 0, "BatchNormalization(g, b, zeros, zeros, i4, @)");
  give(b, 1,
       "n = BatchNormalization(x, ones, zeros, i3, i4, @); ReduceSum(Reshape(g*n, [0, 0, -1]), [0, 2], keepdims=0)");
  give(b, 2, "ReduceSum(Reshape(g, [0, 0, -1]), [0, 2], keepdims=0)");
}

// ---- matrix products ----

// Vectors count as matrices of one row (the first operand, p) or one column (the second, q); h is the gradient of p q.
void matmul(Backward& b) {
  b.formula(
      "s = Shape(a); t = Shape(b); u = Shape(g);"
      "p = Reshape(a, Concat(Expand([1], Max([2] - Size(s), [0])), s, axis=0), allowzero=1);"
      "q = Reshape(b, Concat(t, Expand([1], Max([2] - Size(t), [0])), axis=0), allowzero=1);"
      "batch = Slice(u, [0], Size(u) - Min(Size(s) - [1], [1]) - Min(Size(t) - [1], [1]));"
      "full = Concat(batch, Slice(Shape(p), [-2], [-1]), Slice(Shape(q), [-1], [end]), axis=0);"
      "h = Reshape(g, full, allowzero=1)");
  give(b, 0, "Reshape(SumToShapeOf(FusedMatMul(h, q, transB=1), p), s, allowzero=1)");
  give(b, 1, "Reshape(SumToShapeOf(FusedMatMul(p, h, transA=1), q), t, allowzero=1)");
}

// Of op(a) op(b), stacks of matrices that broadcast; h is its gradient.
void give_product(Backward& b) {
  give(b, 0,
       b.int_of("transA") != 0 ? "SumToShapeOf(FusedMatMul(b, h, transA=transB, transB=1), a)"
                               : "SumToShapeOf(FusedMatMul(h, b, transB=!transB), a)");
  give(b, 1,
       b.int_of("transB") != 0 ? "SumToShapeOf(FusedMatMul(h, a, transA=1, transB=transA), b)"
                               : "SumToShapeOf(FusedMatMul(a, h, transA=!transA), b)");
}

void fused_matmul(Backward& b) {
  if (b.float_of("alpha") != 1 || b.int_of("transBatchA") != 0 || b.int_of("transBatchB") != 0)
    return b.refuse("a factor or transposed batches have no rule");
  b.let("h", b.g());
  give_product(b);
}

void gemm(Backward& b) {
  b.formula(b.float_of("alpha") == 1 ? "h = g" : "h = g * alpha");
  give_product(b);
  give(b, 2, b.float_of("beta") == 1 ? "SumToShapeOf(g, c)" : "SumToShapeOf(g * beta, c)");
}

// The text before the i-th comma of `list` and after the one before it.
std::string_view term_of(std::string_view list, int i) {
  for (; i > 0; --i) list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1);
  return list.substr(0, list.find(','));
}

// "ij,jk->ik": each operand's gradient is the same sum with the result in its place.
void einsum(Backward& b) {
  std::string equation(b.text_of("equation"));
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return b.refuse("an equation without -> has no rule");
  const std::string_view terms = std::string_view(equation).substr(0, arrow);
  for (int i = 0; i < b.inputs(); ++i) {
    if (!b.wants(i)) continue;
    const std::string_view term = term_of(terms, i);
    std::string backward = equation.substr(arrow + 2);
    Backward::Inputs operands = {b.g()};
    for (int k = 0; k < b.inputs(); ++k) {
      if (k == i) continue;
      backward += ',';
      backward += term_of(terms, k);
      operands.push_back(b.in(k));
    }
    for (char c : term) {
      const bool repeated = c != '.' && term.find(c) != term.rfind(c);
      if (repeated || backward.find(c) == std::string::npos)
        return b.refuse("a diagonal or a sum over one operand has no rule");
    }
    backward += "->";
    backward += term;
    b.let("v", b.in(i));
    b.let("sums", b.op("Einsum", std::move(operands), {make_attribute("equation", b.keep(std::move(backward)))}));
    b.give(i, b.formula("SumToShapeOf(sums, v)"));
  }
}

constexpr GradientRule kRules[] = {
    {"BatchNormalization", batch_normalization},
    {"Compress", moved},
    {"Concat", concat},
    {"DepthToSpace", moved},
    {"Dropout", dropout},
    {"Einsum", einsum},
    {"FusedMatMul", fused_matmul},
    {"Gather", moved},
    {"GatherND", moved},
    {"Gelu", gelu},
    {"Gemm", gemm},
    {"LayerNormalization", layer_normalization},
    {"LogSoftmax", log_softmax},
    {"MatMul", matmul},
    {"Max", extreme},
    {"Mean", mean},
    {"Min", extreme},
    {"Pad", pad},
    {"Resize", resize},
    {"ReverseSequence", moved},
    {"ScatterElements", scatter_elements},
    {"Slice", moved},
    {"Softmax", softmax},
    {"SpaceToDepth", moved},
    {"Split", split},
    {"Sum", sum},
    {"Tile", moved},
    {"Transpose", transpose},
};

bool apply_code(Backward& b, std::span<const GradientRule> rules) {
  for (const GradientRule& rule : rules) {
    if (b.node().op_type != rule.op_type) continue;
    rule.apply(b);
    return true;
  }
  return false;
}

bool apply_elementwise(Backward& b) {
  bool known = false;
  for (const FormulaRule& rule : kElementwise) {
    if (b.node().op_type != rule.op_type) continue;
    known = true;
    if (rule.formula == nullptr || !b.wants(rule.input)) continue;
    b.let("gradient", b.formula(rule.formula));
    b.let("v", b.in(rule.input));
    b.give(rule.input, b.formula(b.inputs() == 1 ? "gradient" : "SumToShapeOf(gradient, v)"));
  }
  return known;
}

}  // namespace

bool apply_gradient_rule(Backward& b) {
  b.attributes.clear();
  if (const FormulaRule* rule = find_rule(kStructural, b.node().op_type)) {
    give(b, rule->input, rule->formula);
    return true;
  }
  if (const FormulaRule* rule = find_rule(kReductions, b.node().op_type)) {
    reduction(b, rule->formula);
    return true;
  }
  return apply_elementwise(b) || apply_code(b, kRules) || apply_code(b, window_gradients());
}

}  // namespace onnxlet
