// Copies between strided layouts against a plain loop, on sizes around the tiles of the fast paths.
#include "kernels/move.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/visit.h"
#include "kernels/gather.h"
#include "kernels/resize.h"
#include "kernels/scatter.h"
#include "kernels/select.h"
#include "tests/check.h"

using namespace onnxlet;

namespace {

template <class T>
std::vector<T> numbered(int64_t n) {
  std::vector<T> v(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) v[static_cast<size_t>(i)] = static_cast<T>(i * 7 + 1);
  return v;
}

// The source offset of every element of `dims`, in row-major order.
std::vector<int64_t> offsets_of(const Shape& dims, const Shape& strides) {
  std::vector<int64_t> out(static_cast<size_t>(dims.size()), 0);
  for (int64_t i = 0; i < dims.size(); ++i) {
    int64_t rest = i;
    for (int axis = dims.rank() - 1; axis >= 0; --axis) {
      out[static_cast<size_t>(i)] += rest % dims[axis] * strides[axis];
      rest /= dims[axis];
    }
  }
  return out;
}

template <class T>
void check_transposed(DType dtype, int64_t rows, int64_t cols) {
  const auto src = numbered<T>(rows * cols);
  std::vector<T> dst(src.size(), T(99));
  const int perm[] = {1, 0};
  permute(dtype, src.data(), Shape{rows, cols}, perm, dst.data());
  int wrong = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c)
      wrong += dst[static_cast<size_t>(c * rows + r)] != src[static_cast<size_t>(r * cols + c)];
  }
  CHECK_EQ(wrong, 0);
}

}  // namespace

TEST(move_transposes_awkward_sizes) {
  for (const int64_t rows : {0, 1, 3, 4, 31, 32, 33, 65}) {
    for (const int64_t cols : {1, 2, 4, 5, 31, 33, 64}) {
      check_transposed<uint8_t>(DType::kUint8, rows, cols);
      check_transposed<uint16_t>(DType::kFloat16, rows, cols);
      check_transposed<float>(DType::kFloat, rows, cols);
      check_transposed<double>(DType::kDouble, rows, cols);
    }
  }
}

TEST(move_permutes_planes) {
  const Shape shape{2, 7, 33, 5};
  const auto src = numbered<float>(shape.size());
  const std::array<int, 4> perms[] = {{0, 2, 3, 1}, {0, 3, 1, 2}, {3, 2, 1, 0}, {1, 0, 2, 3}, {2, 0, 3, 1}};
  for (const auto& perm : perms) {
    Shape dims, strides;
    for (const int axis : perm) {
      dims.push_back(shape[axis]);
      strides.push_back(shape.strides()[axis]);
    }
    std::vector<float> dst(src.size());
    permute(DType::kFloat, src.data(), shape, perm, dst.data());
    const auto offsets = offsets_of(dims, strides);
    int wrong = 0;
    for (size_t i = 0; i < dst.size(); ++i) wrong += dst[i] != src[static_cast<size_t>(offsets[i])];
    CHECK_EQ(wrong, 0);
  }
}

TEST(move_copies_with_zero_and_negative_strides) {
  const auto src = numbered<int32_t>(60);
  const Shape dims{3, 4, 5}, strides{0, -5, 2};
  const int32_t* first = src.data() + 30;
  std::vector<int32_t> dst(60, -1);
  copy_strided(DType::kInt32, dims, first, strides, dst.data(), dims.strides());
  const auto offsets = offsets_of(dims, strides);
  for (size_t i = 0; i < dst.size(); ++i) CHECK_EQ(dst[i], first[offsets[i]]);
}

TEST(move_copies_rows_of_every_width) {
  for (int64_t width = 0; width <= 600; width += width < 70 ? 1 : 53) {
    const auto src = numbered<uint8_t>(3 * (width + 2));
    std::vector<uint8_t> dst(static_cast<size_t>(6 * width) + 16, 99);
    // Each row twice.
    copy_strided(DType::kUint8, Shape{3, 2, width}, src.data(), Shape{width + 2, 0, 1}, dst.data(),
                 Shape{2 * width, width, 1});
    int wrong = 0;
    for (int64_t i = 0; i < 6 * width; ++i) {
      wrong += dst[static_cast<size_t>(i)] != src[static_cast<size_t>(i / width / 2 * (width + 2) + i % width)];
    }
    for (size_t i = static_cast<size_t>(6 * width); i < dst.size(); ++i) wrong += dst[i] != 99;
    CHECK_EQ(wrong, 0);
  }
}

TEST(move_copies_repeated_blocks) {
  const auto src = numbered<float>(60);
  const Shape dims{3, 5, 4, 2, 5}, strides{20, 0, 5, 0, 1};
  // Packed, and with room between the outermost blocks.
  for (const int64_t gap : {0, 7}) {
    Shape to = dims.strides();
    to[0] += gap;
    std::vector<float> dst(static_cast<size_t>(3 * to[0]), -1);
    copy_strided(DType::kFloat, dims, src.data(), strides, dst.data(), to);
    const auto from = offsets_of(dims, strides), at = offsets_of(dims, to);
    int wrong = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      wrong += dst[static_cast<size_t>(at[i])] != src[static_cast<size_t>(from[i])];
    }
    for (int64_t i = to[0] - gap; i < to[0]; ++i) wrong += dst[static_cast<size_t>(i)] != -1;
    CHECK_EQ(wrong, 0);
  }
}

TEST(move_transposes_pixels_of_three_channels) {
  for (const int64_t pixels : {1, 4, 7, 31, 70}) {
    check_transposed<float>(DType::kFloat, 3, pixels);
    check_transposed<float>(DType::kFloat, pixels, 3);
  }
}

TEST(move_copies_strings) {
  const std::vector<std::string> src{"a long string that is not stored inside", "b", "c", "d", "e", "f"};
  std::vector<std::string> dst(6);
  const int perm[] = {1, 0};
  permute(DType::kString, src.data(), Shape{2, 3}, perm, dst.data());
  CHECK_EQ(dst[0], src[0]);
  CHECK_EQ(dst[1], std::string("d"));
  CHECK_EQ(dst[5], std::string("f"));
}

TEST(move_gathers_axes_by_tables) {
  const auto src = numbered<uint16_t>(20);  // [4, 5]
  const int64_t rows[] = {15, 15, 0, 5}, cols[] = {1, 0, 1, 2, 3, 4, 4, 3};
  const int64_t* tables[] = {rows, cols};
  std::vector<uint16_t> dst(32);
  gather_axes(DType::kUint16, Shape{4, 8}, src.data(), tables, dst.data());
  for (size_t r = 0; r < 4; ++r) {
    for (size_t c = 0; c < 8; ++c) CHECK_EQ(dst[r * 8 + c], src[static_cast<size_t>(rows[r] + cols[c])]);
  }
}

TEST(move_doubles_an_axis) {
  const auto src = numbered<float>(12);
  const int64_t rows[] = {0, 0, 6, 6}, cols[] = {1, 1, 2, 2, 3, 3};
  const int64_t* tables[] = {rows, cols};
  std::vector<float> dst(24);
  gather_axes(DType::kFloat, Shape{4, 6}, src.data(), tables, dst.data());
  for (size_t i = 0; i < 24; ++i) CHECK_EQ(dst[i], src[static_cast<size_t>(rows[i / 6] + cols[i % 6])]);
}

TEST(move_stores_scalars_saturating) {
  int8_t small = 0;
  CHECK(store_scalar(DType::kInt8, 1e9, &small));
  CHECK_EQ(static_cast<int>(small), 127);
  int64_t wide = 1;
  CHECK(store_scalar(DType::kInt64, -1e30, &wide));
  CHECK_EQ(wide, INT64_MIN);
  std::string text;
  CHECK(!store_scalar(DType::kString, 1, &text));
}

TEST(move_gather_rows_of_every_width) {
  const int64_t indices[] = {2, 0, 2};
  for (const int64_t inner : {1, 3, 33}) {
    const auto src = numbered<double>(2 * 4 * inner);
    std::vector<double> dst(static_cast<size_t>(2 * 3 * inner));
    gather_rows(DType::kDouble, src.data(), Rows{2, 4, inner}, indices, 3, dst.data());
    for (int64_t o = 0; o < 2; ++o) {
      for (int64_t i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < inner; ++j) {
          CHECK_EQ(dst[static_cast<size_t>((o * 3 + i) * inner + j)],
                   src[static_cast<size_t>((o * 4 + indices[i]) * inner + j)]);
        }
      }
    }
  }
}

TEST(move_dequantizes_blocks_of_every_width) {
  const auto bytes = numbered<uint8_t>(64);
  const float scales[] = {0.5f, 2.0f, 3.0f, 4.0f};
  for (const int bits : {2, 4, 8}) {
    for (const bool is_signed : {false, true}) {
      const BlockQuantized q{bytes.data(), bits, is_signed, Rows{2, 20, 1}, 16, scales, nullptr, 1};
      float out[40];
      dequantize_run(q, 0, 20, out);
      dequantize_run(q, 20, 20, out + 20);
      const int per_byte = 8 / bits, mask = (1 << bits) - 1;
      for (int i = 0; i < 40; ++i) {
        int v = bytes[static_cast<size_t>(i / per_byte)] >> (i % per_byte * bits) & mask;
        if (is_signed && v > mask / 2) v -= mask + 1;
        CHECK_EQ(out[i], static_cast<float>(v - 1) * scales[i / 20 * 2 + i % 20 / 16]);
      }
    }
  }
}

TEST(move_resamples_rows_and_columns_alike) {
  const auto src = numbered<float>(5 * 7);
  const int32_t indices[] = {0, 1, 2, 1, 4, 3};
  const float weights[] = {0.25f, 0.75f, 1.0f, 0.0f, 0.5f, 0.5f};
  const Taps taps{2, indices, weights, nullptr};
  std::vector<float> across(15), down(21), flat(5 * 7);
  resample_axis(DType::kFloat, src.data(), Rows{5, 7, 1}, 3, taps, across.data());
  resample_axis(DType::kFloat, src.data(), Rows{1, 5, 7}, 3, taps, down.data());
  for (size_t j = 0; j < 3; ++j) {
    for (size_t i = 0; i < 5; ++i) {
      const float* row = src.data() + i * 7;
      CHECK_NEAR(across[i * 3 + j], weights[2 * j] * row[indices[2 * j]] + weights[2 * j + 1] * row[indices[2 * j + 1]],
                 1e-4);
    }
    for (size_t i = 0; i < 7; ++i) {
      const float a = src[static_cast<size_t>(indices[2 * j]) * 7 + i],
                  b = src[static_cast<size_t>(indices[2 * j + 1]) * 7 + i];
      CHECK_NEAR(down[j * 7 + i], weights[2 * j] * a + weights[2 * j + 1] * b, 1e-4);
    }
  }
}

TEST(move_scatter_wraps_integers) {
  int8_t data[] = {127, -128, 5};
  const int8_t updates[] = {1, -1, 100};
  const int64_t offsets[] = {0, 1, 2};
  CHECK(scatter_runs(DType::kInt8, Scatter::kAdd, offsets, 3, 1, updates, data).ok());
  CHECK_EQ(static_cast<int>(data[0]), -128);
  CHECK_EQ(static_cast<int>(data[1]), 127);
  CHECK_EQ(static_cast<int>(data[2]), 105);
  int16_t wide[] = {-32768};
  const int16_t factor[] = {-32768};
  CHECK(scatter_runs(DType::kInt16, Scatter::kMul, offsets, 1, 1, factor, wide).ok());
  CHECK_EQ(static_cast<int>(wide[0]), 0);
}

template <class T>
void check_where(DType type) {
  for (const int64_t n : {0, 1, 3, 8, 17, 33, 67}) {
    for (const int64_t xs : {0, 1, 2}) {
      for (const int64_t ys : {0, 1}) {
        const std::vector<T> x = numbered<T>(2 * n + 1), y = numbered<T>(n + 3);
        std::vector<uint8_t> c(static_cast<size_t>(n) + 1);
        for (size_t i = 0; i < c.size(); ++i) c[i] = i * 5 % 3 == 0;
        std::vector<T> out(static_cast<size_t>(n) + 1, T(99));
        where(type, Shape{n}, reinterpret_cast<const bool*>(c.data()), Shape{1}, x.data(), Shape{xs}, y.data() + 2,
              Shape{ys}, out.data());
        for (int64_t i = 0; i < n; ++i) {
          CHECK(out[static_cast<size_t>(i)] ==
                (c[static_cast<size_t>(i)] != 0 ? x[static_cast<size_t>(i * xs)] : y[static_cast<size_t>(2 + i * ys)]));
        }
        CHECK(out[static_cast<size_t>(n)] == T(99));
      }
    }
  }
}
TEST(where_of_every_size) {
  check_where<uint8_t>(DType::kUint8);
  check_where<uint16_t>(DType::kUint16);
  check_where<float>(DType::kFloat);
  check_where<int64_t>(DType::kInt64);
}
