// Each pass by itself: a graph before, the operators that are left after.
#include "graph/passes.h"

#include <string>
#include <vector>

#include "base/memory.h"
#include "tests/check.h"
#include "tests/graph_text.h"

using namespace onnxlet;
using namespace onnxlet::test;

namespace {

struct PassCase {
  const char* before;
  const char* after;  // operators in order, "Conv Relu"
};

// The operators after `pass` alone, and whether it said that it changed something.
std::string operators_after(const char* pass, const char* before, bool* changed) {
  std::string bytes = GraphText::model(before);
  Model model;
  struct Retire {
    void operator()(Pool* p) const { p->retire(); }
  };
  const std::unique_ptr<Pool, Retire> owner(new Pool);
  Pool& pool = *owner;
  CHECK_OK(parse_model(bytes, &model));
  GraphOptions options;
  auto graph = build_graph(model, options, pool);
  CHECK_OK(graph);
  if (!graph.ok()) return "";
  for (const Pass& p : passes()) {
    if (std::string_view(p.name) != pass) options.disabled_passes.emplace_back(p.name);
  }
  CHECK_EQ(options.disabled_passes.size() + 1, passes().size());  // there is a pass of that name
  std::vector<PassReport> report;
  CHECK_OK(run_passes(*graph.value(), options, pool, &report));
  *changed = report.size() == 1 && report[0].changed;
  CHECK_OK(eliminate_dead(*graph.value(), pool));
  std::string ops;
  for (const IrNode& n : graph.value()->nodes) {
    if (!ops.empty()) ops += ' ';
    if (!n.domain.empty()) ops += std::string(n.domain) + '.';
    ops += n.op_type;
  }
  return ops;
}

void check_pass(const char* pass, const std::vector<PassCase>& cases) {
  for (const PassCase& c : cases) {
    bool changed = false, none = false;
    const std::string ops = operators_after(pass, c.before, &changed);
    if (ops != c.after) fail(__FILE__, __LINE__, std::string(c.before) + " gave " + ops + ", expected " + c.after);
    // It says so exactly when it did something.
    if (changed != (operators_after("eliminate_dead", c.before, &none) != ops))
      fail(__FILE__, __LINE__, std::string(c.before) + ": the pass reports a change wrongly");
  }
}

}  // namespace

TEST(passes_fuse_gelu) {
  check_pass(
      "fuse_activations",
      {
          {"d = Div(x, 1.4142135); e = Erf(d); a = Add(e, 1.0); m = Mul(x, a); y = Mul(m, 0.5)", "Gelu"},
          {"d = Div(x, 1.4142135); e = Erf(d); a = Add(1.0, e); h = Mul(x, 0.5); y = Mul(h, a)", "Gelu"},
          {"d = Mul(0.70710678, x); e = Erf(d); a = Add(e, 1.0); h = Mul(a, 0.5); y = Mul(x, h)", "Gelu"},
          {"d = Mul(x, 0.70710678); e = Erf(d); a = Add(e, 1.0); h = Div(a, 2.0); y = Mul(h, x)", "Gelu"},
          {"r = Relu(x); d = Div(r, 1.4142135); e = Erf(d); a = Add(e, 1.0); m = Mul(a, r); y = Mul(m, 0.5)",
           "Relu Gelu"},
          {"p = Pow(x, 3.0); q = Mul(p, 0.044715); s = Add(x, q); u = Mul(s, 0.7978846); t = Tanh(u); "
           "a = Add(t, 1.0); h = Mul(x, 0.5); y = Mul(h, a)",
           "Gelu"},
          {"s = Mul(x, x); c = Mul(s, x); q = Mul(0.044715, c); p = Add(q, x); u = Mul(0.7978846, p); "
           "t = Tanh(u); a = Add(1.0, t); g = Mul(0.5, a); y = Mul(x, g)",
           "Gelu"},
          {"s = Mul(x, x); q = Mul(s, 0.044715); p = Add(q, 1.0); k = Mul(x, 0.7978846); u = Mul(k, p); "
           "t = Tanh(u); a = Add(1.0, t); h = Mul(x, 0.5); y = Mul(h, a)",
           "Gelu"},
          {"r = Conv(x, w:3x3x1x1); d = Div(r, 1.4142135:1); e = Erf(d); a = Add(e, 1.0:1x1); m = Mul(r, a); "
           "y = Mul(m, 0.5:1)",
           "Conv Gelu"},
          // Another constant, a value that something else reads, one that is an output, another x.
          {"d = Div(x, 1.5); e = Erf(d); a = Add(e, 1.0); m = Mul(x, a); y = Mul(m, 0.5)", "Div Erf Add Mul Mul"},
          {"d = Div(x, 1.4142135); e = Erf(d); a = Add(e, 2.0); m = Mul(x, a); y = Mul(m, 0.5)", "Div Erf Add Mul Mul"},
          {"d = Div(x, 1.4142135); e = Erf(d); a = Add(e, 1.0); m = Mul(x, a); h = Mul(m, 0.5); y = Mul(h, e)",
           "Div Erf Add Mul Mul Mul"},
          {"d = Div(x, 1.4142135); e! = Erf(d); a = Add(e, 1.0); m = Mul(x, a); y = Mul(m, 0.5)",
           "Div Erf Add Mul Mul"},
          {"d = Div(x, 1.4142135); e = Erf(d); a = Add(e, 1.0); m = Mul(x2, a); y = Mul(m, 0.5)",
           "Div Erf Add Mul Mul"},
          {"d = Div(x, 1.4142135:1x1); e = Erf(d); a = Add(e, 1.0); m = Mul(x, a); y = Mul(m, 0.5)",
           "Div Erf Add Mul Mul"},
      });
}

TEST(passes_fuse_other_activations) {
  check_pass("fuse_activations",
             {
                 {"s = Sigmoid(x); y = Mul(x, s)", "Swish"},
                 {"m = Mul(x, 1.702); s = Sigmoid(m); y = Mul(s, x)", "Swish"},
                 {"m = Mul(x, 2.0); s = Sigmoid(m); y = Mul(s, m)", "Mul Swish"},
                 {"m = Mul(x, 1.702); s = Sigmoid(m); y = Mul(s, x2)", "Mul Sigmoid Mul"},
                 {"m = Mul(x, w:1x3); s = Sigmoid(m); y = Mul(s, x)", "Mul Sigmoid Mul"},
                 {"s! = Sigmoid(x); y = Mul(x, s)", "Sigmoid Mul"},
                 {"p = Softplus(x); t = Tanh(p); y = Mul(x, t)", "Mish"},
                 {"p! = Softplus(x); t = Tanh(p); y = Mul(x, t)", "Softplus Tanh Mul"},
                 {"a = Add(x, 3.0); c = Clip(a, 0.0, 6.0); m = Mul(x, c); y = Div(m, 6.0)", "HardSwish"},
                 {"a = Add(3.0, x); c = Clip(a, 0.0, 6.0); d = Div(c, 6.0); y = Mul(d, x)", "HardSwish"},
                 {"a = Add(x, 3.0); c = Clip(a, 0.0, 6.0); y = Mul(c, 0.16666667)", "HardSigmoid"},
                 {"m = Mul(x, 0.2); a = Add(m, 0.5); y = Clip(a, 0.0, 1.0)", "HardSigmoid"},
                 {"y = Clip(x, 0.0, 1.0)", "Clip"},
                 {"a = Add(x, 3.0); c = Clip(a, 0.0, 6.0); y = Mul(x2, c)", "Add Clip Mul"},
                 {"s = HardSigmoid(x, alpha=0.16666667); y = Mul(x, s)", "HardSwish"},
                 {"s = HardSigmoid(x); y = Mul(x, s)", "HardSigmoid Mul"},
                 {"a = Max(x, 0.0); y = Min(a, 6.0)", "Clip"},
                 {"a = Min(6.0, x); y = Max(0.0, a)", "Clip"},
                 {"a = Relu(x); y = Min(a, 6.0)", "Clip"},
                 {"a = Max(x, 7.0); y = Min(a, 6.0)", "Max Min"},
                 {"a = Max(x, w:3); y = Min(a, 6.0)", "Max Min"},
                 {"a! = Max(x, 0.0); y = Min(a, 6.0)", "Max Min"},
             });
}

TEST(passes_fold_affine) {
  check_pass(
      "fold_affine",
      {
          {"c = Conv(x, w:2x3x1x1); y = BatchNormalization(c, w1:2, w2:2, w3:2, w4:2)", "Conv"},
          {"c = Conv(x, w:2x3x1x1, w0:2); m = Mul(c, w1:2x1x1); y = Add(m, w2:1x2x1x1)", "Conv"},
          {"c = ConvTranspose(x, w:3x2x1x1); y = BatchNormalization(c, w1:2, w2:2, w3:2, w4:2)", "ConvTranspose"},
          {"g = Gemm(x, w:3x4, w0:4); y = BatchNormalization(g, w1:4, w2:4, w3:4, w4:4)", "Gemm"},
          {"m = MatMul(x, w:3x4); y = Div(m, w1:4)", "MatMul"},
          {"c = Conv(x, w:2x3x1x1); r = Relu(c); b = BatchNormalization(r, w1:2, w2:2, w3:2, w4:2); "
           "y = Mul(b, w5:2x1x1)",
           "Conv Relu BatchNormalization"},
          {"b = BatchNormalization(x, w1:2, w2:2, w3:2, w4:2); y = Mul(b, w5:2x1x1)", "BatchNormalization Mul"},
          {"m = MatMul(x, w:3x4); y = Add(m, w1:4)", "MatMul Add"},
          {"m = MatMul(x, w:3x4); y = BatchNormalization(m, w1:4, w2:4, w3:4, w4:4)", "MatMul BatchNormalization"},
          {"c! = Conv(x, w:2x3x1x1); y = Mul(c, 2.0)", "Conv Mul"},
          {"c = Conv(x, x1); y = Mul(c, 2.0)", "Conv Mul"},
          {"c = Conv(x, w:2x3x1x1); y = Mul(c, w1:3x1x1)", "Conv Mul"},
          {"c = Conv(x, w:2x3x1x1); y = Mul(c, w1:2)", "Conv Mul"},
      });
}

TEST(passes_fuse_normalizations) {
  check_pass(
      "fuse_normalizations",
      {
          {"m = ReduceMean(x, axes=[-1]); d = Sub(x, m); q = Pow(d, 2.0); v = ReduceMean(q, axes=[-1]); "
           "e = Add(v, 0.00001); s = Sqrt(e); n = Div(d, s); k = Mul(n, w:4); y = Add(k, w1:4)",
           "LayerNormalization"},
          {"m = ReduceMean(x, axes=[-1]); d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); "
           "e = Add(0.00001, v); s = Sqrt(e); r = Reciprocal(s); n = Mul(r, d); k = Mul(w:4, n); y = Add(w1:4, k)",
           "LayerNormalization"},
          {"m = ReduceMean(x, axes=[-2,-1]); d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1,-2]); "
           "e = Add(v, 0.00001); s = Sqrt(e); n = Div(d, s); y = Mul(n, w:3x4)",
           "LayerNormalization"},
          {"m = ReduceMean(x, axes=[-1]); d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); "
           "e = Add(v, 0.00001); s = Sqrt(e); n = Div(d, s); y = Relu(n)",
           "LayerNormalization Relu"},
          {"q = Pow(x, 2.0); v = ReduceMean(q, axes=[-1]); e = Add(v, 0.00001); s = Sqrt(e); r = Div(1.0, s); "
           "n = Mul(x, r); y = Mul(w:4, n)",
           "RMSNormalization"},
          {"q = Mul(x, x); v = ReduceMean(q, axes=[-1]); e = Add(v, 0.00001); p = Pow(e, -0.5); y = Mul(x, p)",
           "RMSNormalization"},
          {"r = Reshape(x, [2,3,4]); q = Mul(r, r); v = ReduceMean(q, axes=[2]); e = Add(v, 0.00001); s = Sqrt(e); "
           "y = Div(r, s)",
           "Reshape RMSNormalization"},
          // Another axis, an axis that may be any, no keepdims, a scale over other axes, a value that is read
          // elsewhere.
          {"q = Mul(x, x); v = ReduceMean(q, axes=[-2]); e = Add(v, 0.00001); s = Sqrt(e); y = Div(x, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x); v = ReduceMean(q, axes=[1]); e = Add(v, 0.00001); s = Sqrt(e); y = Div(x, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x); v = ReduceMean(q, axes=[-1], keepdims=0); e = Add(v, 0.00001); s = Sqrt(e); y = Div(x, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x); v = ReduceMean(q); e = Add(v, 0.00001); s = Sqrt(e); y = Div(x, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x1); v = ReduceMean(q, axes=[-1]); e = Add(v, 0.00001); s = Sqrt(e); y = Div(x, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x); v = ReduceMean(q, axes=[-1]); e = Add(v, 0.00001); s = Sqrt(e); y = Div(x1, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x); v = ReduceMean(q, axes=[-1]); e = Add(v, 0.00001); s! = Sqrt(e); y = Div(x, s)",
           "Mul ReduceMean Add Sqrt Div"},
          {"q = Mul(x, x); v = ReduceMean(q, axes=[-1]); e = Add(v, 0.00001); s = Sqrt(e); n = Div(x, s); "
           "y = Mul(n, w:3x4)",
           "RMSNormalization Mul"},
          {"m = ReduceMean(x, axes=[-1]); d! = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); "
           "e = Add(v, 0.00001); s = Sqrt(e); y = Div(d, s)",
           "ReduceMean Sub Mul ReduceMean Add Sqrt Div"},
          {"m = ReduceMean(x, axes=[-2]); d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); "
           "e = Add(v, 0.00001); s = Sqrt(e); y = Div(d, s)",
           "ReduceMean Sub RMSNormalization"},
      });
}

TEST(passes_eliminate_redundant) {
  check_pass(
      "eliminate_redundant",
      {
          {"c = Cast(x, to=1); y = Relu(c)", "Relu"},
          {"c = Cast(x, to=11); d = Cast(c, to=1); y = Relu(d)", "Relu"},
          {"c = Cast(x, to=11); d = Cast(c, to=10); y = Cast(d, to=1)", "Cast Cast"},
          {"c = Cast(x, to=10); y = Cast(c, to=1)", "Cast Cast"},
          {"c = Cast(x, to=7); y = Cast(c, to=1)", "Cast Cast"},
          {"d = Dropout(x); y = Relu(d)", "Relu"},
          {"d, m = Dropout(x); c = Cast(m, to=1); y = Add(d, c)", "Dropout Cast Add"},
          {"t = Transpose(x, perm=[0,2,1]); u = Transpose(t, perm=[0,2,1]); y = Relu(u)", "Relu"},
          {"t = Transpose(x, perm=[1,2,0]); u = Transpose(t, perm=[1,2,0]); y = Relu(u)", "Transpose Relu"},
          {"t! = Transpose(x, perm=[1,2,0]); u = Transpose(t, perm=[1,2,0]); y = Relu(u)", "Transpose Transpose Relu"},
          {"t! = Transpose(x, perm=[1,0]); u = Transpose(t, perm=[1,0]); y = Relu(u)", "Transpose Relu"},
          {"t = Transpose(x:2x3); u = Transpose(t); y = Relu(u)", "Relu"},
          {"t = Transpose(x); u = Transpose(t); y = Relu(u)", "Transpose Transpose Relu"},
          {"t = Transpose(x, perm=[0,1,2]); y = Relu(t)", "Relu"},
          {"r = Reshape(x, [2,3]); y = Reshape(r, [3,-1])", "Reshape"},
          {"r = Flatten(x); y = Reshape(r, [3,2])", "Reshape"},
          {"r = Reshape(x, [2,3]); y = Reshape(r, [0,-1])", "Reshape Reshape"},
          {"s = Squeeze(x, [0]); u = Unsqueeze(s, [0]); y = Relu(u)", "Relu"},
          {"s = Unsqueeze(x, [0,2]); u = Squeeze(s, [2,0]); y = Relu(u)", "Relu"},
          {"s = Squeeze(x, [0]); u = Unsqueeze(s, [1]); y = Relu(u)", "Squeeze Unsqueeze Relu"},
          {"c = Concat(x, axis=0); y = Relu(c)", "Relu"},
          {"s = Sum(x); y = Relu(s)", "Relu"},
          {"s = Sum(x, x1); y = Relu(s)", "Add Relu"},
          {"s = Sum(x, x1, x2); y = Relu(s)", "Sum Relu"},
          {"s = Slice(x, [0,0], [2147483647,9223372036854775807], [0,1]); y = Relu(s)", "Relu"},
          {"s = Slice(x, [0], [3], [0]); y = Relu(s)", "Slice Relu"},
          {"s = Slice(x, [0], [2147483647], [0], [2]); y = Relu(s)", "Slice Relu"},
          {"m = Mul(x, 1.0); d = Div(m, 1.0); s = Sub(d, 0.0); y = Relu(s)", "Relu"},
          {"m = Mul(x, 1.0:1); y = Relu(m)", "Mul Relu"},
          {"d = Div(1.0, x); a = Add(d, 0.0); y = Sub(0.0, a)", "Div Add Sub"},
          {"s = Shape(x:2x3); y = ConstantOfShape(s)", "ConstantOfShape"},
          {"s = Shape(x); y = ConstantOfShape(s)", "Shape ConstantOfShape"},
          {"r = Relu(x:?x3); s = Shape(r); g = Gather(s, [-1]); y = ConstantOfShape(g)", "ConstantOfShape"},
          {"s = Shape(x:?x3); g = Gather(s, [0]); y = ConstantOfShape(g)", "Shape Gather ConstantOfShape"},
      });
}

TEST(passes_eliminate_common) {
  check_pass(
      "eliminate_common",
      {
          {"a = Relu(x); b = Relu(x); y = Add(a, b)", "Relu Add"},
          {"a = Mul(x, 2.0); b = Mul(x, 2.0:1); y = Add(a, b)", "Mul Mul Add"},
          {"a = Elu(x, alpha=0.5); b = Elu(x, alpha=0.5); y = Add(a, b)", "Elu Add"},
          {"a = Elu(x, alpha=0.5); b = Elu(x, alpha=0.25); y = Add(a, b)", "Elu Elu Add"},
          {"a = Transpose(x, perm=[1,0]); b = Transpose(x, perm=[1,0]); c = Relu(a); d = Relu(b); y = Add(c, d)",
           "Transpose Relu Add"},
          {"a = RandomNormalLike(x); b = RandomNormalLike(x); y = Add(a, b)", "RandomNormalLike RandomNormalLike Add"},
          {"a! = Relu(x); b = Relu(x); y = Neg(b)", "Relu Neg"},
      });
}

TEST(passes_fuse_matmul) {
  constexpr const char* kFused = "com.microsoft.FusedMatMul";
  const auto with = [&](const std::string& rest) { return kFused + rest; };
  const std::string transposed = "Transpose " + with(""), added = with(" Add");
  check_pass("fuse_matmul",
             {
                 {"m = MatMul(x, w:3x4); y = Add(m, w1:4)", kFused},
                 {"m = MatMul(x, w:3x4); y = Add(w1:4, m)", kFused},
                 {"m = MatMul(x:2x3, w:3x4); y = Add(m, w1:1x4)", kFused},
                 {"m = MatMul(x, w:3x4); y = Add(m, w1:1x4)", "MatMul Add"},
                 {"m = MatMul(x, w:3x1); y = Add(m, w1:4)", "MatMul Add"},
                 {"m = MatMul(x, w:3x4); y = Add(m, w1:4x1)", "MatMul Add"},
                 {"m = MatMul(x, x1); y = Add(m, w1:4)", "MatMul Add"},
                 {"m! = MatMul(x, w:3x4); y = Add(m, w1:4)", "MatMul Add"},
                 {"m = MatMul(x, w:2x3x4); y = Add(m, w1:4)", "MatMul Add"},
                 {"m = MatMul(x, x1); y = Div(m, 8.0)", kFused},
                 {"m = MatMul(x, x1); y = Div(8.0, m)", "MatMul Div"},
                 {"m = MatMul(x, x1); y = Mul(m, w:4)", "MatMul Mul"},
                 {"a = Mul(x, 0.5); b = Mul(x1, 0.5); y = MatMul(a, b)", kFused},
                 {"a! = Mul(x, 0.5); y = MatMul(a, x1)", "Mul MatMul"},
                 {"t = Transpose(x1, perm=[0,2,1]); y = MatMul(x, t)", kFused},
                 {"t = Transpose(x1, perm=[1,0]); y = MatMul(t, x)", kFused},
                 {"t = Transpose(x1, perm=[0,2,3,1]); s = Mul(t, 0.5); y = MatMul(x, s)", transposed.c_str()},
                 {"t = Transpose(x1, perm=[2,1,0]); y = MatMul(x, t)", "Transpose MatMul"},
                 {"t = Transpose(x1); y = MatMul(x, t)", "Transpose MatMul"},
                 {"t! = Transpose(x1, perm=[1,0]); y = MatMul(x, t)", "Transpose MatMul"},
                 {"m = MatMul(x, w:3x4); a = Add(m, w1:4); y = Add(a, w2:4)", added.c_str()},
             });
}

TEST(passes_fuse_pad) {
  check_pass(
      "fuse_pad",
      {
          {"p = Pad(x, [0,0,1,1,0,0,2,2]); y = Conv(p, w:2x3x3x3)", "Conv"},
          {"p = Pad(x, [0,0,1,1,0,0,2,2], 0.0, mode='constant'); y = Conv(p, w:2x3x3x3, pads=[1,1,1,1])", "Conv"},
          {"p = Pad(x, [0,0,1,1,0,0,1,1]); y = AveragePool(p, kernel_shape=[2,2])", "AveragePool"},
          {"p = Pad(x, [0,0,1,1,0,0,2,2], 1.0); y = Conv(p, w:2x3x3x3)", "Pad Conv"},
          {"p = Pad(x, [0,0,1,1,0,0,2,2], mode='edge'); y = Conv(p, w:2x3x3x3)", "Pad Conv"},
          {"p = Pad(x, [0,1,1,1,0,0,2,2]); y = Conv(p, w:2x3x3x3)", "Pad Conv"},
          {"p = Pad(x, [0,0,-1,1,0,0,2,2]); y = Conv(p, w:2x3x3x3)", "Pad Conv"},
          {"p! = Pad(x, [0,0,1,1,0,0,2,2]); y = Conv(p, w:2x3x3x3)", "Pad Conv"},
          {"p = Pad(x, [0,0,1,1,0,0,2,2]); y = Conv(p, w:2x3x3x3, auto_pad='SAME_UPPER')", "Pad Conv"},
          {"p = Pad(x, [0,0,1,1,0,0,1,1]); y = MaxPool(p, kernel_shape=[2,2])", "Pad MaxPool"},
          {"p = Pad(x, [0,0,1,1,0,0,1,1]); y = AveragePool(p, kernel_shape=[3,3], pads=[1,1,1,1])", "Pad AveragePool"},
      });
}

TEST(passes_fuse_shuffle) {
  const std::string before = "a = Transpose(x, perm=[0,3,1,2]); ";
  const std::string after = "; y = Transpose(d, perm=[0,2,3,1])";
  const auto with = [&](const char* middle) { return before + middle + after; };
  const std::string shuffle =
      with("b = Reshape(a, [1,2,3,4,5]); c = Transpose(b, perm=[0,2,1,3,4]); d = Reshape(c, [1,6,4,5])");
  const std::string batch =
      with("b = Reshape(a, [-1,2,3,4,5]); c = Transpose(b, perm=[0,2,1,3,4]); d = Reshape(c, [-1,6,4,5])");
  const std::string other =
      with("b = Reshape(a, [1,2,3,4,5]); c = Transpose(b, perm=[0,2,1,4,3]); d = Reshape(c, [1,6,5,4])");
  const std::string turned =
      with("b = Reshape(a, [1,2,3,4,5]); c = Transpose(b, perm=[0,2,1,3,4]); d = Reshape(c, [1,6,5,4])");
  const std::string free =
      with("b = Reshape(a, [1,2,3,4,-1]); c = Transpose(b, perm=[0,2,1,3,4]); d = Reshape(c, [1,6,4,5])");
  const std::string output =
      with("b! = Reshape(a, [1,2,3,4,5]); c = Transpose(b, perm=[0,2,1,3,4]); d = Reshape(c, [1,6,4,5])");
  constexpr const char* kAll = "Transpose Reshape Transpose Reshape Transpose";
  check_pass("fuse_shuffle", {
                                 {shuffle.c_str(), "Reshape Transpose Reshape"},
                                 {batch.c_str(), "Reshape Transpose Reshape"},
                                 {other.c_str(), kAll},
                                 {turned.c_str(), kAll},
                                 {free.c_str(), kAll},
                                 {output.c_str(), kAll},
                             });
}
