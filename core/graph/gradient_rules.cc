// How each operator is differentiated.
#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "graph/backward.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

using Inputs = Backward::Inputs;

struct FormulaRule {
  const char* op_type;
  int input;
  const char* formula;
};
constexpr FormulaRule kFormulas[] = {
#include "graph/gradient_formulas.inc"
};

bool zero(const Backward& b, ValueId id) {  // a constant false or 0
  const Tensor* t = b.constant(id);
  return t != nullptr && t->size() == 1 && t->bytes() <= 8 &&
         std::all_of(t->data<char>(), t->data<char>() + t->bytes(), [](char c) { return c == 0; });
}

// ---- shapes and places ----

void same_elements(Backward& b) { b.give(0, b.as_shape_of(b.g(), b.in(0))); }
void identity(Backward& b) { b.give(0, b.g()); }
void convert(Backward& b) { b.give(0, b.cast(b.g(), b.dtype(b.in(0)))); }
void expand(Backward& b) { b.give(0, b.sum_to(b.g(), b.in(0))); }

void transpose(Backward& b) {
  const std::vector<int64_t> perm = b.ints_of("perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] >= 0 && perm[i] < static_cast<int64_t>(perm.size()))
      inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  b.give(0, perm.empty() ? b.op("Transpose", {b.g()}) : b.op("Transpose", {b.g()}, {attribute("perm", inverse)}));
}

// Operators that move elements: moving their places instead shows where each gradient belongs.
void moved(Backward& b) {
  if (!b.wants(0)) return;
  const ValueId x = b.in(0);
  const ValueId count = b.op("Size", {x});
  const ValueId from = b.op("Range", {b.op("Sub", {count, count}), count, b.op("Squeeze", {b.ints({1})})});
  Inputs inputs = b.node().inputs;
  inputs[0] = b.as_shape_of(from, x);
  const ValueId places = b.copy(b.node(), inputs).outputs[0];
  b.give(0, b.scatter(b.g(), places, x));
}

void resize(Backward& b) {
  const std::string_view mode = b.text_of("mode");
  if (mode != "nearest") return b.refuse("only nearest neighbours have a rule");
  moved(b);
}

void pad(Backward& b) {
  if (b.text_of("mode") != "constant") return moved(b);
  Inputs inputs = {b.g(), b.op("Neg", {b.in(1)})};
  if (b.in(3) != kAbsent) inputs.insert(inputs.end(), {kAbsent, b.in(3)});
  b.give(0, b.op("Pad", inputs));
  if (b.wants(2)) b.refuse("the padding value has no rule");
}

void concat(Backward& b) {
  const ValueId axis = b.ints({b.int_of("axis")});
  Inputs sizes, parts;
  for (int i = 0; i < b.inputs(); ++i) sizes.push_back(b.op("Gather", {b.shape(b.in(i)), axis}));
  const ValueId split = b.op("Concat", sizes, {attribute("axis", 0)});
  for (int i = 0; i < b.inputs(); ++i) parts.push_back(b.fresh());
  b.add("Split", {b.g(), split}, parts, {attribute("axis", b.int_of("axis"))});
  for (int i = 0; i < b.inputs(); ++i) b.give(i, parts[static_cast<size_t>(i)]);
}

void split(Backward& b) {
  Inputs parts;
  for (int i = 0; i < static_cast<int>(b.node().outputs.size()); ++i) {
    if (b.out(i) == kAbsent) return b.refuse("one of its outputs is left out");
    parts.push_back(b.g(i) != kAbsent ? b.g(i) : b.filled_like(b.out(i), 0));
  }
  b.give(0, b.op("Concat", parts, {attribute("axis", b.int_of("axis"))}));
}

std::vector<Attribute> scatter_attributes(Backward& b) {
  return {attribute("axis", b.int_of("axis")), attribute("reduction", std::string_view("add"))};
}

void gather_elements(Backward& b) {
  b.give(0, b.op("ScatterElements", {b.filled_like(b.in(0), 0), b.in(1), b.g()}, scatter_attributes(b)));
}

void scatter_elements(Backward& b) {
  const std::string_view reduction = b.text_of("reduction");
  const bool adds = reduction == "add";
  if (!adds && !reduction.empty() && reduction != "none") return b.refuse("this reduction has no rule");
  const Attribute axis = attribute("axis", b.int_of("axis"));
  if (b.wants(0)) {
    b.give(0, adds ? b.g() : b.op("ScatterElements", {b.g(), b.in(1), b.filled_like(b.in(2), 0)}, {axis}));
  }
  if (b.wants(2)) b.give(2, b.op("GatherElements", {b.g(), b.in(1)}, {axis}));
}

void trilu(Backward& b) {
  Inputs inputs = b.node().inputs;
  inputs[0] = b.g();
  b.give(0, b.op("Trilu", inputs, {attribute("upper", b.int_of("upper"))}));
}

void cumulative_sum(Backward& b) {
  b.give(0, b.op("CumSum", {b.g(), b.in(1)},
                 {attribute("exclusive", b.int_of("exclusive")), attribute("reverse", 1 - b.int_of("reverse"))}));
}

void dropout(Backward& b) {
  if (b.node().since_version() >= 12 && b.in(2) != kAbsent && !zero(b, b.in(2)))
    return b.refuse("it may be in training mode");
  b.give(0, b.g());
}

// ---- several inputs ----

void sum(Backward& b) {
  for (int i = 0; i < b.inputs(); ++i) {
    if (b.wants(i)) b.give(i, b.sum_to(b.g(), b.in(i)));
  }
}

void mean(Backward& b) {
  const ValueId share = b.op("Div", {b.g(), b.number(b.inputs(), b.dtype(b.g()))});
  for (int i = 0; i < b.inputs(); ++i) {
    if (b.wants(i)) b.give(i, b.sum_to(share, b.in(i)));
  }
}

// Max and Min: those that attain it share the gradient.
void extreme(Backward& b) {
  Inputs hits;
  for (int i = 0; i < b.inputs(); ++i) hits.push_back(b.cast(b.op("Equal", {b.in(i), b.out()}), b.dtype(b.g())));
  const ValueId share = b.op("Div", {b.g(), b.op("Sum", hits)});
  for (int i = 0; i < b.inputs(); ++i) {
    if (b.wants(i)) b.give(i, b.sum_to(b.op("Mul", {share, hits[static_cast<size_t>(i)]}), b.in(i)));
  }
}

void clip(Backward& b) {
  if (b.wants(0)) b.give(0, b.formula("Where(Equal(x, y), g, 0)"));
  if (b.wants(1)) b.give(1, b.sum_to(b.formula("Where(Less(x, b), g, 0)"), b.in(1)));
  if (b.wants(2)) b.give(2, b.sum_to(b.formula("Where(Greater(x, c), g, 0)"), b.in(2)));
}

void gelu(Backward& b) {
  if (b.text_of("approximate") == "tanh") {
    const ValueId t = b.formula("Tanh(0.7978845608028654 * x * (1 + 0.044715 * x*x))");
    const ValueId half = b.formula("0.5 * (1 + y)", b.g(), t);
    const ValueId slope = b.formula("0.3989422804014327 * x * (1 + 0.134145 * x*x) * (1 - y*y)", b.g(), t);
    return b.give(0, b.op("Mul", {b.g(), b.op("Add", {half, slope})}));
  }
  b.give(0, b.formula("g * (0.5 * (1 + Erf(x * 0.7071067811865476)) + x * 0.3989422804014327 * Exp(-0.5 * x*x))"));
}

void mish(Backward& b) {
  const ValueId t = b.formula("Tanh(Softplus(x))");
  b.give(0, b.formula("g * (y + x * Sigmoid(x) * (1 - y*y))", b.g(), t));
}

// ---- reductions ----

// A reduced value with the reduced axes at length 1, so that it broadcasts with the input.
ValueId kept(Backward& b, ValueId reduced) {
  const ValueId axes = b.in(1);
  const Tensor* known = b.constant(axes);
  if (b.int_of("keepdims") != 0 || axes == kAbsent || (known != nullptr && known->size() == 0)) return reduced;
  return b.op("Unsqueeze", {reduced, axes});
}

template <const char* const& kFormula>
void reduction(Backward& b) {
  const ValueId g = kept(b, b.g());
  b.give(0, b.expand(b.formula(kFormula, g, kept(b, b.out())), b.in(0)));
}
constexpr const char* kSum = "g";
constexpr const char* kSumSquare = "2 * g * x";
constexpr const char* kL1 = "g * Sign(x)";
constexpr const char* kL2 = "g * x / y";
constexpr const char* kLogSum = "g * Exp(-y)";
constexpr const char* kLogSumExp = "g * Exp(x - y)";

// Of averages: every input element has the same share.
void average(Backward& b, ValueId g) {
  const DType type = b.dtype(g);
  const ValueId in = b.cast(b.op("Size", {b.in(0)}), type), out = b.cast(b.op("Size", {b.out()}), type);
  b.give(0, b.expand(b.op("Mul", {g, b.op("Div", {out, in})}), b.in(0)));
}
void reduce_mean(Backward& b) { average(b, kept(b, b.g())); }
void global_average(Backward& b) { average(b, b.g()); }

void attained(Backward& b, ValueId g, ValueId y) {
  const ValueId hits = b.cast(b.op("Equal", {b.in(0), y}), b.dtype(g));
  b.give(0, b.op("Mul", {hits, b.op("Div", {g, b.sum_to(hits, y)})}));
}
void reduce_extreme(Backward& b) { attained(b, kept(b, b.g()), kept(b, b.out())); }
void global_max(Backward& b) { attained(b, b.g(), b.out()); }

// ---- normalization ----

// Before version 13 everything from the axis on is one axis.
struct SoftmaxView {
  ValueId g, y, axes;
};
SoftmaxView softmax_view(Backward& b) {
  const int64_t axis = b.int_of("axis");
  if (b.node().since_version() >= 13) return {b.g(), b.out(), b.ints({axis})};
  const auto flat = [&](ValueId v) { return b.op("Flatten", {v}, {attribute("axis", axis)}); };
  return {flat(b.g()), flat(b.out()), b.ints({1})};
}

void softmax(Backward& b) {
  const SoftmaxView v = softmax_view(b);
  const ValueId mean = b.op("ReduceSum", {b.op("Mul", {v.g, v.y}), v.axes});
  b.give(0, b.as_shape_of(b.op("Mul", {b.op("Sub", {v.g, mean}), v.y}), b.in(0)));
}

void log_softmax(Backward& b) {
  const SoftmaxView v = softmax_view(b);
  const ValueId total = b.op("ReduceSum", {v.g, v.axes});
  const ValueId share = b.op("Mul", {b.op("Exp", {v.y}), total});
  b.give(0, b.as_shape_of(b.op("Sub", {v.g, share}), b.in(0)));
}

void layer_normalization(Backward& b) {
  if (b.g(1) != kAbsent || b.g(2) != kAbsent) return b.refuse("its mean and deviation have no rule");
  const Attribute axis = attribute("axis", b.int_of("axis"));
  const ValueId last = b.ints({1});
  const auto rows = [&](ValueId v) { return b.op("Flatten", {v}, {axis}); };
  const ValueId x = rows(b.in(0)), g = rows(b.g());
  const ValueId scale = b.reshape(b.in(1), b.ints({-1}));
  const ValueId centred = b.op("Sub", {x, b.op("ReduceMean", {x, last})});
  const ValueId variance = b.op("ReduceMean", {b.op("Mul", {centred, centred}), last});
  const ValueId epsilon = b.number(b.float_of("epsilon"), b.dtype(x));
  const ValueId deviation = b.op("Sqrt", {b.op("Add", {variance, epsilon})});
  const ValueId normal = b.op("Div", {centred, deviation});
  if (b.wants(0)) {
    const ValueId scaled = b.op("Mul", {g, scale});
    const ValueId along = b.op("Mul", {normal, b.op("ReduceMean", {b.op("Mul", {scaled, normal}), last})});
    const ValueId rest = b.op("Sub", {b.op("Sub", {scaled, b.op("ReduceMean", {scaled, last})}), along});
    b.give(0, b.as_shape_of(b.op("Div", {rest, deviation}), b.in(0)));
  }
  const auto over_rows = [&](ValueId v, ValueId like) {
    return b.as_shape_of(b.sum_to(v, b.reshape(like, b.ints({-1}))), like);
  };
  if (b.wants(1)) b.give(1, over_rows(b.op("Mul", {g, normal}), b.in(1)));
  if (b.wants(2)) b.give(2, over_rows(g, b.in(2)));
}

// With fixed statistics it is a line per channel, and so is the way back.
void batch_normalization(Backward& b) {
  if (b.node().since_version() < 7 || b.int_of("training_mode") != 0 || b.node().outputs.size() > 1)
    return b.refuse("it is in training mode");
  if (b.wants(3) || b.wants(4)) return b.refuse("its mean and variance have no rule");
  const ValueId zeros = b.filled_like(b.in(3), 0), ones = b.filled_like(b.in(3), 1);
  std::vector<Attribute> epsilon;
  if (const Attribute* a = b.node().find("epsilon")) epsilon.push_back(*a);
  if (b.wants(0)) b.give(0, b.op("BatchNormalization", {b.g(), b.in(1), zeros, zeros, b.in(4)}, epsilon));
  if (b.wants(1)) {
    const ValueId normal = b.op("BatchNormalization", {b.in(0), ones, zeros, b.in(3), b.in(4)}, epsilon);
    b.give(1, b.per_channel(b.op("Mul", {b.g(), normal})));
  }
  if (b.wants(2)) b.give(2, b.per_channel(b.g()));
}

// ---- matrix products ----

// y = op(x) op(w) of matrices, or of stacks of them that broadcast.
struct Product {
  ValueId x, w, g;
  bool tx, tw;
  ValueId dx(Backward& b) const { return b.sum_to(tx ? b.matmul(w, tw, g, true) : b.matmul(g, false, w, !tw), x); }
  ValueId dw(Backward& b) const { return b.sum_to(tw ? b.matmul(g, true, x, tx) : b.matmul(x, !tx, g, false), w); }
  void give(Backward& b) const {
    if (b.wants(0)) b.give(0, dx(b));
    if (b.wants(1)) b.give(1, dw(b));
  }
};

// Vectors count as matrices of one row (the first operand) or one column (the second).
ValueId as_matrix(Backward& b, ValueId v, bool row) {
  const Tensor* known = b.constant(v);
  if (known != nullptr && known->rank() >= 2) return v;
  const ValueId shape = b.shape(v);
  const ValueId missing = b.op("Max", {b.op("Sub", {b.ints({2}), b.op("Size", {shape})}), b.ints({0})});
  const ValueId ones = b.op("Expand", {b.ints({1}), missing});
  return b.reshape(v, b.op("Concat", row ? Inputs{ones, shape} : Inputs{shape, ones}, {attribute("axis", 0)}));
}

void matmul(Backward& b) {
  const ValueId x = as_matrix(b, b.in(0), true), w = as_matrix(b, b.in(1), false);
  // The result's shape with the axes that a vector operand took out of it.
  const ValueId one = b.ints({1}), two = b.ints({2});
  const auto axes = [&](ValueId v) { return b.op("Sub", {b.op("Min", {b.op("Size", {b.shape(v)}), two}), one}); };
  const ValueId shape = b.shape(b.g());
  const ValueId batch_rank = b.op("Sub", {b.op("Sub", {b.op("Size", {shape}), axes(b.in(0))}), axes(b.in(1))});
  const ValueId batch = b.op("Slice", {shape, b.ints({0}), batch_rank});
  const ValueId full = b.op("Concat", {batch, b.dims(b.shape(x), -2, -1), b.dims(b.shape(w), -1, Backward::kEnd)},
                            {attribute("axis", 0)});
  const Product product{x, w, b.reshape(b.g(), full), false, false};
  if (b.wants(0)) b.give(0, b.as_shape_of(product.dx(b), b.in(0)));
  if (b.wants(1)) b.give(1, b.as_shape_of(product.dw(b), b.in(1)));
}

void fused_matmul(Backward& b) {
  const Attribute* alpha = b.node().find("alpha");
  if ((alpha != nullptr && alpha->f != 1) || b.int_of("transBatchA") != 0 || b.int_of("transBatchB") != 0)
    return b.refuse("a factor or transposed batches have no rule");
  Product{b.in(0), b.in(1), b.g(), b.int_of("transA") != 0, b.int_of("transB") != 0}.give(b);
}

void gemm(Backward& b) {
  const auto scaled = [&](std::string_view name) {
    const double factor = b.float_of(name);
    return factor == 1 ? b.g() : b.op("Mul", {b.g(), b.number(factor, b.dtype(b.g()))});
  };
  Product{b.in(0), b.in(1), scaled("alpha"), b.int_of("transA") != 0, b.int_of("transB") != 0}.give(b);
  if (b.wants(2)) b.give(2, b.sum_to(scaled("beta"), b.in(2)));
}

// "ij,jk->ik": each operand's gradient is the same sum with the result in its place.
void einsum(Backward& b) {
  std::string equation(b.text_of("equation"));
  std::erase(equation, ' ');
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return b.refuse("an equation without -> has no rule");
  const std::string result = equation.substr(arrow + 2);
  std::vector<std::string> terms;
  for (size_t begin = 0; begin <= arrow;) {
    const size_t end = std::min(equation.find(',', begin), arrow);
    terms.push_back(equation.substr(begin, end - begin));
    begin = end + 1;
  }
  for (int i = 0; i < b.inputs() && static_cast<size_t>(i) < terms.size(); ++i) {
    if (!b.wants(i)) continue;
    const std::string& term = terms[static_cast<size_t>(i)];
    std::string backward = result, letters = result;
    Inputs operands = {b.g()};
    for (int k = 0; k < b.inputs(); ++k) {
      if (k == i) continue;
      backward += ',' + terms[static_cast<size_t>(k)];
      letters += terms[static_cast<size_t>(k)];
      operands.push_back(b.in(k));
    }
    for (char c : term) {
      const bool repeated = c != '.' && std::count(term.begin(), term.end(), c) > 1;
      if (repeated || letters.find(c) == std::string::npos)
        return b.refuse("a diagonal or a sum over one operand has no rule");
    }
    const std::string_view kept = b.keep(backward + "->" + term);
    b.give(i, b.sum_to(b.op("Einsum", operands, {attribute("equation", kept)}), b.in(i)));
  }
}

constexpr GradientRule kRules[] = {
    {"BatchNormalization", batch_normalization},
    {"Cast", convert},
    {"CastLike", convert},
    {"Clip", clip},
    {"Compress", moved},
    {"Concat", concat},
    {"CumSum", cumulative_sum},
    {"DepthToSpace", moved},
    {"Dropout", dropout},
    {"Einsum", einsum},
    {"Expand", expand},
    {"Flatten", same_elements},
    {"FusedMatMul", fused_matmul},
    {"Gather", moved},
    {"GatherElements", gather_elements},
    {"GatherND", moved},
    {"Gelu", gelu},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_average},
    {"GlobalMaxPool", global_max},
    {"Identity", identity},
    {"LayerNormalization", layer_normalization},
    {"LogSoftmax", log_softmax},
    {"MatMul", matmul},
    {"Max", extreme},
    {"Mean", mean},
    {"Min", extreme},
    {"Mish", mish},
    {"Pad", pad},
    {"ReduceL1", reduction<kL1>},
    {"ReduceL2", reduction<kL2>},
    {"ReduceLogSum", reduction<kLogSum>},
    {"ReduceLogSumExp", reduction<kLogSumExp>},
    {"ReduceMax", reduce_extreme},
    {"ReduceMean", reduce_mean},
    {"ReduceMin", reduce_extreme},
    {"ReduceSum", reduction<kSum>},
    {"ReduceSumSquare", reduction<kSumSquare>},
    {"Reshape", same_elements},
    {"Resize", resize},
    {"ReverseSequence", moved},
    {"ScatterElements", scatter_elements},
    {"Slice", moved},
    {"Softmax", softmax},
    {"SpaceToDepth", moved},
    {"Split", split},
    {"Squeeze", same_elements},
    {"Sum", sum},
    {"SumToShapeOf", [](Backward& b) { b.give(0, b.expand(b.g(), b.in(0))); }},
    {"Tile", moved},
    {"Transpose", transpose},
    {"Trilu", trilu},
    {"Unsqueeze", same_elements},
};

}  // namespace

bool apply_gradient_rule(Backward& b) {
  const std::string_view op = b.node().op_type;
  bool known = false;
  for (const FormulaRule& rule : kFormulas) {
    if (op != rule.op_type) continue;
    known = true;
    if (rule.formula == nullptr || !b.wants(rule.input)) continue;
    const ValueId gradient = b.formula(rule.formula);
    b.give(rule.input, b.inputs() == 1 ? gradient : b.sum_to(gradient, b.in(rule.input)));
  }
  if (known) return true;
  for (const std::span<const GradientRule> rules : {std::span<const GradientRule>(kRules), window_gradients()}) {
    for (const GradientRule& rule : rules) {
      if (op != rule.op_type) continue;
      rule.apply(b);
      return true;
    }
  }
  return false;
}

}  // namespace onnxlet
