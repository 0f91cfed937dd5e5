// One sort for code that is not hot: std::sort is a few kilobytes for every comparison it is given.
#pragma once

#include <cstdint>

#include "base/parallel.h"

namespace onnxlet {

// Sorts numbers that stand for something (indices). Not stable: break ties by the number itself where that matters.
void sort_by(int64_t* first, int64_t count, FunctionRef<bool(int64_t, int64_t)> before);

// Smallest first.
void sort_numbers(int64_t* first, int64_t count);

// A heap of them, the one that comes last on top.
void make_heap_by(int64_t* heap, int64_t count, FunctionRef<bool(int64_t, int64_t)> before);
void replace_heap_top(int64_t* heap, int64_t count, int64_t value, FunctionRef<bool(int64_t, int64_t)> before);

}  // namespace onnxlet
