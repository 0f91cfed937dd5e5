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
    const std::vector<int64_t> plain = sums;
    broadcast_steps(operands, out, 1, [&](const void* const* in, const int64_t* steps, int64_t at, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        sums[static_cast<size_t>(at + i)] = int64_t{static_cast<const int32_t*>(in[0])[i * steps[0]]} * 1000000 +
                                            static_cast<const int32_t*>(in[1])[i * steps[1]];
      }
    });
    CHECK(sums == plain);
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

// Every pair of layouts, against element by element.
template <class T>
void check_sub(DType type) {
  const Shape shapes[] = {{}, {1}, {67}, {3, 67}, {3, 1}, {5, 3, 67}, {5, 1, 67}, {5, 1, 1}, {5, 3, 1}, {300, 1, 2}};
  for (const Shape& sa : shapes) {
    for (const Shape& sb : shapes) {
      Shape out;
      if (!broadcast_shapes(sa, sb, &out)) continue;
      std::vector<T> a(static_cast<size_t>(sa.size())), b(static_cast<size_t>(sb.size()));
      std::iota(a.begin(), a.end(), T{1});
      std::iota(b.begin(), b.end(), T{7});
      std::vector<T> y(static_cast<size_t>(out.size()));
      std::vector<uint8_t> less(y.size());
      apply_binary(kSubKernel, {a.data(), type, sa}, {b.data(), type, sb}, {y.data(), type, out});
      apply_binary(kGreaterKernel, {a.data(), type, sa}, {b.data(), type, sb}, {less.data(), DType::kBool, out});
      for (int64_t i = 0; i < out.size(); ++i) {
        const T u = a[static_cast<size_t>(source_index(sa, out, i))],
                v = b[static_cast<size_t>(source_index(sb, out, i))];
        CHECK_EQ(y[static_cast<size_t>(i)], u - v);
        CHECK_EQ(less[static_cast<size_t>(i)] != 0, u > v);
      }
    }
  }
}
TEST(binary_broadcasts) {
  check_sub<float>(DType::kFloat);
  check_sub<double>(DType::kDouble);
  check_sub<int64_t>(DType::kInt64);
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
