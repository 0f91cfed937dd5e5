// Rows of a key or value cache in the forms models keep them in: floats of any width, or numbers of 8 or 4 bits.
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace onnxlet {

struct CacheFormat {
  DType type = DType::kFloat;    // kInt8, kUint8 with two numbers a byte, or a float type
  const float* scale = nullptr;  // null: values are stored as they are
  bool per_channel = false;      // scale is [heads][size], else one value
  int64_t size = 0;              // values in a row
  bool halved() const { return type == DType::kUint8; }
  int64_t stored_size() const { return halved() ? (size + 1) / 2 : size; }  // elements in a row
  int64_t row_bytes() const { return stored_size() * static_cast<int64_t>(element_size(type)); }
  const float* scale_of(int64_t head) const { return per_channel ? scale + head * size : scale; }
};

void cache_encode(const CacheFormat& f, int64_t head, const float* x, void* row);
void cache_decode(const CacheFormat& f, int64_t head, const void* rows, int64_t count, float* y);

}  // namespace onnxlet
