// Conversion of element types, strings included, and reinterpretation of bits.
#include "base/number_text.h"
#include "base/parallel.h"
#include "kernels/convert.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

bool equals_ignoring_case(std::string_view a, std::string_view lower_case) {
  if (a.size() != lower_case.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if ((a[i] | 0x20) != lower_case[i]) return false;
  }
  return true;
}

FloatFormat text_format(DType t) {
  switch (t) {
    case DType::kDouble:
      return kDoubleFormat;
    case DType::kFloat16:
      return kHalfFormat;
    case DType::kBFloat16:
      return kBFloat16Format;
    default:
      return kFloatFormat;
  }
}

// As numpy writes them.
std::string element_text(DType type, const void* element) {
  if (is_float(type)) {
    double v;
    to_double(type, element, &v, 1);
    return shortest_text(v, text_format(type));
  }
  if (type == DType::kBool) return *static_cast<const uint8_t*>(element) != 0 ? "True" : "False";
  if (type == DType::kUint64) return text(*static_cast<const uint64_t*>(element));
  int64_t v;
  cast_elements(type, element, DType::kInt64, &v, 1, {});
  return text(v);
}

bool parse_element(const std::string& s, DType type, void* to, const CastMode& mode) {
  int64_t whole;
  if (!is_float(type)) {
    const bool truth = type == DType::kBool && equals_ignoring_case(s, "true");
    if (truth || (type == DType::kBool && equals_ignoring_case(s, "false"))) {
      whole = truth ? 1 : 0;
      cast_elements(DType::kInt64, &whole, type, to, 1, mode);
      return true;
    }
    if (parse_integer(s, &whole)) {
      cast_elements(DType::kInt64, &whole, type, to, 1, mode);
      return true;
    }
  }
  double v;
  if (!parse_double(s, type != DType::kDouble, &v)) return false;
  cast_elements(DType::kDouble, &v, type, to, 1, mode);
  return true;
}

Status cast_from_strings(const Tensor& x, Tensor* y, const CastMode& mode) {
  const auto size = static_cast<int64_t>(element_size(y->dtype()));
  char* to = static_cast<char*>(y->mutable_raw());
  for (int64_t i = 0, n = x.size(); i < n; ++i) {
    const std::string& s = x.data<std::string>()[i];
    if (y->dtype() == DType::kFloat) {
      double v;  // rounded to odd: the float is then the nearest one
      if (!parse_double(s, true, &v)) return run_failed("\"", s, "\" is not a number; it is to become ", y->dtype());
      y->mutable_data<float>()[i] = static_cast<float>(v);
    } else if (!parse_element(s, y->dtype(), to + i * size, mode)) {
      return run_failed("\"", s, "\" is not a number; it is to become ", y->dtype());
    }
  }
  return {};
}

Status cast(OpContext& ctx, DType to, const CastMode& mode) {
  const Tensor& x = ctx.in(0);
  if (x.dtype() == to) {
    ctx.set(0, x);
    return {};
  }
  OL_ASSIGN(Tensor * y, ctx.out(0, to, x.shape()));
  const auto from_size = static_cast<int64_t>(element_size(x.dtype())),
             to_size = static_cast<int64_t>(element_size(to));
  const char* src = static_cast<const char*>(x.raw());
  if (x.dtype() == DType::kString) return cast_from_strings(x, y, mode);
  if (to == DType::kString) {
    for (int64_t i = 0, n = x.size(); i < n; ++i)
      y->mutable_data<std::string>()[i] = element_text(x.dtype(), src + i * from_size);
    return {};
  }
  char* dst = static_cast<char*>(y->mutable_raw());
  const DType from = x.dtype();
  parallel_for(x.size(), grain_for(2), [&](int64_t begin, int64_t end) {
    cast_elements(from, src + begin * from_size, to, dst + begin * to_size, end - begin, mode);
  });
  return {};
}

Status read_mode(Attrs& a, CastMode* mode) {
  mode->saturate = a.i("saturate", 1) != 0;
  const std::string_view rounding = a.s("round_mode", "up");
  if (rounding == "up")
    mode->rounding = E8M0Rounding::kUp;
  else if (rounding == "down")
    mode->rounding = E8M0Rounding::kDown;
  else if (rounding == "nearest")
    mode->rounding = E8M0Rounding::kNearest;
  else
    return invalid_graph("round_mode must be up, down or nearest; it is ", rounding);
  return {};
}

// Opset 1 wrote the type as its name in capitals.
DType target_type(Attrs& a) {
  if (a.since_version() >= 6 || a.i("to", 0) != 0) return a.dtype("to");
  std::string name(a.s("to"));
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  return dtype_from_name(name);
}

struct Cast : Op {
  DType to;
  CastMode mode;
  Status init(Attrs& a) {
    to = target_type(a);
    if (to == DType::kUndefined) return invalid_graph("Cast: attribute to is not the number of an element type");
    if (to == DType::kComplex64 || to == DType::kComplex128) return invalid_graph("Cast: to cannot be a complex type");
    return read_mode(a, &mode);
  }
  Status run(OpContext& ctx) const override { return cast(ctx, to, mode); }
};

struct CastLike : Op {
  CastMode mode;
  Status init(Attrs& a) { return read_mode(a, &mode); }
  Status run(OpContext& ctx) const override { return cast(ctx, ctx.in(1).dtype(), mode); }
};

struct BitCast : Op {
  DType to;
  Status init(Attrs& a) {
    to = a.dtype("to");
    if (to == DType::kUndefined || to == DType::kString) {
      return invalid_graph("BitCast: attribute to must be the number of an element type other than string");
    }
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (dtype_bits(x.dtype()) != dtype_bits(to)) {
      return run_failed("BitCast: the types must be of one width; ", x.dtype(), " has ", dtype_bits(x.dtype()),
                        " bits, ", to, " has ", dtype_bits(to));
    }
    if (trim::kTrimmed) OL_TRY(check_kept(to));
    OL_ASSIGN(Tensor y, with_valid_bools(x.retyped(to), ctx.pool()));
    ctx.set(0, std::move(y));
    return {};
  }
};

const OpRow kRows[] = {
    {"BitCast", 26, make<BitCast>},
    {"Cast", 1, make<Cast>, kElementwise},
    {"CastLike", 15, make<CastLike>},
};

}  // namespace

extern const OpTable kCastOps{"", kRows};

}  // namespace onnxlet
