#include "ops/key_table.h"

#include <cmath>

#include "base/sort.h"
#include "kernels/convert.h"

namespace onnxlet {

KeyTable::Kind KeyTable::kind_of(DType t) {
  return t == DType::kString ? Kind::kStrings : is_float(t) ? Kind::kFloats : Kind::kInts;
}

KeyTable::Key KeyTable::key_at(const Tensor& t, int64_t i) {
  Key key{};
  switch (t.dtype()) {  // the usual types first; the rest is rare
    case DType::kString:
      key.text = t.data<std::string>()[i];
      break;
    case DType::kInt64:
      key.whole = t.data<int64_t>()[i];
      break;
    case DType::kFloat:
      key.real = static_cast<double>(t.data<float>()[i]);
      break;
    default: {
      const char* element = t.data<char>() + i * static_cast<int64_t>(element_size(t.dtype()));
      if (is_float(t.dtype()))
        to_double(t.dtype(), element, &key.real, 1);
      else
        cast_elements(t.dtype(), element, DType::kInt64, &key.whole, 1, {});
    }
  }
  return key;
}

// NaN comes last.
bool KeyTable::before(const Key& a, const Key& b) const {
  switch (kind_) {
    case Kind::kInts:
      return a.whole < b.whole;
    case Kind::kFloats:
      return a.real < b.real || (std::isnan(b.real) && !std::isnan(a.real));
    default:
      return a.text < b.text;
  }
}

Status KeyTable::build(const Tensor& keys) {
  keys_ = keys;
  kind_ = kind_of(keys.dtype());
  const int64_t n = keys.size();
  std::vector<Key> unsorted;
  for (int64_t i = 0; i < n; ++i) {
    unsorted.push_back(key_at(keys, i));
    positions_.push_back(i);
  }
  sort_by(positions_.data(), n, [&](int64_t a, int64_t b) {
    const Key &x = unsorted[static_cast<size_t>(a)], &y = unsorted[static_cast<size_t>(b)];
    return before(x, y) || (a < b && !before(y, x));
  });
  for (const int64_t p : positions_) sorted_.push_back(unsorted[static_cast<size_t>(p)]);
  return {};
}

int64_t KeyTable::find(const Key& key, int64_t missing) const {
  size_t low = 0, high = sorted_.size();  // the first entry behind those equal to key
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (before(key, sorted_[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low > 0 && !before(sorted_[low - 1], key) ? positions_[low - 1] : missing;
}

Status KeyTable::find_all(const Tensor& x, int64_t missing, int64_t* out) const {
  if (kind_of(x.dtype()) != kind_)
    return run_failed("the input holds ", x.dtype(), " but the keys are ", keys_.dtype());
  for (int64_t i = 0; i < x.size(); ++i) out[i] = find(key_at(x, i), missing);
  return {};
}

}  // namespace onnxlet
