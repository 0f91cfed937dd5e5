#include "ops/einsum_plan.h"

#include <algorithm>

namespace onnxlet {
namespace {

constexpr std::string_view kDots = "...";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Status check_term(std::string_view term, std::string_view equation) {
  const size_t dots = term.find(kDots);
  for (size_t i = 0; i < term.size(); ++i) {
    if (dots != std::string_view::npos && i >= dots && i < dots + 3) continue;
    if (!is_letter(term[i]))
      return invalid_graph("equation '", equation, "' may hold letters, one '...' per term, ',' and '->'");
  }
  return {};
}

int letters(std::string_view term) {
  return static_cast<int>(term.size()) - (term.find(kDots) != std::string_view::npos ? 3 : 0);
}

}  // namespace

Result<EinsumTerms> parse_einsum(std::string_view equation) {
  EinsumTerms t;
  const size_t arrow = equation.find("->");
  std::string_view left = equation.substr(0, arrow);
  if (arrow != std::string_view::npos) {
    t.explicit_output = true;
    t.output = equation.substr(arrow + 2);
    OL_TRY(check_term(t.output, equation));
  }
  for (;;) {
    const size_t comma = left.find(',');
    t.inputs.push_back(left.substr(0, comma));
    OL_TRY(check_term(t.inputs.back(), equation));
    if (comma == std::string_view::npos) break;
    left = left.substr(comma + 1);
  }
  return t;
}

int ellipsis_axes(std::string_view term, int rank) {
  return term.find(kDots) == std::string_view::npos ? 0 : std::max(0, rank - letters(term));
}

Result<Labels> term_labels(std::string_view term, int rank, int ellipsis_rank) {
  Labels labels;
  const int dots = ellipsis_axes(term, rank);
  if (letters(term) + dots != rank) {
    return run_failed("the term '", term, "' names ", letters(term), " axes, the operand has ", rank);
  }
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == '.') {
      for (int d = 0; d < dots; ++d) labels.push_back(kEllipsis + ellipsis_rank - dots + d);
      i += 2;
    } else {
      labels.push_back(term[i]);
    }
  }
  return labels;
}

Result<Labels> output_labels(const EinsumTerms& terms, int ellipsis_rank) {
  Labels labels;
  if (terms.explicit_output) {
    const bool dots = terms.output.find(kDots) != std::string_view::npos;
    return term_labels(terms.output, letters(terms.output) + (dots ? ellipsis_rank : 0), ellipsis_rank);
  }
  for (int d = 0; d < ellipsis_rank; ++d) labels.push_back(kEllipsis + d);
  for (int c = 'A'; c <= 'z'; ++c) {
    int64_t count = 0;
    for (const std::string_view term : terms.inputs)
      count += std::count(term.begin(), term.end(), static_cast<char>(c));
    if (is_letter(static_cast<char>(c)) && count == 1) labels.push_back(c);
  }
  return labels;
}

void each_row(const std::vector<EinsumAxis>& axes, FunctionRef<void(int64_t offset, int64_t n, int64_t step)> f) {
  if (axes.empty()) {
    f(0, 1, 0);
    return;
  }
  const size_t outer = axes.size() - 1;
  std::vector<int64_t> index(outer, 0);
  int64_t rows = axes.back().dim == 0 ? 0 : 1, offset = 0;
  for (size_t d = 0; d < outer; ++d) rows *= axes[d].dim;
  for (int64_t i = 0; i < rows; ++i) {
    f(offset, axes.back().dim, axes.back().stride);
    for (size_t d = outer; d-- > 0;) {
      offset += axes[d].stride;
      if (++index[d] < axes[d].dim) break;
      offset -= axes[d].stride * axes[d].dim;
      index[d] = 0;
    }
  }
}

bool collapse(const std::vector<EinsumAxis>& axes, int64_t* dim, int64_t* stride) {
  *dim = 1;
  *stride = 1;
  bool first = true;
  for (size_t i = axes.size(); i-- > 0;) {
    const EinsumAxis& a = axes[i];
    if (a.dim == 1) continue;
    if (first) {
      *stride = a.stride;
      first = false;
    } else if (a.stride != *stride * *dim) {
      return false;
    }
    *dim *= a.dim;
  }
  return true;
}

}  // namespace onnxlet
