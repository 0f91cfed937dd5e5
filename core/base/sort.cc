#include "base/sort.h"

#include <algorithm>

#include "base/trim.h"

namespace onnxlet {

void sort_by(int64_t* first, int64_t count, FunctionRef<bool(int64_t, int64_t)> before) {
  // Of a trimmed build this may be the only sort.
  if constexpr (trim::kTrimmed)
    std::partial_sort(first, first + count, first + count, before);
  else
    std::sort(first, first + count, before);
}

void sort_numbers(int64_t* first, int64_t count) {
  sort_by(first, count, [](int64_t a, int64_t b) { return a < b; });
}

void make_heap_by(int64_t* heap, int64_t count, FunctionRef<bool(int64_t, int64_t)> before) {
  std::make_heap(heap, heap + count, before);
}

void replace_heap_top(int64_t* heap, int64_t count, int64_t value, FunctionRef<bool(int64_t, int64_t)> before) {
  std::pop_heap(heap, heap + count, before);
  heap[count - 1] = value;
  std::push_heap(heap, heap + count, before);
}

}  // namespace onnxlet
