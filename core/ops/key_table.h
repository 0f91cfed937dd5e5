// Finds elements of a tensor in a list of keys: integers, floats (NaN finds NaN) or strings.
#pragma once

#include <cstdint>
#include <string>
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
  int64_t find(std::string_view key, int64_t missing) const;
  int64_t find(int64_t key, int64_t missing) const;

 private:
  enum class Kind : uint8_t { kInts, kFloats, kStrings };
  int64_t find(double key, int64_t missing) const;

  template <class K>
  struct Entry {
    K key;
    int64_t position;
  };
  Kind kind_ = Kind::kInts;
  std::vector<Entry<int64_t>> ints_;
  std::vector<Entry<double>> floats_;
  std::vector<Entry<std::string_view>> strings_;
  Tensor keys_;  // what the views point into
  int64_t nan_ = -1;
};

}  // namespace onnxlet
