// Feature preparation of ai.onnx.ml: label and category tables, scaling, dictionaries.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/number_text.h"
#include "base/sort.h"
#include "base/visit.h"
#include "kernels/gather.h"
#include "kernels/move.h"
#include "ops/key_table.h"
#include "ops/ml_scores.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

// A list attribute as a 1-D tensor.
Result<Tensor> int_tensor(Attrs& a, const char* name) { return Tensor::of_ints(a.pool(), a.ints(name)); }
Result<Tensor> float_tensor(Attrs& a, const char* name) {
  const std::vector<float> v = a.floats(name);
  return Tensor::from<float>(a.pool(), Shape{static_cast<int64_t>(v.size())}, v);
}
Result<Tensor> string_tensor(Attrs& a, const char* name) {
  const auto views = a.strings(name);
  const std::vector<std::string> v(views.begin(), views.end());
  return Tensor::from<std::string>(a.pool(), Shape{static_cast<int64_t>(v.size())}, v);
}

// Output 0: values[table position of each element]; the last value is for those the table does not hold.
Status map_elements(OpContext& ctx, const KeyTable& keys, const Tensor& values) {
  const Tensor& x = ctx.in(0);
  OL_ASSIGN(int64_t* index, ctx.scratch_of<int64_t>(x.size()));
  OL_TRY(keys.find_all(x, values.size() - 1, index));
  OL_ASSIGN(Tensor * y, ctx.out(0, values.dtype(), x.shape()));
  gather_rows(values.dtype(), values.raw(), Rows{1, values.size(), 1}, index, x.size(), y->mutable_raw());
  return {};
}

// `values` with `fallback` (one element of the same type) behind it.
Result<Tensor> with_fallback(Pool& pool, const Tensor& values, const Tensor& fallback) {
  if (fallback.dtype() != values.dtype() || fallback.size() != 1) {
    return invalid_graph("the default must be one element of type ", values.dtype(), "; it has type ", fallback.dtype(),
                         " and shape ", fallback.shape());
  }
  OL_ASSIGN(Tensor out, Tensor::allocate(pool, values.dtype(), Shape{values.size() + 1}, true));
  copy_elements(values.dtype(), values.raw(), out.mutable_raw(), values.size());
  copy_elements(values.dtype(), fallback.raw(), element_at(out.dtype(), out.mutable_raw(), values.size()), 1);
  return out;
}

struct Fallbacks {
  Tensor ints, floats, strings;
  Status read(Attrs& a) {
    const int64_t i = a.i("default_int64", -1);
    const float f = a.f("default_float", -0.0f);
    const std::string s(a.s("default_string", "_Unused"));
    OL_ASSIGN(ints, Tensor::from<int64_t>(a.pool(), Shape{1}, {&i, 1}));
    OL_ASSIGN(floats, Tensor::from<float>(a.pool(), Shape{1}, {&f, 1}));
    OL_ASSIGN(strings, Tensor::from<std::string>(a.pool(), Shape{1}, {&s, 1}));
    return {};
  }
};

struct LabelEncoder : Op {
  KeyTable keys;
  Tensor values;

  Status init(Attrs& a) {
    Fallbacks fallbacks;
    OL_TRY(fallbacks.read(a));
    OL_ASSIGN(Tensor from, a.tensor("keys_tensor"));
    OL_ASSIGN(Tensor to, a.tensor("values_tensor"));
    OL_ASSIGN(Tensor fallback, a.tensor("default_tensor"));
    const bool given = fallback.valid();
    const auto take = [&](const char* name, Result<Tensor> (*make_list)(Attrs&, const char*), Tensor* out) -> Status {
      if (!a.has(name)) return {};
      if (out->valid())
        return invalid_graph("only one keys_* and one values_* attribute may be given; ", name, " is a second one");
      OL_ASSIGN(*out, make_list(a, name));
      return {};
    };
    OL_TRY(take("keys_int64s", int_tensor, &from));
    OL_TRY(take("keys_floats", float_tensor, &from));
    OL_TRY(take("keys_strings", string_tensor, &from));
    OL_TRY(take("values_int64s", int_tensor, &to));
    OL_TRY(take("values_floats", float_tensor, &to));
    OL_TRY(take("values_strings", string_tensor, &to));
    if (!from.valid() || !to.valid() || from.size() != to.size()) {
      return invalid_graph("keys_* and values_* must both be given and have one length; they have ",
                           from.valid() ? from.size() : 0, " and ", to.valid() ? to.size() : 0);
    }
    if (!given) {
      if (to.dtype() == DType::kString)
        fallback = fallbacks.strings;
      else if (to.dtype() == DType::kInt64)
        fallback = fallbacks.ints;
      else if (to.dtype() == DType::kFloat)
        fallback = fallbacks.floats;
      else {
        alignas(16) unsigned char one[16];
        store_scalar(to.dtype(), is_float(to.dtype()) ? -0.0 : -1.0, one);
        OL_ASSIGN(fallback, Tensor::allocate(a.pool(), to.dtype(), Shape{1}, true));
        copy_elements(to.dtype(), one, fallback.mutable_raw(), 1);
      }
    }
    OL_TRY(keys.build(from));
    OL_ASSIGN(values, with_fallback(a.pool(), to, fallback));
    return {};
  }

  Status run(OpContext& ctx) const override { return map_elements(ctx, keys, values); }
};

// Strings to integers or back, by the type of the input.
struct TwoWayMap : Op {
  KeyTable by_string, by_int;
  Tensor ints, strings;

  Status build(Attrs& a, const Tensor& int_list, const Tensor& string_list) {
    if (int_list.size() != string_list.size()) {
      return invalid_graph("the lists of strings and integers must have one length; they have ", string_list.size(),
                           " and ", int_list.size());
    }
    Fallbacks fallbacks;
    OL_TRY(fallbacks.read(a));
    OL_TRY(by_string.build(string_list));
    OL_TRY(by_int.build(int_list));
    OL_ASSIGN(ints, with_fallback(a.pool(), int_list, fallbacks.ints));
    OL_ASSIGN(strings, with_fallback(a.pool(), string_list, fallbacks.strings));
    return {};
  }

  Status run(OpContext& ctx) const override {
    return ctx.in(0).dtype() == DType::kString ? map_elements(ctx, by_string, ints)
                                               : map_elements(ctx, by_int, strings);
  }
};

struct LabelEncoder1 : TwoWayMap {
  Status init(Attrs& a) {
    OL_ASSIGN(const Tensor list, string_tensor(a, "classes_strings"));
    OL_ASSIGN(Tensor positions, Tensor::allocate(a.pool(), DType::kInt64, list.shape()));
    for (int64_t i = 0; i < list.size(); ++i) positions.mutable_data<int64_t>()[i] = i;
    return build(a, positions, list);
  }
};

struct CategoryMapper : TwoWayMap {
  Status init(Attrs& a) {
    OL_ASSIGN(const Tensor int_list, int_tensor(a, "cats_int64s"));
    OL_ASSIGN(const Tensor string_list, string_tensor(a, "cats_strings"));
    return build(a, int_list, string_list);
  }
};

struct OneHotEncoder : Op {
  KeyTable keys;
  int64_t count;
  bool zeros;

  Status init(Attrs& a) {
    zeros = a.i("zeros", 1) != 0;
    OL_ASSIGN(const Tensor ints, int_tensor(a, "cats_int64s"));
    OL_ASSIGN(const Tensor strings, string_tensor(a, "cats_strings"));
    const Tensor& list = ints.size() > 0 ? ints : strings;
    if (list.size() == 0) return invalid_graph("one of cats_int64s and cats_strings must be given");
    count = list.size();
    return keys.build(list);
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() == Shape::kMaxRank) return not_implemented("an input of rank ", x.rank(), " is not supported");
    OL_ASSIGN(int64_t* index, ctx.scratch_of<int64_t>(x.size()));
    Tensor whole = x;
    if (x.dtype() != DType::kString && x.dtype() != DType::kInt64) {
      OL_ASSIGN(whole, Tensor::allocate(ctx.pool(), DType::kInt64, x.shape()));
      cast_elements(x.dtype(), x.raw(), DType::kInt64, whole.mutable_raw(), x.size(), {});
    }
    OL_TRY(keys.find_all(whole, -1, index));
    Shape shape = x.shape();
    shape.push_back(count);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, shape));
    clear_elements(DType::kFloat, y->mutable_raw(), y->size());
    for (int64_t i = 0; i < x.size(); ++i) {
      if (index[i] >= 0)
        y->mutable_data<float>()[i * count + index[i]] = 1;
      else if (!zeros)
        return run_failed("element ", i, " is no known category, and zeros is 0");
    }
    return {};
  }
};

struct ArrayFeatureExtractor : Op {
  Status init(Attrs&) { return {}; }
  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    if (x.rank() < 1) return run_failed("X needs a rank of at least 1");
    const int last = x.rank() - 1;
    OL_ASSIGN(const int64_t* index, wrap_indices(ctx, indices, x.dim(last)));
    Shape shape = x.shape();
    shape[last] = indices.size();
    if (x.rank() == 1) shape.insert(0, 1);
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    gather_rows(x.dtype(), x.raw(), split_at(x.shape(), last), index, indices.size(), y->mutable_raw());
    return {};
  }
};

struct Binarizer : Op {
  float threshold;
  Status init(Attrs& a) {
    threshold = a.f("threshold", 0);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int64_t n = x.size();
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    OL_ASSIGN(const double* from, values_as<double>(ctx, x));
    const float zero_one[] = {0, 1};
    for (int64_t i = 0; i < n; ++i) {
      cast_elements(DType::kFloat, &zero_one[from[i] > static_cast<double>(threshold)], x.dtype(),
                    element_at(x.dtype(), y->mutable_raw(), i), 1, {});
    }
    return {};
  }
};

// Per-feature parameters: one for all, or one for each column.
Status check_features(std::string_view name, size_t n, int64_t columns) {
  if (n == 1 || static_cast<int64_t>(n) == columns) return {};
  return run_failed(name, " needs 1 or ", columns, " entries; it has ", n);
}

struct Scaler : Op {
  std::vector<float> offset, scale;

  Status init(Attrs& a) {
    offset = a.floats("offset");
    scale = a.floats("scale");
    if (offset.empty()) offset = {0};
    if (scale.empty()) scale = {1};
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int64_t columns = x.rank() == 0 ? 1 : x.shape().back();
    OL_TRY(check_features("offset", offset.size(), columns));
    OL_TRY(check_features("scale", scale.size(), columns));
    OL_ASSIGN(const float* from, values_as<float>(ctx, x));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, x.shape()));
    for (int64_t i = 0, c = 0; i < x.size(); ++i) {
      const auto at = static_cast<size_t>(c);
      y->mutable_data<float>()[i] = (from[i] - offset[offset.size() == 1 ? 0 : at]) * scale[scale.size() == 1 ? 0 : at];
      if (++c == columns) c = 0;
    }
    return {};
  }
};

struct Imputer : Op {
  std::vector<float> floats;
  std::vector<int64_t> ints;
  float replaced_float;
  int64_t replaced_int;

  Status init(Attrs& a) {
    floats = a.floats("imputed_value_floats");
    ints = a.ints("imputed_value_int64s");
    replaced_float = a.f("replaced_value_float", 0);
    replaced_int = a.i("replaced_value_int64", 0);
    if (floats.empty() == ints.empty())
      return invalid_graph("one of imputed_value_floats and imputed_value_int64s must be given");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int64_t columns = x.rank() == 0 ? 1 : x.shape().back();
    const bool real = is_float(x.dtype());
    const size_t n = real ? floats.size() : ints.size();
    if (n == 0) return run_failed("X holds ", x.dtype(), ", but the imputed values are of the other kind");
    OL_TRY(check_features("the imputed values", n, columns));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), x.shape()));
    return visit<Ieee, Types<int32_t, int64_t>>(x.dtype(), [&]<class T>() -> Status {
      const T* from = x.data<T>();
      T* to = y->mutable_data<T>();
      for (int64_t i = 0; i < x.size(); ++i) {
        const auto at = n == 1 ? 0 : static_cast<size_t>(i % columns);
        if constexpr (std::is_floating_point_v<T>) {
          const bool hit = std::isnan(replaced_float) ? std::isnan(from[i]) : from[i] == static_cast<T>(replaced_float);
          to[i] = hit ? static_cast<T>(floats[at]) : from[i];
        } else {
          to[i] = from[i] == static_cast<T>(replaced_int) ? static_cast<T>(ints[at]) : from[i];
        }
      }
      return {};
    });
  }
};

struct Normalizer : Op {
  enum class Norm { kMax, kL1, kL2 };
  Norm norm;

  Status init(Attrs& a) {
    const std::string_view name = a.s("norm", "MAX");
    if (name == "MAX")
      norm = Norm::kMax;
    else if (name == "L1")
      norm = Norm::kL1;
    else if (name == "L2")
      norm = Norm::kL2;
    else
      return invalid_graph("norm must be MAX, L1 or L2; it is ", name);
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
    OL_ASSIGN(const float* x, values_as<float>(ctx, ctx.in(0)));
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, ctx.in(0).shape()));
    for (int64_t r = 0; r < m.rows; ++r) {
      const float* from = x + r * m.columns;
      float* to = y->mutable_data<float>() + r * m.columns;
      float divisor = 0;
      for (int64_t i = 0; i < m.columns; ++i) {
        if (norm == Norm::kMax)
          divisor = std::max(divisor, std::abs(from[i]));
        else
          divisor += norm == Norm::kL1 ? std::abs(from[i]) : from[i] * from[i];
      }
      if (norm == Norm::kL2) divisor = std::sqrt(divisor);
      for (int64_t i = 0; i < m.columns; ++i) to[i] = divisor != 0 ? from[i] / divisor : from[i];
    }
    return {};
  }
};

struct FeatureVectorizer : Op {
  std::vector<int64_t> widths;

  Status init(Attrs& a) {
    widths = a.ints("inputdimensions");
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix first, as_matrix(ctx.in(0)));
    int64_t total = 0;
    const auto width_of = [&](int i, const Matrix& m) {
      return static_cast<size_t>(i) < widths.size() ? widths[static_cast<size_t>(i)] : m.columns;
    };
    for (int i = 0; i < ctx.input_count(); ++i) {
      OL_ASSIGN(const Matrix m, as_matrix(ctx.in(i)));
      if (m.rows != first.rows)
        return run_failed("all inputs must have ", first.rows, " rows; input ", i, " has shape ", ctx.in(i).shape());
      if (width_of(i, m) < 0)
        return run_failed("inputdimensions must not be negative; entry ", i, " is ", width_of(i, m));
      total += width_of(i, m);
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, Shape{first.rows, total}));
    clear_elements(DType::kFloat, y->mutable_raw(), y->size());
    float* to = y->mutable_data<float>();
    for (int i = 0; i < ctx.input_count(); ++i) {  // inputs wider than said are cut, narrower ones followed by zeros
      OL_ASSIGN(const Matrix m, as_matrix(ctx.in(i)));
      OL_ASSIGN(const float* from, values_as<float>(ctx, ctx.in(i)));
      const int64_t width = width_of(i, m);
      copy_strided(DType::kFloat, Shape{m.rows, std::min(width, m.columns)}, from, Shape{m.columns, 1}, to,
                   Shape{total, 1});
      to += width;
    }
    return {};
  }
};

Status need_map(const Value& v) {
  if (v.kind() == Value::Kind::kMap) return {};
  return run_failed("the input must be a map; it is a ", kind_name(v.kind()));
}

struct DictVectorizer : Op {
  KeyTable keys;
  int64_t count;

  Status init(Attrs& a) {
    OL_ASSIGN(const Tensor ints, int_tensor(a, "int64_vocabulary"));
    OL_ASSIGN(const Tensor strings, string_tensor(a, "string_vocabulary"));
    if ((ints.size() == 0) == (strings.size() == 0))
      return invalid_graph("one of int64_vocabulary and string_vocabulary must be given");
    count = std::max(ints.size(), strings.size());
    return keys.build(ints.size() > 0 ? ints : strings);
  }

  Status run(OpContext& ctx) const override {
    OL_TRY(need_map(ctx.value(0)));
    const MapValue& map = ctx.value(0).map();
    const DType type = map.values.dtype();
    OL_ASSIGN(int64_t* index, ctx.scratch_of<int64_t>(map.keys.size()));
    OL_TRY(keys.find_all(map.keys, -1, index));
    OL_ASSIGN(Tensor * y, ctx.out(0, type, Shape{1, count}));
    clear_elements(type, y->mutable_raw(), count);
    for (int64_t i = 0; i < map.keys.size(); ++i) {  // keys outside the vocabulary are left out
      if (index[i] < 0) continue;
      copy_elements(type, element_at(type, map.values.raw(), i), element_at(type, y->mutable_raw(), index[i]), 1);
    }
    return {};
  }
};

struct CastMap : Op {
  DType to;
  bool sparse;
  int64_t max_map;

  Status init(Attrs& a) {
    const std::string_view cast = a.s("cast_to", "TO_FLOAT"), form = a.s("map_form", "DENSE");
    max_map = a.i("max_map", 1);
    if (cast == "TO_FLOAT")
      to = DType::kFloat;
    else if (cast == "TO_INT64")
      to = DType::kInt64;
    else if (cast == "TO_STRING")
      to = DType::kString;
    else
      return invalid_graph("cast_to must be TO_FLOAT, TO_INT64 or TO_STRING; it is ", cast);
    if (form != "DENSE" && form != "SPARSE") return invalid_graph("map_form must be DENSE or SPARSE; it is ", form);
    sparse = form == "SPARSE";
    if (sparse && max_map < 1) return invalid_graph("max_map must be positive; it is ", max_map);
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_TRY(need_map(ctx.value(0)));
    const MapValue& map = ctx.value(0).map();
    if (map.keys.dtype() != DType::kInt64)
      return run_failed("the keys of the map must be int64; they are ", map.keys.dtype());
    const int64_t n = map.keys.size();
    const int64_t* keys = map.keys.data<int64_t>();
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) order[static_cast<size_t>(i)] = i;
    sort_by(order.data(), n, [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
    OL_ASSIGN(Tensor * y, ctx.out(0, to, Shape{1, sparse ? max_map : n}));
    clear_elements(to, y->mutable_raw(), y->size());
    if (to == DType::kString) std::fill_n(y->mutable_data<std::string>(), y->size(), std::string("0"));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t from = order[static_cast<size_t>(i)], at = sparse ? keys[from] : i;
      if (at < 0 || at >= y->size())
        return run_failed("key ", at, " is outside [0, ", y->size() - 1, "], the range max_map allows");
      OL_TRY(convert(map.values, from, y, at));
    }
    return {};
  }

  static Status convert(const Tensor& values, int64_t from, Tensor* y, int64_t at) {
    if (values.dtype() == y->dtype()) {
      copy_elements(y->dtype(), element_at(y->dtype(), values.raw(), from),
                    element_at(y->dtype(), y->mutable_raw(), at), 1);
    } else if (values.dtype() == DType::kString) {
      double v;
      const std::string& s = values.data<std::string>()[from];
      if (!parse_double(s, true, &v)) return run_failed("\"", s, "\" is not a number; it is to become ", y->dtype());
      cast_elements(DType::kDouble, &v, y->dtype(), element_at(y->dtype(), y->mutable_raw(), at), 1, {});
    } else if (y->dtype() == DType::kString) {
      double v;
      to_double(values.dtype(), element_at(values.dtype(), values.raw(), from), &v, 1);
      y->mutable_data<std::string>()[at] =
          is_float(values.dtype()) ? shortest_text(v, kFloatFormat) : text(static_cast<int64_t>(v));
    } else {
      cast_elements(values.dtype(), element_at(values.dtype(), values.raw(), from), y->dtype(),
                    element_at(y->dtype(), y->mutable_raw(), at), 1, {});
    }
    return {};
  }
};

struct ZipMap : Op {
  Tensor keys;

  Status init(Attrs& a) {
    OL_ASSIGN(const Tensor ints, int_tensor(a, "classlabels_int64s"));
    OL_ASSIGN(const Tensor strings, string_tensor(a, "classlabels_strings"));
    if ((ints.size() == 0) == (strings.size() == 0))
      return invalid_graph("one of classlabels_int64s and classlabels_strings must be given");
    keys = ints.size() > 0 ? ints : strings;
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const Matrix m, as_matrix(x));
    if (m.columns != keys.size())
      return run_failed("X needs ", keys.size(), " columns, one per label; it has shape ", x.shape());
    Value::Sequence rows;
    rows.reserve(static_cast<size_t>(m.rows));
    for (int64_t r = 0; r < m.rows; ++r) {
      OL_ASSIGN(Tensor values, Tensor::allocate(ctx.pool(), x.dtype(), Shape{m.columns}));
      copy_elements(x.dtype(), element_at(x.dtype(), x.raw(), r * m.columns), values.mutable_raw(), m.columns);
      rows.push_back(Value::map({keys, std::move(values)}));
    }
    ctx.set(0, Value::sequence(std::move(rows)));
    return {};
  }
};

const OpRow kRows[] = {
    {"ArrayFeatureExtractor", 1, make<ArrayFeatureExtractor>},
    {"Binarizer", 1, make<Binarizer>},
    {"CastMap", 1, make<CastMap>},
    {"CategoryMapper", 1, make<CategoryMapper>},
    {"DictVectorizer", 1, make<DictVectorizer>},
    {"FeatureVectorizer", 1, make<FeatureVectorizer>},
    {"Imputer", 1, make<Imputer>},
    {"LabelEncoder", 1, make<LabelEncoder1>},
    {"LabelEncoder", 2, make<LabelEncoder>},
    {"Normalizer", 1, make<Normalizer>},
    {"OneHotEncoder", 1, make<OneHotEncoder>},
    {"Scaler", 1, make<Scaler>},
    {"ZipMap", 1, make<ZipMap>},
};

}  // namespace

extern const OpTable kMlFeaturesOps{"ai.onnx.ml", kRows};

}  // namespace onnxlet
