// The row kernels (reduce, softmax, normalize, panel_gemm) against one-lane or naive versions on awkward sizes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/attention.h"
#include "kernels/cumulative.h"
#include "kernels/fft.h"
#include "kernels/nms.h"
#include "kernels/normalize.h"
#include "kernels/panel_gemm.h"
#include "kernels/reduce.h"
#include "kernels/softmax.h"
#include "kernels/topk.h"
#include "tests/check.h"

namespace onnxlet {
namespace {

constexpr int64_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 33, 127, 129};
constexpr float kGuard = -12345.0f;

// Numbers between -2 and 2, the same ones each time.
std::vector<float> numbers(int64_t n, uint32_t seed = 1) {
  std::vector<float> out(static_cast<size_t>(n));
  for (float& v : out) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / 4194304.0f - 2.0f;
  }
  return out;
}

// An output of n floats with a guard behind it.
struct Output {
  std::vector<float> data;
  explicit Output(int64_t n) : data(static_cast<size_t>(n) + 8, kGuard) {}
  float* get() { return data.data(); }
  void check_guard(int64_t n) {
    for (size_t i = static_cast<size_t>(n); i < data.size(); ++i) CHECK_EQ(data[i], kGuard);
  }
};

TEST(reduce_matches_one_lane) {
  constexpr Reduction kKinds[] = {Reduction::kSum, Reduction::kSumSquare, Reduction::kSumAbs,   Reduction::kProd,
                                  Reduction::kMax, Reduction::kMin,       Reduction::kLogSumExp};
  for (Reduction kind : kKinds) {
    for (int64_t n : kSizes) {
      for (int64_t inner : kSizes) {
        for (int64_t chunk : {int64_t{1000}, int64_t{10}}) {
          const int64_t outer = 3, count = outer * ((n + chunk - 1) / chunk) * inner;
          const std::vector<float> x = numbers(outer * n * inner);
          Output y(count), z(count);
          reduce_axis(kind, x.data(), outer, n, inner, chunk, y.get());
          reduce_axis_scalar(kind, x.data(), outer, n, inner, chunk, z.get());
          for (int64_t i = 0; i < count; ++i) CHECK_NEAR(y.get()[i], z.get()[i], 1e-5);
          y.check_guard(count);
        }
      }
    }
  }
}

TEST(softmax_matches_one_lane) {
  for (bool log : {false, true}) {
    for (int64_t n : kSizes) {
      for (int64_t inner : kSizes) {
        const int64_t count = 2 * n * inner;
        const std::vector<float> x = numbers(count);
        Output y(count), z(count);
        softmax(log, x.data(), 2, n, inner, y.get());
        softmax_scalar(log, x.data(), 2, n, inner, z.get());
        for (int64_t i = 0; i < count; ++i) CHECK_NEAR(y.get()[i], z.get()[i], 1e-5);
        y.check_guard(count);
      }
    }
  }
}

TEST(normalize_matches_one_lane) {
  for (bool center : {false, true}) {
    for (int64_t n : kSizes) {
      const int64_t rows = 3, count = rows * n;
      const std::vector<float> x = numbers(count), scale = numbers(n, 2), bias = numbers(n, 3);
      Output y(count), z(count), mean(rows), inv(rows);
      NormalizeRows<float> a{x.data(),    rows, n, 1e-3f,   center,     scale.data(),
                             bias.data(), 0,    0, y.get(), mean.get(), inv.get()};
      normalize_rows(a);
      a.y = z.get();
      normalize_rows_scalar(a);
      for (int64_t i = 0; i < count; ++i) CHECK_NEAR(y.get()[i], z.get()[i], 1e-4);
      y.check_guard(count);
    }
  }
}

TEST(panel_gemm_matches_naive) {
  for (int64_t m : {0, 1, 3, 4, 5, 9}) {
    for (int64_t k : kSizes) {
      for (int64_t n : kSizes) {
        const std::vector<float> a = numbers(m * k), b = numbers(k * n, 2);
        std::vector<float> panels(static_cast<size_t>(packed_panels_size(k, n)));
        pack_panels(b.data(), k, n, n, 1, panels.data());
        Output c(m * n);
        for (int64_t i = 0; i < m * n; ++i) c.get()[i] = 1;
        panel_gemm(PanelGemm{a.data(), m, k, k, panels.data(), kPanel * k, n, c.get(), n});
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            double sum = 1;
            for (int64_t e = 0; e < k; ++e)
              sum += static_cast<double>(a[static_cast<size_t>(i * k + e)]) * b[static_cast<size_t>(e * n + j)];
            CHECK_NEAR(c.get()[i * n + j], sum, 1e-4);
          }
        }
        c.check_guard(m * n);
      }
    }
  }
}

// Few query rows read the keys in place, more of them packed keys: both give the same.
TEST(attention_rows_do_not_depend_on_how_many_there_are) {
  for (int64_t kv_len : {1, 7, 8, 33, 130}) {
    const int64_t q_len = 41, size = 13, v_size = 9;
    const std::vector<float> q = numbers(q_len * size), k = numbers(kv_len * size, 2), v = numbers(kv_len * v_size, 3);
    AttentionArgs a;
    a.batch = a.q_heads = a.kv_heads = 1;
    a.q_len = q_len, a.kv_len = kv_len, a.head_size = size, a.v_head_size = v_size, a.right = 3, a.left = 20;
    a.k = {k.data(), 0, 0, size}, a.v = {v.data(), 0, 0, v_size}, a.q = {q.data(), 0, 0, size};
    Output all(q_len * v_size), one(v_size);
    a.y = {all.get(), 0, 0, v_size};
    std::vector<float> scratch(static_cast<size_t>(attention_scratch(a)));
    attention(a, scratch.data());
    for (int64_t i = 0; i < q_len; ++i) {
      AttentionArgs b = a;
      b.q_len = 1, b.offsets = &i, b.q.data = q.data() + i * size, b.y.data = one.get();
      attention(b, scratch.data());
      for (int64_t j = 0; j < v_size; ++j) CHECK_NEAR(one.get()[j], all.get()[i * v_size + j], 1e-5);
    }
    all.check_guard(q_len * v_size);
    one.check_guard(v_size);
  }
}

TEST(fft_matches_the_definition) {
  for (int64_t n : {1, 2, 3, 5, 8, 12, 17, 31, 64, 100}) {
    const std::vector<float> x = numbers(2 * n);
    std::vector<Complex128> table(static_cast<size_t>(Fft::table_size(n))),
        work(static_cast<size_t>(Fft::work_size(n)));
    std::vector<Complex128> y(static_cast<size_t>(n));
    for (bool inverse : {false, true}) {
      for (size_t i = 0; i < y.size(); ++i) y[i] = {x[2 * i], x[2 * i + 1]};
      Fft(n, table.data()).run(y.data(), inverse, work.data());
      for (int64_t j = 0; j < n; ++j) {
        double re = 0, im = 0;
        for (int64_t i = 0; i < n; ++i) {
          const double angle =
              (inverse ? 2 : -2) * 3.14159265358979323846 * static_cast<double>(i * j % n) / static_cast<double>(n);
          const double c = std::cos(angle), s = std::sin(angle);
          const double u = x[static_cast<size_t>(2 * i)], v = x[static_cast<size_t>(2 * i + 1)];
          re += u * c - v * s, im += u * s + v * c;
        }
        CHECK_NEAR(y[static_cast<size_t>(j)].re, re, 1e-9);
        CHECK_NEAR(y[static_cast<size_t>(j)].im, im, 1e-9);
      }
    }
  }
}

// Numbers of which many are equal, with both zeros, infinities and NaN between them.
std::vector<float> awkward(int64_t n, bool nan) {
  std::vector<float> x = numbers(n);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = std::round(x[i] * 4);
    if (i % 11 == 3) x[i] = i % 2 == 0 ? -0.0f : 0.0f;
    if (i % 29 == 5) x[i] = i % 2 == 0 ? -HUGE_VALF : HUGE_VALF;
    if (nan && i % 17 == 7) x[i] = std::nanf("");
  }
  return x;
}

TEST(float_top_k_and_arg_reduce_match_those_of_double) {
  for (const bool nan : {false, true}) {
    for (const int64_t n : {1, 2, 5, 8, 13, 33, 129, 1000}) {
      for (const int64_t inner : {1, 3, 8, 131}) {
        const int64_t rows = 2 * inner;
        const std::vector<float> x = awkward(2 * n * inner, nan);
        const std::vector<double> wide(x.begin(), x.end());
        for (const bool flag : {false, true}) {
          for (const int64_t k : {int64_t{1}, std::min<int64_t>(n, 7), n}) {
            std::vector<int64_t> got(static_cast<size_t>(rows * k)), want(got.size());
            top_k(x.data(), rows, n, inner, k, flag, got.data());
            top_k(wide.data(), rows, n, inner, k, flag, want.data());
            CHECK(got == want);
          }
          for (const bool last : {false, true}) {
            std::vector<int64_t> got(static_cast<size_t>(rows)), want(got.size());
            arg_reduce(flag, last, x.data(), 2, n, inner, got.data());
            arg_reduce(flag, last, wide.data(), 2, n, inner, want.data());
            CHECK(got == want);
          }
        }
      }
    }
  }
}

TEST(cumulative_sums_of_columns) {
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      for (const int64_t inner : {0, 1, 2, 63, 64, 67, 130}) {
        constexpr int64_t kN = 9;
        const std::vector<float> x = numbers(2 * kN * inner);
        Output y(2 * kN * inner);
        const CumulativeSpec spec{false, exclusive, reverse};
        cumulative(spec, DType::kFloat, x.data(), 2, kN, inner, y.get());
        for (int64_t r = 0; r < 2 * inner; ++r) {
          double sum = 0;
          for (int64_t step = 0; step < kN; ++step) {
            const int64_t at = r / inner * kN * inner + r % inner + (reverse ? kN - 1 - step : step) * inner;
            const double before = sum;
            sum += static_cast<double>(x[static_cast<size_t>(at)]);
            CHECK_EQ(y.get()[at], static_cast<float>(exclusive ? before : sum));
          }
        }
        y.check_guard(2 * kN * inner);
      }
    }
  }
}

TEST(nms_matches_one_box_at_a_time) {
  const std::vector<float> x = numbers(400);
  float fields[5 * 64] = {};
  KeptBoxes kept{fields, 64};
  std::vector<Box> boxes;
  for (size_t i = 0; i + 4 <= x.size() && kept.n < 63; i += 4) {
    const Box box{x[i], x[i + 1], x[i] + std::fabs(x[i + 2]), x[i + 1] + std::fabs(x[i + 3])};
    bool any = false;
    const float area = (box.y2 - box.y1) * (box.x2 - box.x1);
    for (const Box& k : boxes) {
      const float h = std::fmin(box.y2, k.y2) - std::fmax(box.y1, k.y1);
      const float w = std::fmin(box.x2, k.x2) - std::fmax(box.x1, k.x1), common = h * w;
      any = any || (h > 0 && w > 0 && common / (area + (k.y2 - k.y1) * (k.x2 - k.x1) - common) > 0.5f);
    }
    CHECK_EQ(overlaps_any(box, kept, 0.5f), any);
    boxes.push_back(box);
    kept.add(box);
  }
}

TEST(top_k_is_stable) {
  const float x[] = {1, 3, 2, 3, 1, 3};
  int64_t best[4];
  top_k(x, 1, 6, 1, 4, true, best);
  CHECK_EQ(best[0], 1);
  CHECK_EQ(best[1], 3);
  CHECK_EQ(best[2], 5);
  CHECK_EQ(best[3], 2);
  top_k(x, 1, 6, 1, 3, false, best);
  CHECK_EQ(best[0], 0);
  CHECK_EQ(best[1], 4);
  CHECK_EQ(best[2], 2);
}

}  // namespace
}  // namespace onnxlet
