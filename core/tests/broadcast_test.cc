// The broadcast walk against index arithmetic, and binary loops in place.
#include "kernels/broadcast.h"

#include <numeric>
#include <vector>

#include "kernels/binary.h"
#include "tests/check.h"

namespace onnxlet {
namespace {

// The element of an operand that belongs to output element i, the slow way.
int64_t source_index(const Shape& operand, const Shape& out, int64_t i) {
  const Shape steps = broadcast_strides(operand, out);
  int64_t at = 0;
  for (int axis = out.rank() - 1; axis >= 0; --axis) {
    at += i % out[axis] * steps[axis];
    i /= out[axis];
  }
  return at;
}

void check_walk(const Shape& a, const Shape& b) {
  Shape out;
  CHECK(broadcast_shapes(a, b, &out));
  std::vector<int32_t> x(static_cast<size_t>(a.size())), y(static_cast<size_t>(b.size()));
  std::iota(x.begin(), x.end(), 0);
  std::iota(y.begin(), y.end(), 100000);
  for (const bool short_runs : {false, true}) {
    std::vector<int64_t> sums(static_cast<size_t>(out.size()), -1);
    const ConstView operands[] = {{x.data(), DType::kInt32, a}, {y.data(), DType::kInt32, b}};
    broadcast_runs(operands, out, short_runs, 1, [&](const void* const* in, int64_t at, int64_t n) {
      if (short_runs) CHECK(n <= kBroadcastRun);
      for (int64_t i = 0; i < n; ++i) {
        sums[static_cast<size_t>(at + i)] =
            int64_t{static_cast<const int32_t*>(in[0])[i]} * 1000000 + static_cast<const int32_t*>(in[1])[i];
      }
    });
    for (int64_t i = 0; i < out.size(); ++i) {
      CHECK_EQ(sums[static_cast<size_t>(i)], source_index(a, out, i) * 1000000 + 100000 + source_index(b, out, i));
    }
  }
}

TEST(broadcast_walks_every_layout) {
  const Shape shapes[] = {{},        {1},       {5},       {3, 5},    {3, 1},       {1, 5},       {7, 3, 5},
                          {7, 1, 5}, {7, 3, 1}, {1, 3, 1}, {7, 1, 1}, {2, 7, 3, 5}, {2, 1, 3, 1}, {1, 7, 1, 5}};
  Shape out;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      if (broadcast_shapes(a, b, &out)) check_walk(a, b);
    }
  }
  check_walk({3, 700}, {3, 1});
  check_walk({3, 700}, {700});
  check_walk({2, 3, 331}, {2, 1, 331});
  check_walk({1000, 3}, {3});
  check_walk({33, 1, 67}, {1, 31, 1});
  check_walk({40000}, {1});
  check_walk({0, 3}, {3});
}

TEST(binary_in_place) {
  for (const int64_t n : {0, 1, 31, 33, 257, 1000}) {
    std::vector<float> a(static_cast<size_t>(n)), b(static_cast<size_t>(n));
    std::iota(a.begin(), a.end(), 1.0f);
    std::iota(b.begin(), b.end(), 5.0f);
    const Shape shape{n};
    apply_binary(kSubKernel, {b.data(), DType::kFloat, shape}, {a.data(), DType::kFloat, shape},
                 {b.data(), DType::kFloat, shape});
    for (const float v : b) CHECK_EQ(v, 4.0f);
  }
}

TEST(integer_division_never_traps) {
  const int32_t a[] = {INT32_MIN, 7, -7, 7}, b[] = {-1, 0, 2, -2};
  int32_t y[4];
  apply_binary_run(kDivKernel, DType::kInt32, a, b, y, 4);
  CHECK_EQ(y[0], INT32_MIN);
  CHECK_EQ(y[1], 0);
  CHECK_EQ(y[2], -3);
  CHECK_EQ(y[3], -3);
  apply_binary_run(kFloorModKernel, DType::kInt32, a, b, y, 4);
  CHECK_EQ(y[0], 0);
  CHECK_EQ(y[1], 0);
  CHECK_EQ(y[2], 1);
  CHECK_EQ(y[3], -1);
}

}  // namespace
}  // namespace onnxlet
