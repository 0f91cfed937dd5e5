#include "kernels/broadcast.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/visit.h"
#include "kernels/copy_bytes.h"

namespace onnxlet {
namespace {

constexpr int64_t kShortRow = kBroadcastRun / 2;  // rows up to this are joined into one run
constexpr int64_t kShortStepRow = 63;             // the same where repeated operands need no copies
constexpr int64_t kBufferBytes = kBroadcastRun * 16;

struct Operand {
  const char* data;
  size_t size;  // of an element
  Shape strides;
  bool direct;  // laid out as the output is
};

struct Plan {
  Shape dims;
  int64_t inner = 1;
  int count = 0;
  std::array<Operand, kMaxBroadcastOperands> operands;
};

Plan make_plan(std::span<const ConstView> operands, const Shape& out) {
  Plan plan;
  plan.dims = out;
  plan.count = static_cast<int>(operands.size());
  std::array<Shape, kMaxBroadcastOperands + 1> strides;
  for (size_t k = 0; k < operands.size(); ++k) strides[k] = broadcast_strides(operands[k].shape, out);
  strides[operands.size()] = broadcast_strides(out, out);
  collapse_dims(&plan.dims, std::span(strides.data(), operands.size() + 1));
  if (plan.dims.rank() > 0) plan.inner = plan.dims.back();
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool direct = strides[k] == strides[operands.size()];
    plan.operands[k] = {operands[k].as<char>(), element_size(operands[k].dtype), strides[k], direct};
  }
  return plan;
}

// A position in the output: which row (all axes but the last) and where in it.
struct Cursor {
  const Plan* plan;
  std::array<int64_t, Shape::kMaxRank> index{};
  std::array<int64_t, kMaxBroadcastOperands> row{};  // element offset of the row's start, per operand
  int64_t column = 0, linear = 0;

  Cursor(const Plan& p, int64_t at) : plan(&p), linear(at) {
    column = at % p.inner;
    int64_t r = at / p.inner;
    for (int axis = p.dims.rank() - 2; axis >= 0; --axis) {
      const int64_t i = r % p.dims[axis];
      r /= p.dims[axis];
      index[static_cast<size_t>(axis)] = i;
      for (int k = 0; k < p.count; ++k) row[static_cast<size_t>(k)] += i * stride(k, axis);
    }
  }
  int64_t stride(int k, int axis) const { return plan->operands[static_cast<size_t>(k)].strides[axis]; }

  void advance(int64_t n) {
    column += n;
    linear += n;
    if (column < plan->inner) return;
    if (column > plan->inner) {
      *this = Cursor(*plan, linear);
      return;
    }
    column = 0;
    for (int axis = plan->dims.rank() - 2; axis >= 0; --axis) {
      int64_t& i = index[static_cast<size_t>(axis)];
      const bool wraps = ++i == plan->dims[axis];
      const int64_t steps = wraps ? 1 - i : 1;
      for (int k = 0; k < plan->count; ++k) row[static_cast<size_t>(k)] += steps * stride(k, axis);
      if (!wraps) return;
      i = 0;
    }
  }
};

__attribute__((noinline)) void copy_contiguous(void* to, const void* from, size_t bytes) {
  copy_bytes(to, from, bytes);
}

// Short pieces: not worth the set-up of a vector loop.
template <class T>
void copy_short(const T* from, int64_t step, T* to, int64_t n) {
  if (step == 1) return copy_contiguous(to, from, static_cast<size_t>(n) * sizeof(T));
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(disable)
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = from[i * step];
}

// n elements of operand k, from the cursor on, into `to`, over as many rows as it takes.
template <class T>
void gather(const Cursor& start, int k, T* to, int64_t n) {
  const auto slot = static_cast<size_t>(k);
  const Plan& plan = *start.plan;
  const int last = plan.dims.rank() - 1;
  const T* data = reinterpret_cast<const T*>(plan.operands[slot].data);
  const int64_t step = last >= 0 ? start.stride(k, last) : 0;
  const int64_t row_step = last >= 1 ? start.stride(k, last - 1) : 0;
  Cursor at = start;
  while (n > 0) {
    // Rows up to the next carry into an outer axis are a constant step apart.
    int64_t rows = last >= 1 ? plan.dims[last - 1] - at.index[static_cast<size_t>(last - 1)] : 1;
    const T* row = data + at.row[slot];
    int64_t done = 0;
    for (int64_t column = at.column; rows > 0 && done < n; --rows, column = 0, row += row_step) {
      const int64_t count = std::min(n - done, plan.inner - column);
      if (step == 0 && count >= 16) {
        std::fill_n(to + done, count, *row);
      } else {
        copy_short(row + column * step, step, to + done, count);
      }
      done += count;
    }
    to += done;
    n -= done;
    if (n > 0) at = Cursor(plan, at.linear + done);
  }
}

template <class T>
void gather_kept(const Cursor& start, int k, T* to, int64_t n) {
  if constexpr (trim::keeps_size(sizeof(T)))
    gather(start, k, to, n);
  else
    __builtin_trap();
}

void gather_bytes(const Cursor& at, int k, void* to, int64_t n) {
  switch (at.plan->operands[static_cast<size_t>(k)].size) {
    case 1:
      return gather_kept(at, k, static_cast<uint8_t*>(to), n);
    case 2:
      return gather_kept(at, k, static_cast<uint16_t*>(to), n);
    case 4:
      return gather_kept(at, k, static_cast<uint32_t*>(to), n);
    case 8:
      return gather_kept(at, k, static_cast<uint64_t*>(to), n);
    default:
      return gather_kept(at, k, static_cast<Bytes16*>(to), n);
  }
}

// The same row again and again: only the last axis moves through this operand.
bool is_periodic(const Plan& plan, const Operand& o) {
  for (int axis = 0; axis + 1 < plan.dims.rank(); ++axis) {
    if (o.strides[axis] != 0) return false;
  }
  return true;
}

// What a buffer holds: `count` copies of one element, or of a periodic operand's row, so that it need not be filled
// again for the next run.
struct Filled {
  const void* source = nullptr;
  int64_t count = 0;
};

struct Walk {
  const Plan& plan;
  const bool steps_wanted;  // repeated operands stay single elements
  const bool join_rows;
  bool limited;
  int64_t longest;
  std::array<Filled, kMaxBroadcastOperands> filled;
  alignas(16) char buffers[kMaxBroadcastOperands][kBufferBytes];

  Walk(const Plan& p, bool short_runs, bool steps)
      : plan(p), steps_wanted(steps), join_rows(p.inner <= (steps ? kShortStepRow : kShortRow)), limited(short_runs) {
    const int last = p.dims.rank() - 1;
    size_t widest = 1;
    for (int k = 0; k < p.count; ++k) widest = std::max(widest, p.operands[static_cast<size_t>(k)].size);
    longest = short_runs ? kBroadcastRun : kBufferBytes / static_cast<int64_t>(widest);
    // Joined rows come in whole numbers of rows, so that a run of a periodic operand always starts its pattern.
    if (join_rows) longest = longest / p.inner * p.inner;
    for (int k = 0; k < p.count; ++k) {
      const Operand& o = p.operands[static_cast<size_t>(k)];
      if (!o.direct && (join_rows || (o.strides[last] == 0 && !steps))) limited = true;
    }
  }

  int64_t run_length(const Cursor& at, int64_t end) const {
    if (!limited) return std::min(end - at.linear, join_rows ? end : plan.inner - at.column);
    if (join_rows) return std::min(end - at.linear, longest - at.linear % longest);
    return std::min({end - at.linear, longest, plan.inner - at.column});
  }

  // Operand k from the cursor on. A step of 0: it is one element, repeated.
  const void* locate(const Cursor& at, int k, int64_t n, int64_t* element_step) {
    *element_step = 1;
    const auto slot = static_cast<size_t>(k);
    const Operand& o = plan.operands[slot];
    if (o.direct) return o.data + static_cast<size_t>(at.linear) * o.size;
    const int64_t step = o.strides[plan.dims.rank() - 1];
    const char* row = o.data + static_cast<size_t>(at.row[slot]) * o.size;
    if (!join_rows && step != 0) return row + static_cast<size_t>(at.column) * o.size;
    if (!join_rows && steps_wanted) {
      *element_step = 0;
      return row;
    }
    char* buffer = buffers[k];
    if (join_rows && is_periodic(plan, o)) {
      if (filled[slot].count == 0) gather_bytes(Cursor(plan, 0), k, buffer, filled[slot].count = longest);
      return buffer + static_cast<size_t>(at.linear % longest) * o.size;
    }
    const bool repeated = !join_rows;
    if (repeated && filled[slot].source == row && filled[slot].count >= n) return buffer;
    gather_bytes(at, k, buffer, n);
    filled[slot] = {repeated ? row : nullptr, n};
    return buffer;
  }

  void run(int64_t begin, int64_t end, BroadcastStepBody body) {
    for (Cursor at(plan, begin); at.linear < end;) {
      const int64_t n = run_length(at, end);
      const void* in[kMaxBroadcastOperands];
      int64_t steps[kMaxBroadcastOperands];
      for (int k = 0; k < plan.count; ++k) in[k] = locate(at, k, n, &steps[k]);
      body(in, steps, at.linear, n);
      at.advance(n);
    }
  }
};

void walk(std::span<const ConstView> operands, const Shape& out, bool short_runs, bool steps, int64_t cost,
          BroadcastStepBody body) {
  const int64_t n = out.size();
  if (n == 0) return;
  const Plan plan = make_plan(operands, out);
  parallel_for(n, grain_for(cost),
               [&](int64_t begin, int64_t end) { Walk(plan, short_runs, steps).run(begin, end, body); });
}

}  // namespace

void broadcast_runs(std::span<const ConstView> operands, const Shape& out, bool short_runs, int64_t cost,
                    BroadcastBody body) {
  walk(operands, out, short_runs, false, cost,
       [&](const void* const* in, const int64_t*, int64_t at, int64_t n) { body(in, at, n); });
}

void broadcast_steps(std::span<const ConstView> operands, const Shape& out, int64_t cost, BroadcastStepBody body) {
  walk(operands, out, false, true, cost, body);
}

}  // namespace onnxlet
