// Codecs of the small float formats, and numbers as text.
#include "kernels/convert.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "base/float_bits.h"
#include "base/number_text.h"
#include "base/visit.h"
#include "tests/check.h"

namespace onnxlet {
namespace {

TEST(every_small_float_survives_the_way_through_float) {
  using All = Types<Half, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float4E2M1, Float6E2M3,
                    Float6E3M2, Float8E8M0>;
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto type = static_cast<DType>(d);
    try_visit<All>(type, [&]<class T>() {
      // onnx's conversion rounds 2^-127, the code 0 of float8e8m0, up.
      for (int bits = type == DType::kFloat8E8M0 ? 1 : 0; bits < 1 << dtype_bits(type); ++bits) {
        T value;
        value.bits = static_cast<decltype(value.bits)>(bits);
        float f;
        to_float(type, &value, &f, 1);
        if (std::isnan(f) || std::isinf(f)) continue;
        T back;
        from_float(&f, type, &back, 1);
        CHECK_EQ(static_cast<int>(back.bits), bits);
      }
    });
  }
}

TEST(half_rounds_to_even_and_overflows) {
  CHECK_EQ(float_to_half(2049), float_to_half(2048));
  CHECK_EQ(float_to_half(2051), float_to_half(2052));
  CHECK_EQ(float_to_half(65519.99f), 0x7bff);
  CHECK_EQ(float_to_half(65520), 0x7c00);
  CHECK_EQ(float_to_half(0x1p-25f), 0);
  CHECK_EQ(float_to_half(0x1.8p-25f), 1);
  CHECK(std::isnan(half_to_float(float_to_half(NAN))));
}

TEST(one_rounding_from_double) {
  // Just above the middle of two halves: through the nearest float it would round down.
  const double v = 1 + 0x1p-11 + 0x1p-40;
  CHECK_EQ(float_to_half(double_to_float_odd(v)), 0x3c01);
  CHECK_EQ(float_to_half(static_cast<float>(v)), 0x3c00);
}

TEST(cast_saturates_and_keeps_low_bits) {
  const float x[] = {300, -1, 3e9f, NAN};
  int32_t whole[4];
  cast_elements(DType::kFloat, x, DType::kInt32, whole, 4, {});
  CHECK_EQ(whole[2], INT32_MAX);
  CHECK_EQ(whole[3], 0);
  uint8_t bytes[4];
  cast_elements(DType::kFloat, x, DType::kUint8, bytes, 4, {});
  CHECK_EQ(bytes[0], 44);
  CHECK_EQ(bytes[1], 255);
}

TEST(cast_long_arrays_in_chunks) {
  for (const int64_t n : {0, 1, 31, 255, 256, 257, 1000}) {
    std::vector<int16_t> x(static_cast<size_t>(n) + 1, 7);
    std::vector<double> y(static_cast<size_t>(n) + 1, -1);
    for (int64_t i = 0; i < n; ++i) x[static_cast<size_t>(i)] = static_cast<int16_t>(i - 100);
    cast_elements(DType::kInt16, x.data(), DType::kDouble, y.data(), n, {});
    for (int64_t i = 0; i < n; ++i) CHECK_EQ(y[static_cast<size_t>(i)], static_cast<double>(i - 100));
    CHECK_EQ(y[static_cast<size_t>(n)], -1.0);
  }
}

TEST(shortest_text_of_numbers) {
  CHECK_EQ(shortest_text(0.1, kDoubleFormat), "0.1");
  CHECK_EQ(shortest_text(0.1f, kFloatFormat), "0.1");
  CHECK_EQ(shortest_text(1, kDoubleFormat), "1.0");
  CHECK_EQ(shortest_text(1e16, kDoubleFormat), "1e+16");
  CHECK_EQ(shortest_text(5e-324, kDoubleFormat), "5e-324");
  CHECK_EQ(shortest_text(0x1p-25, kDoubleFormat), "2.9802322387695312e-08");
  CHECK_EQ(shortest_text(-1.7976931348623157e308, kDoubleFormat), "-1.7976931348623157e+308");
  CHECK_EQ(shortest_text(-INFINITY, kDoubleFormat), "-inf");
}

TEST(text_reads_back_as_the_same_number) {
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double v;
    const uint64_t bits = state ^ (state >> 29);
    std::memcpy(&v, &bits, sizeof(v));
    if (!std::isfinite(v)) continue;
    double back = 0;
    CHECK(parse_double(shortest_text(v, kDoubleFormat), false, &back));
    CHECK_EQ(back, v);
  }
}

TEST(text_that_is_no_number) {
  double v;
  int64_t i;
  for (const char* s : {"", "-", "e5", "1e", "1.2.3", "0x10", "1 2", "infinit"}) CHECK(!parse_double(s, false, &v));
  for (const char* s : {"", "+", "1.0", "99999999999999999999"}) CHECK(!parse_integer(s, &i));
  CHECK(parse_integer("-9223372036854775808", &i));
  CHECK_EQ(i, INT64_MIN);
}

}  // namespace
}  // namespace onnxlet
