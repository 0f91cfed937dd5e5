#include "kernels/gemm.h"

#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "kernels/conv.h"
#include "tests/check.h"
#include "tests/random.h"
#if !defined(__wasm__)
#include "tests/crew.h"
#endif

namespace onnxlet {
namespace {

constexpr float kGuard = 12345.5f;

enum class Layout { kPlain, kTransposed };

Matrix matrix(const std::vector<float>& v, int64_t rows, int64_t cols, Layout layout) {
  return layout == Layout::kPlain ? Matrix{v.data(), cols, 1} : Matrix{v.data(), 1, rows};
}

// Runs gemm, gemm_serial and the scalar oracle, and compares all with a plain sum in double.
void check_gemm(int64_t m, int64_t n, int64_t k, Layout a_layout, Layout b_layout, Layout c_layout, bool packed,
                bool epilogue) {
  Random r;
  const std::vector<float> a = r.fill(m * k), b = r.fill(k * n), bias = r.fill(n), before = r.fill(m * n);
  Gemm g;
  g.m = m;
  g.n = n;
  g.k = k;
  g.a = matrix(a, m, k, a_layout);
  g.b = matrix(b, k, n, b_layout);
  std::vector<float> panels(static_cast<size_t>(packed_b_size(k, n)));
  if (packed) {
    pack_b(g.b, k, n, panels.data());
    g.packed_b = panels.data();
  }
  g.c_row_stride = c_layout == Layout::kPlain ? n : 1;
  g.c_col_stride = c_layout == Layout::kPlain ? 1 : m;
  if (epilogue) {
    g.epilogue.alpha = 0.5f;
    g.epilogue.bias = bias.data();
    g.epilogue.lo = -3;
    g.epilogue.hi = 4;
  }
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<float> c = before;
    c.resize(c.size() + 16, kGuard);
    g.c = c.data();
    if (epilogue) g.epilogue.residual = kind == 1 ? c.data() : before.data();
    const int64_t size = kind == 0 ? gemm_scratch(g) : gemm_serial_scratch(g);
    std::vector<float> scratch(static_cast<size_t>(size) + 16, kGuard);
    if (kind == 0) gemm(g, scratch.data());
    if (kind == 1) gemm_serial(g, scratch.data());
    if (kind == 2) gemm_scalar(g, scratch.data());
    for (size_t i = 0; i < 16; ++i) {
      CHECK_EQ(c[c.size() - 1 - i], kGuard);
      CHECK_EQ(scratch[scratch.size() - 1 - i], kGuard);
    }
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t q = 0; q < k; ++q) {
          const double p = static_cast<double>(g.a.data[i * g.a.row_stride + q * g.a.col_stride]) *
                           static_cast<double>(g.b.data[q * g.b.row_stride + j * g.b.col_stride]);
          sum += p;
          magnitude += std::fabs(p);
        }
        const size_t at = static_cast<size_t>(i * g.c_row_stride + j * g.c_col_stride);
        if (epilogue) {
          sum = sum * 0.5 + static_cast<double>(before[at]) + static_cast<double>(bias[static_cast<size_t>(j)]);
          sum = std::fmin(4, std::fmax(-3, sum));
        }
        CHECK_NEAR(c[at], sum, 1e-6 * std::fmax(1, magnitude));
      }
    }
  }
}

TEST(gemm_agrees_with_plain_sums_on_awkward_sizes) {
  const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33};
  for (const int64_t m : sizes) {
    for (const int64_t n : sizes) {
      for (const int64_t k : {0, 1, 3, 8, 33}) {
        for (int layout = 0; layout < 8; ++layout) {
          check_gemm(m, n, k, Layout(layout & 1), Layout(layout >> 1 & 1), Layout(layout >> 2), false,
                     (m + n) % 2 == 1);
          check_gemm(m, n, k, Layout(layout & 1), Layout(layout >> 1 & 1), Layout(layout >> 2), true, (m + n) % 2 == 0);
        }
      }
    }
  }
}

TEST(gemm_blocks_long_sums_and_many_columns) {
  check_gemm(70, 300, 600, Layout::kPlain, Layout::kPlain, Layout::kPlain, false, true);
  check_gemm(70, 300, 600, Layout::kTransposed, Layout::kTransposed, Layout::kTransposed, true, true);
  check_gemm(1, 300, 1100, Layout::kPlain, Layout::kPlain, Layout::kPlain, true, true);
  check_gemm(1, 301, 1100, Layout::kPlain, Layout::kTransposed, Layout::kPlain, false, true);
  check_gemm(301, 1, 1100, Layout::kPlain, Layout::kPlain, Layout::kPlain, false, false);
  check_gemm(9, 70, 20000, Layout::kPlain, Layout::kPlain, Layout::kPlain, false, false);
}

struct KernelRow {
  const char* name;
  int64_t m;
  bool packed, b_transposed;
};
constexpr KernelRow kKernels[] = {
#define GEMM_KERNEL(route, name, m, packed, b_transposed) {name, m, packed, b_transposed},
#include "kernels/gemm_kernels.inc"
#undef GEMM_KERNEL
};

TEST(gemm_every_listed_kernel_runs_and_is_right) {
  for (const KernelRow& row : kKernels) {
    for (const int64_t n : {2, 31, 33, 64, 300}) {
      for (const int64_t k : {1, 31, 600}) {
        Random r;
        const std::vector<float> a = r.fill(row.m * k), b = r.fill(k * n);
        std::vector<float> c(static_cast<size_t>(row.m * n)), panels(static_cast<size_t>(packed_b_size(k, n)));
        Gemm g;
        g.m = row.m;
        g.n = n;
        g.k = k;
        g.a = matrix(a, row.m, k, Layout::kPlain);
        g.b = matrix(b, k, n, row.b_transposed ? Layout::kTransposed : Layout::kPlain);
        pack_b(g.b, k, n, panels.data());
        if (row.packed) g.packed_b = panels.data();
        g.c = c.data();
        g.c_row_stride = n;
        std::vector<float> scratch(static_cast<size_t>(gemm_scratch(g)) + 1);
        CHECK_EQ(std::string_view(gemm(g, scratch.data())), std::string_view(row.name));
        check_gemm(row.m, n, k, Layout::kPlain, row.b_transposed ? Layout::kTransposed : Layout::kPlain, Layout::kPlain,
                   row.packed, true);
      }
    }
  }
}

#if !defined(__wasm__)
// The same bits with and without helpers, and no two bodies in one slot.
TEST(gemm_and_conv_do_not_depend_on_the_thread_count) {
  Random r;
  const int64_t m = 150, n = 200, k = 700;
  const std::vector<float> a = r.fill(m * k), b = r.fill(k * n), image = r.fill(20 * 40 * 40),
                           filter = r.fill(24 * 20 * 9);
  auto results = [&] {
    std::vector<float> c(static_cast<size_t>(m * n)), y(24 * 40 * 40),
        packed(static_cast<size_t>(packed_conv_size(24, 180, 1)));
    Gemm g;
    g.m = m;
    g.n = n;
    g.k = k;
    g.a = {a.data(), k, 1};
    g.b = {b.data(), n, 1};
    g.c = c.data();
    g.c_row_stride = n;
    std::vector<float> scratch(static_cast<size_t>(gemm_scratch(g)));
    gemm(g, scratch.data());
    Conv v;
    v.window = {{40, 40}, {40, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    v.batch = 1;
    v.channels = 20;
    v.out_channels = 24;
    v.x = image.data();
    pack_conv_weights(filter.data(), 24, 180, 1, packed.data());
    v.weights = packed.data();
    v.y = y.data();
    scratch.resize(static_cast<size_t>(conv_scratch(v)));
    conv(v, scratch.data());
    c.insert(c.end(), y.begin(), y.end());
    return c;
  };
  const std::vector<float> alone = results();
  test::Crew::start();
  set_worker_count(test::Crew::kWorkers);
  for (int i = 0; i < 20; ++i) CHECK(results() == alone);
  set_worker_count(0);
}
#endif

TEST(gemm_keeps_nan_through_the_clamp) {
  const float a[] = {1, NAN}, b[] = {1, 1};
  float c[2];
  Gemm g;
  g.m = 2;
  g.n = 1;
  g.k = 1;
  g.a = {a, 1, 1};
  g.b = {b, 1, 1};
  g.c = c;
  g.c_row_stride = 1;
  g.epilogue.lo = 0;
  g.epilogue.hi = 6;
  std::vector<float> scratch(static_cast<size_t>(gemm_scratch(g)) + 1);
  gemm(g, scratch.data());
  CHECK_EQ(c[0], 1.0f);
  CHECK(std::isnan(c[1]));
}

TEST(gemm_batch_walks_offsets) {
  Random r;
  const int64_t batch = 20, m = 5, n = 9, k = 7;
  const std::vector<float> a = r.fill(batch * m * k), b = r.fill(2 * k * n);
  std::vector<float> c(static_cast<size_t>(batch * m * n)), one(static_cast<size_t>(m * n));
  std::vector<int64_t> a_offsets, b_offsets;
  for (int64_t i = 0; i < batch; ++i) {
    a_offsets.push_back(i * m * k);
    b_offsets.push_back(i % 2 * k * n);
  }
  Gemm g;
  g.m = m;
  g.n = n;
  g.k = k;
  g.a = {a.data(), k, 1};
  g.b = {b.data(), n, 1};
  g.c = c.data();
  g.c_row_stride = n;
  std::vector<float> scratch(static_cast<size_t>(gemm_batch_scratch(g, batch) + gemm_scratch(g)));
  gemm_batch(g, batch, a_offsets.data(), b_offsets.data(), m * n, scratch.data());
  for (int64_t i = 0; i < batch; ++i) {
    Gemm s = g;
    s.a.data += a_offsets[static_cast<size_t>(i)];
    s.b.data += b_offsets[static_cast<size_t>(i)];
    s.c = one.data();
    gemm(s, scratch.data());
    for (size_t j = 0; j < one.size(); ++j) CHECK_EQ(c[static_cast<size_t>(i * m * n) + j], one[j]);
  }
}

TEST(gemm_plain_wraps_and_reads_strides) {
  const uint32_t a[] = {0x80000000u, 2, 3, 4}, b[] = {2, 1, 1, 5};
  uint32_t c[4];
  gemm_plain<uint32_t>({2, 2, 2, a, 2, 1, b, 1, 2, c});
  CHECK_EQ(c[0], 2u);
  CHECK_EQ(c[1], 0x80000000u + 10);
  CHECK_EQ(c[2], 10u);
  CHECK_EQ(c[3], 23u);
}

}  // namespace
}  // namespace onnxlet
