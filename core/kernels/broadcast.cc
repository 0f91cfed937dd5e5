#include "kernels/broadcast.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/visit.h"

namespace onnxlet {
namespace {

constexpr int64_t kShortRow = 64;  // rows below this are joined into one run
constexpr size_t kWidest = 16;

struct Operand {
  const char* data;
  size_t size;     // of an element
  Shape strides;
  bool direct;     // laid out as the output is
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
  int64_t column = 0;

  Cursor(const Plan& p, int64_t at) : plan(&p) {
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

  void next_row() {
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

// n elements from the cursor on into `to`, over as many rows as it takes.
template <class T>
void gather(Cursor at, int k, T* to, int64_t n) {
  const auto slot = static_cast<size_t>(k);
  const T* data = reinterpret_cast<const T*>(at.plan->operands[slot].data);
  const int64_t step = at.plan->dims.rank() > 0 ? at.stride(k, at.plan->dims.rank() - 1) : 0;
  while (n > 0) {
    const int64_t count = std::min(n, at.plan->inner - at.column);
    const T* from = data + at.row[slot] + at.column * step;
    if (step == 0) {
      std::fill_n(to, count, *from);
    } else {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i];
    }
    to += count;
    n -= count;
    if (n > 0) at.next_row();
  }
}

void gather_bytes(const Cursor& at, int k, void* to, int64_t n) {
  switch (at.plan->operands[static_cast<size_t>(k)].size) {
    case 1: return gather(at, k, static_cast<uint8_t*>(to), n);
    case 2: return gather(at, k, static_cast<uint16_t*>(to), n);
    case 4: return gather(at, k, static_cast<uint32_t*>(to), n);
    case 8: return gather(at, k, static_cast<uint64_t*>(to), n);
    default: return gather(at, k, static_cast<Bytes16*>(to), n);
  }
}

// What a buffer holds: `count` copies of one element, so that the next run of the same row need not fill it again.
struct Filled {
  const void* source = nullptr;
  int64_t count = 0;
};

void walk(const Plan& plan, bool short_runs, int64_t begin, int64_t end, BroadcastBody body) {
  alignas(16) char buffers[kMaxBroadcastOperands][kBroadcastRun * kWidest];
  std::array<Filled, kMaxBroadcastOperands> filled;
  const int last = plan.dims.rank() - 1;
  const bool join_rows = plan.inner < kShortRow;
  bool limited = short_runs;
  for (int k = 0; k < plan.count; ++k) {
    const Operand& o = plan.operands[static_cast<size_t>(k)];
    if (!o.direct && (join_rows || last < 0 || o.strides[last] == 0)) limited = true;
  }
  Cursor cursor(plan, begin);
  for (int64_t at = begin; at < end;) {
    int64_t n = limited ? std::min(kBroadcastRun, end - at) : end - at;
    if (!join_rows) n = std::min(n, plan.inner - cursor.column);
    const void* in[kMaxBroadcastOperands];
    for (int k = 0; k < plan.count; ++k) {
      const auto slot = static_cast<size_t>(k);
      const Operand& o = plan.operands[slot];
      const int64_t step = last >= 0 ? o.strides[last] : 0;
      const char* row = o.data + static_cast<size_t>(cursor.row[slot]) * o.size;
      if (o.direct) {
        in[k] = o.data + static_cast<size_t>(at) * o.size;
      } else if (!join_rows && step != 0) {
        in[k] = row + static_cast<size_t>(cursor.column) * o.size;
      } else {
        in[k] = buffers[k];
        const bool repeated = !join_rows && step == 0;
        if (repeated && filled[slot].source == row && filled[slot].count >= n) continue;
        gather_bytes(cursor, k, buffers[k], n);
        filled[slot] = {repeated ? row : nullptr, n};
      }
    }
    body(in, at, n);
    at += n;
    for (int64_t left = n; left > 0 && at < end;) {
      const int64_t step = std::min(left, plan.inner - cursor.column);
      cursor.column += step;
      left -= step;
      if (cursor.column == plan.inner) cursor.next_row();
    }
  }
}

}  // namespace

void broadcast_runs(std::span<const ConstView> operands, const Shape& out, bool short_runs, int64_t cost,
                    BroadcastBody body) {
  const int64_t n = out.size();
  if (n == 0) return;
  const Plan plan = make_plan(operands, out);
  parallel_for(n, grain_for(cost), [&](int64_t begin, int64_t end) { walk(plan, short_runs, begin, end, body); });
}

}  // namespace onnxlet
