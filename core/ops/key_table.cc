#include "ops/key_table.h"

#include <algorithm>
#include <cmath>

#include "kernels/convert.h"

namespace onnxlet {
namespace {

template <class E>
void sort_entries(std::vector<E>* entries) {
  std::stable_sort(entries->begin(), entries->end(), [](const E& a, const E& b) { return a.key < b.key; });
}

template <class E, class K>
int64_t find_entry(const std::vector<E>& entries, const K& key, int64_t missing) {
  const auto after = std::upper_bound(entries.begin(), entries.end(), key, [](const K& k, const E& e) { return k < e.key; });
  return after != entries.begin() && std::prev(after)->key == key ? std::prev(after)->position : missing;
}

}  // namespace

Status KeyTable::build(const Tensor& keys) {
  keys_ = keys;
  const int64_t n = keys.size();
  if (keys.dtype() == DType::kString) {
    kind_ = Kind::kStrings;
    for (int64_t i = 0; i < n; ++i) strings_.push_back({keys.data<std::string>()[i], i});
  } else if (is_float(keys.dtype())) {
    kind_ = Kind::kFloats;
    for (int64_t i = 0; i < n; ++i) {
      double v;
      to_double(keys.dtype(), keys.data<char>() + i * static_cast<int64_t>(element_size(keys.dtype())), &v, 1);
      if (std::isnan(v)) nan_ = i;
      else floats_.push_back({v, i});
    }
  } else {
    kind_ = Kind::kInts;
    for (int64_t i = 0; i < n; ++i) {
      int64_t v;
      cast_elements(keys.dtype(), keys.data<char>() + i * static_cast<int64_t>(element_size(keys.dtype())), DType::kInt64, &v, 1, {});
      ints_.push_back({v, i});
    }
  }
  sort_entries(&ints_);
  sort_entries(&floats_);
  sort_entries(&strings_);
  return {};
}

int64_t KeyTable::find(std::string_view key, int64_t missing) const { return find_entry(strings_, key, missing); }
int64_t KeyTable::find(int64_t key, int64_t missing) const { return find_entry(ints_, key, missing); }
int64_t KeyTable::find(double key, int64_t missing) const {
  if (std::isnan(key)) return nan_ >= 0 ? nan_ : missing;
  return find_entry(floats_, key, missing);
}

Status KeyTable::find_all(const Tensor& x, int64_t missing, int64_t* out) const {
  const DType type = x.dtype();
  const Kind kind = type == DType::kString ? Kind::kStrings : is_float(type) ? Kind::kFloats : Kind::kInts;
  if (kind != kind_) return run_failed("the input holds ", type, " but the keys are ", keys_.dtype());
  const auto step = static_cast<int64_t>(element_size(type));
  for (int64_t i = 0; i < x.size(); ++i) {
    const char* element = x.data<char>() + i * step;
    if (kind == Kind::kStrings) {
      out[i] = find(std::string_view(x.data<std::string>()[i]), missing);
    } else if (kind == Kind::kFloats) {
      double v;
      to_double(type, element, &v, 1);
      out[i] = find(v, missing);
    } else {
      int64_t v;
      cast_elements(type, element, DType::kInt64, &v, 1, {});
      out[i] = find(v, missing);
    }
  }
  return {};
}

}  // namespace onnxlet
