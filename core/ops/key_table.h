// Finds elements of a tensor in a list of keys: integers, floats (NaN finds NaN) or strings.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace onnxlet {

class KeyTable {
 public:
  // Positions are those in `keys`; of a repeated key the last one counts.
  Status build(const Tensor& keys);
  // out[i] = position of x[i], or `missing`. x must be of the keys' kind.
  Status find_all(const Tensor& x, int64_t missing, int64_t* out) const;

 private:
  enum class Kind : uint8_t { kInts, kFloats, kStrings };
  struct Key {  // the one the kind says
    int64_t whole;
    double real;
    std::string_view text;
  };
  static Kind kind_of(DType t);
  static Key key_at(const Tensor& t, int64_t i);
  bool before(const Key& a, const Key& b) const;
  int64_t find(const Key& key, int64_t missing) const;

  Kind kind_ = Kind::kInts;
  Tensor keys_;  // what the views point into
  std::vector<Key> sorted_;
  std::vector<int64_t> positions_;
};

}  // namespace onnxlet
