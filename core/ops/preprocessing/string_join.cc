// StringJoin of onnxruntime-extensions: the strings along an axis become one, with a separator between them.
#include <string>

#include "ops/op.h"

namespace onnxlet {
namespace {

struct StringJoin : Op {
  Status init(Attrs&) { return {}; }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &separator = ctx.in(1);
    if (separator.size() != 1) return run_failed("sep must be one string; it has shape ", separator.shape());
    OL_ASSIGN(const int64_t wanted, to_int(ctx.in(2), "axis"));
    if (x.rank() == 0) {
      OL_ASSIGN(Tensor * y, ctx.out(0, DType::kString, Shape{1}));
      *y->mutable_data<std::string>() = *x.data<std::string>();
      return {};
    }
    OL_ASSIGN(const int axis, normalize_axis(wanted, x.rank()));
    Shape shape;
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < x.rank(); ++i) {
      if (i == axis) continue;
      shape.push_back(x.dim(i));
      (i < axis ? outer : inner) *= x.dim(i);
    }
    if (x.rank() == 1) shape.push_back(1);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kString, shape));
    const std::string& between = *separator.data<std::string>();
    const int64_t length = x.dim(axis);
    std::string* out = y->mutable_data<std::string>();
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i, ++out) {
        for (int64_t k = 0; k < length; ++k) {
          if (k > 0) *out += between;
          *out += x.data<std::string>()[(o * length + k) * inner + i];
        }
      }
    }
    return {};
  }
};

const OpRow kRows[] = {{"StringJoin", 1, make<StringJoin>}};

}  // namespace

extern const OpTable kStringContribOps{"ai.onnx.contrib", kRows};

}  // namespace onnxlet
