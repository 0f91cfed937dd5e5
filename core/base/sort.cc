#include "base/sort.h"

#include <algorithm>

namespace onnxlet {

void sort_by(int64_t* first, int64_t count, FunctionRef<bool(int64_t, int64_t)> before) {
  std::sort(first, first + count, before);
}

}  // namespace onnxlet
