// Einsum equations: parsing, and operands as labelled strided axes.
#pragma once

#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "ops/op.h"

namespace onnxlet {

// Letters are their own labels; the axes an ellipsis stands for get numbers from kEllipsis on, the last axis the
// highest.
using Labels = std::vector<int>;
inline constexpr int kEllipsis = 256;

struct EinsumTerms {
  std::vector<std::string_view> inputs;  // without spaces around; "..." still in place
  std::string_view output;
  bool explicit_output = false;
};

// `equation` must be free of spaces and outlive the result.
Result<EinsumTerms> parse_einsum(std::string_view equation);
// Labels of one term for an operand of this rank. `ellipsis_rank` is the largest number of axes any ellipsis stands
// for.
Result<Labels> term_labels(std::string_view term, int rank, int ellipsis_rank);
// How many axes the ellipsis of `term` stands for at this rank; 0 without one.
int ellipsis_axes(std::string_view term, int rank);
// Labels of the result: as written, or the classic rule (ellipsis, then letters that occur once, sorted).
Result<Labels> output_labels(const EinsumTerms& terms, int ellipsis_rank);

struct EinsumAxis {
  int label;
  int64_t dim, stride;
};
struct EinsumOperand {
  const void* data = nullptr;
  std::vector<EinsumAxis> axes;

  const EinsumAxis* find(int label) const {
    for (const EinsumAxis& a : axes) {
      if (a.label == label) return &a;
    }
    return nullptr;
  }
  int64_t size() const {
    int64_t n = 1;
    for (const EinsumAxis& a : axes) n *= a.dim;
    return n;
  }
};

// Walks the index space of `axes`, first axis slowest: f(offset, n, step) for every run along the last axis.
void each_row(const std::vector<EinsumAxis>& axes, FunctionRef<void(int64_t offset, int64_t n, int64_t step)> f);

// A group of axes walked as one: true when each begins where the next one ends. Gives the length and the stride.
bool collapse(const std::vector<EinsumAxis>& axes, int64_t* dim, int64_t* stride);

}  // namespace onnxlet
