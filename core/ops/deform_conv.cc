// DeformConv: patches sampled at learned offsets, then a matrix product.
#include "kernels/deform_conv.h"

#include <algorithm>

#include "kernels/gemm.h"
#include "ops/float_io.h"
#include "ops/window.h"

namespace onnxlet {
namespace {

constexpr int64_t kPatchFloats = 1 << 20;

struct DeformConv : Op {
  WindowAttrs window;
  int64_t group, offset_group;

  Status init(Attrs& a) {
    group = a.i("group", 1);
    offset_group = a.i("offset_group", 1);
    window.kernel_shape = a.ints("kernel_shape");
    window.strides = a.ints("strides");
    window.pads = a.ints("pads");
    window.dilations = a.ints("dilations");
    window.auto_pad = "NOTSET";
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &w = ctx.in(1), &offset = ctx.in(2);
    if (x.rank() != 4 || w.rank() != 4 || offset.rank() != 4) {
      return not_implemented("DeformConv with other than two spatial axes; X is ", x.shape(), ", W is ", w.shape());
    }
    if (group < 1 || offset_group < 1 || x.dim(1) % group != 0 || x.dim(1) / group != w.dim(1) ||
        w.dim(0) % group != 0 || x.dim(1) % offset_group != 0) {
      return run_failed("channels do not fit: X is ", x.shape(), ", W is ", w.shape(), ", group is ", group,
                        ", offset_group is ", offset_group);
    }
    DeformPatches d;
    OL_ASSIGN(d.window, window.resolve(spatial(x.shape()), spatial(w.shape())));
    d.channels = x.dim(1);
    d.offset_groups = offset_group;
    if (offset_group > std::max<int64_t>(x.dim(1), 1))
      return run_failed("offset_group ", offset_group, " exceeds the channels of X, ", x.shape());
    const Shape offsets = with_spatial(x.dim(0), offset_group * d.window.taps() * 2, d.window.out);
    const Shape masks = with_spatial(x.dim(0), offset_group * d.window.taps(), d.window.out);
    if (!(offset.shape() == offsets)) return run_failed("offset must have shape ", offsets, "; got ", offset.shape());
    if (ctx.has(4) && !(ctx.in(4).shape() == masks))
      return run_failed("mask must have shape ", masks, "; got ", ctx.in(4).shape());
    if (ctx.has(3) && ctx.in(3).size() != w.dim(0))
      return run_failed("B needs one value per output channel; got ", ctx.in(3).shape());
    return x.dtype() == DType::kDouble ? run_double(ctx, d) : run_float(ctx, d);
  }

  Status run_float(OpContext& ctx, const DeformPatches& d) const {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const float* in[5] = {};
    for (int i = 0; i < 5; ++i) {
      if (ctx.has(i)) {
        OL_ASSIGN(in[i], float_input(ctx, ctx.in(i)));
      }
    }
    const int64_t taps = d.window.taps(), pixels = d.window.pixels(), cg = w.dim(1), mg = w.dim(0) / group,
                  k = cg * taps;
    OL_ASSIGN(FloatOutput y, FloatOutput::make(ctx, 0, x.dtype(), with_spatial(x.dim(0), w.dim(0), d.window.out)));
    const int64_t block = std::clamp<int64_t>(kPatchFloats / std::max<int64_t>(k, 1), 4, std::max<int64_t>(pixels, 4));
    OL_ASSIGN(float* patches, ctx.scratch_of<float>(k * block));
    Gemm g;
    g.m = block;
    g.n = mg;
    g.k = k;
    g.b = {nullptr, 1, k};
    g.c_row_stride = 1;
    g.c_col_stride = pixels;
    float* scratch = nullptr;
    for (int64_t i = 0; i < x.dim(0) * group; ++i) {
      const int64_t image = i / group, gr = i % group;
      for (int64_t p = 0; p < pixels; p += block) {
        g.m = std::min(block, pixels - p);
        deform_patches(
            d, in[0] + image * d.channels * d.window.in.size(), in[2] + image * offset_group * taps * 2 * pixels,
            in[4] ? in[4] + image * offset_group * taps * pixels : nullptr, gr * cg, cg, p, p + g.m, patches);
        g.a = {patches, 1, g.m};
        g.b.data = in[1] + gr * mg * k;
        g.c = y.data() + (image * w.dim(0) + gr * mg) * pixels + p;
        g.epilogue.bias = in[3] ? in[3] + gr * mg : nullptr;
        if (scratch == nullptr || g.m != block) {
          OL_ASSIGN(scratch, ctx.scratch_of<float>(gemm_scratch(g)));
        }
        ctx.set_kernel(gemm(g, scratch));
      }
    }
    y.finish();
    return {};
  }

  Status run_double(OpContext& ctx, const DeformPatches& d) const {
    const Tensor &x = ctx.in(0), &w = ctx.in(1);
    const int64_t taps = d.window.taps(), pixels = d.window.pixels(), cg = w.dim(1), mg = w.dim(0) / group,
                  k = cg * taps;
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kDouble, with_spatial(x.dim(0), w.dim(0), d.window.out)));
    OL_ASSIGN(double* patches, ctx.scratch_of<double>(k * pixels));
    for (int64_t i = 0; i < x.dim(0) * group; ++i) {
      const int64_t image = i / group, gr = i % group;
      deform_patches(d, x.data<double>() + image * d.channels * d.window.in.size(),
                     ctx.in(2).data<double>() + image * offset_group * taps * 2 * pixels,
                     ctx.has(4) ? ctx.in(4).data<double>() + image * offset_group * taps * pixels : nullptr, gr * cg,
                     cg, 0, pixels, patches);
      double* out = y->mutable_data<double>() + (image * w.dim(0) + gr * mg) * pixels;
      gemm_plain<double>({mg, pixels, k, w.data<double>() + gr * mg * k, k, 1, patches, pixels, 1, out});
      for (int64_t m = 0; ctx.has(3) && m < mg; ++m) {
        for (int64_t p = 0; p < pixels; ++p) out[m * pixels + p] += ctx.in(3).data<double>()[gr * mg + m];
      }
    }
    ctx.set_kernel("gemm_plain");
    return {};
  }
};

const OpRow kRows[] = {{"DeformConv", 19, make<DeformConv>}};

}  // namespace

extern const OpTable kDeformConvOps{"", kRows};

}  // namespace onnxlet
