// Slice, Pad and CenterCropPad: a box of the input, a frame around it, or both.
#include <algorithm>
#include <string_view>

#include "kernels/move.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct Slice : Op {
  Status init(Attrs&) { return {}; }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const auto starts, to_ints(ctx.in(1), "starts"));
    OL_ASSIGN(const auto ends, to_ints(ctx.in(2), "ends"));
    std::vector<int64_t> axes, steps(starts.size(), 1);
    if (ctx.has(3)) {
      OL_ASSIGN(axes, to_ints(ctx.in(3), "axes"));
    } else {
      for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    }
    if (ctx.has(4)) {
      OL_ASSIGN(steps, to_ints(ctx.in(4), "steps"));
    }
    if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
      return run_failed("starts, ends, axes and steps must have one length; they have ", starts.size(), ", ",
                        ends.size(), ", ", axes.size(), ", ", steps.size());
    }
    Shape shape = x.shape(), strides = x.shape().strides();
    int64_t offset = 0;
    uint32_t seen = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
      OL_ASSIGN(const int axis, normalize_axis(axes[i], x.rank()));
      if (seen & (1u << axis)) return run_failed("axes names axis ", axis, " twice");
      seen |= 1u << axis;
      if (steps[i] == 0) return run_failed("steps must not be 0; axis ", axis, " has 0");
      const int64_t first = clip_axis(starts[i], ends[i], steps[i], x.dim(axis), &shape[axis]);
      offset += first * strides[axis];
      strides[axis] = shape[axis] > 1 ? strides[axis] * steps[i] : 0;
    }
    if (shape == x.shape() && strides == x.shape().strides()) {
      ctx.set(0, x);
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    copy_strided(x.dtype(), shape, element_at(x.dtype(), x.raw(), offset), strides, y->mutable_raw(), shape.strides());
    return {};
  }

  // First index and length of what start:end:step selects from an axis of `dim`.
  static int64_t clip_axis(int64_t start, int64_t end, int64_t step, int64_t dim, int64_t* length) {
    *length = 0;
    if (dim == 0) return 0;
    if (start < 0) start += dim;
    if (end < 0) end += dim;
    if (step > 0) {
      start = std::clamp<int64_t>(start, 0, dim);
      end = std::clamp<int64_t>(end, 0, dim);
      if (start < end) *length = (end - start - 1) / step + 1;
    } else {
      start = std::clamp<int64_t>(start, 0, dim - 1);
      end = std::clamp<int64_t>(end, -1, dim - 1);
      const uint64_t back = 0 - static_cast<uint64_t>(step);
      if (start > end) *length = static_cast<int64_t>(static_cast<uint64_t>(start - end - 1) / back) + 1;
    }
    return *length > 0 ? start : 0;
  }
};

// What Pad does along one axis: the input's [crop, crop + kept) lands at `before`; the rest of `out` is filled.
struct PadAxis {
  int64_t dim = 0, before = 0, after = 0;
  int64_t out() const { return dim + before + after; }
};

enum class PadMode { kConstant, kReflect, kEdge, kWrap };

// Source index of output index `o`; the axis has already lost what negative pads cut away.
int64_t pad_source(PadMode mode, int64_t o, int64_t n) {
  switch (mode) {
    case PadMode::kEdge:
      return std::clamp<int64_t>(o, 0, n - 1);
    case PadMode::kWrap:
      return ((o % n) + n) % n;
    default: {
      if (n == 1) return 0;
      const int64_t period = 2 * (n - 1), at = ((o % period) + period) % period;
      return at < n ? at : period - at;
    }
  }
}

struct Pad : Op {
  PadMode mode;

  Status init(Attrs& a) {
    const std::string_view name = a.s("mode", "constant");
    if (name == "constant")
      mode = PadMode::kConstant;
    else if (name == "reflect")
      mode = PadMode::kReflect;
    else if (name == "edge")
      mode = PadMode::kEdge;
    else if (name == "wrap")
      mode = PadMode::kWrap;
    else
      return invalid_graph("mode must be constant, reflect, edge or wrap; it is ", name);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    std::vector<PadAxis> axes;
    OL_TRY(read_pads(ctx, &axes));
    Shape shape;
    bool identity = true;
    for (const PadAxis& a : axes) {
      if (a.out() < 0) return run_failed("pads ", a.before, " and ", a.after, " take more than the axis has: ", a.dim);
      shape.push_back(a.out());
      identity = identity && a.before == 0 && a.after == 0;
    }
    if (identity) {
      ctx.set(0, x);
      return {};
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    if (y->size() == 0) return {};
    return mode == PadMode::kConstant ? constant(ctx, axes, y) : indexed(ctx, axes, y);
  }

  static Status read_pads(const OpContext& ctx, std::vector<PadAxis>* axes) {
    const Shape& in = ctx.in(0).shape();
    const Tensor& given = ctx.in(1);  // that of com.microsoft may have the shape [1, n]
    OL_ASSIGN(const auto pads,
              to_ints(given.rank() == 2 && given.dim(0) == 1 ? given.reshaped(Shape{given.size()}) : given, "pads"));
    std::vector<int> which;
    if (ctx.has(3)) {
      OL_ASSIGN(const auto list, to_ints(ctx.in(3), "axes"));
      for (const int64_t axis : list) {
        OL_ASSIGN(const int at, normalize_axis(axis, in.rank()));
        which.push_back(at);
      }
    } else {
      for (int i = 0; i < in.rank(); ++i) which.push_back(i);
    }
    if (pads.size() != 2 * which.size()) {
      return run_failed("pads needs two entries per axis (", 2 * which.size(), "); it has ", pads.size());
    }
    axes->resize(static_cast<size_t>(in.rank()));
    for (int i = 0; i < in.rank(); ++i) (*axes)[static_cast<size_t>(i)].dim = in[i];
    constexpr int64_t kLimit = int64_t{1} << 48;
    for (size_t i = 0; i < which.size(); ++i) {
      PadAxis& a = (*axes)[static_cast<size_t>(which[i])];
      a.before = pads[i];
      a.after = pads[i + which.size()];
      if (a.before > kLimit || a.before < -kLimit || a.after > kLimit || a.after < -kLimit) {
        return run_failed("the pads ", a.before, " and ", a.after, " are too large");
      }
    }
    return {};
  }

  Status constant(OpContext& ctx, const std::vector<PadAxis>& axes, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    alignas(16) unsigned char value[16] = {};
    const void* fill = value;
    const Tensor* given = ctx.opt(2);
    if (given != nullptr && given->size() != 1)
      return run_failed("constant_value must be a scalar; it has shape ", given->shape());
    if (given != nullptr && given->dtype() == x.dtype()) {
      fill = given->raw();
    } else if (given != nullptr) {
      OL_ASSIGN(const double v, to_double(*given, "constant_value"));
      store_scalar(x.dtype(), v, value);
    }
    if (x.dtype() == DType::kString && given == nullptr) {
      clear_elements(x.dtype(), y->mutable_raw(), y->size());
    } else {
      fill_elements(x.dtype(), y->mutable_raw(), y->size(), fill);
    }
    paste(x, axes, y);
    return {};
  }

  // Copies the part of the input that the frame leaves.
  static void paste(const Tensor& x, const std::vector<PadAxis>& axes, Tensor* y) {
    const Shape from = x.shape().strides(), to = y->shape().strides();
    Shape dims = x.shape();
    int64_t src = 0, dst = 0;
    for (int i = 0; i < x.rank(); ++i) {
      const PadAxis& a = axes[static_cast<size_t>(i)];
      const int64_t crop = std::max<int64_t>(0, -a.before);
      dims[i] = std::max<int64_t>(0, a.dim - crop - std::max<int64_t>(0, -a.after));
      src += crop * from[i];
      dst += std::max<int64_t>(0, a.before) * to[i];
    }
    if (dims.size() == 0) return;
    copy_strided(x.dtype(), dims, element_at(x.dtype(), x.raw(), src), from,
                 element_at(x.dtype(), y->mutable_raw(), dst), to);
  }

  Status indexed(OpContext& ctx, const std::vector<PadAxis>& axes, Tensor* y) const {
    const Tensor& x = ctx.in(0);
    std::vector<PadAxis> merged;
    for (const PadAxis& a : axes) {  // neighbours without pads are one axis
      const bool plain = a.before == 0 && a.after == 0;
      if (plain && !merged.empty() && merged.back().before == 0 && merged.back().after == 0) {
        merged.back().dim *= a.dim;
      } else {
        merged.push_back(a);
      }
    }
    Shape dims;
    int64_t total = 0, stride = x.size();
    for (const PadAxis& a : merged) {
      dims.push_back(a.out());
      total += a.out();
      const int64_t kept = a.dim + std::min<int64_t>(0, a.before) + std::min<int64_t>(0, a.after);
      if (kept <= 0)
        return run_failed("there is nothing to pad from: an axis of length ", a.dim, " with pads ", a.before, ", ",
                          a.after);
    }
    OL_ASSIGN(int64_t* table, ctx.scratch_of<int64_t>(total));
    const int64_t* tables[Shape::kMaxRank];
    for (size_t i = 0; i < merged.size(); ++i) {
      const PadAxis& a = merged[i];
      stride /= a.dim;
      const int64_t crop = std::max<int64_t>(0, -a.before), kept = a.dim - crop + std::min<int64_t>(0, a.after);
      tables[i] = table;
      for (int64_t o = 0; o < a.out(); ++o) {
        *table++ = (crop + pad_source(mode, o - std::max<int64_t>(0, a.before), kept)) * stride;
      }
    }
    gather_axes(x.dtype(), dims, x.raw(), tables, y->mutable_raw());
    return {};
  }
};

struct CenterCropPad : Op {
  std::vector<int64_t> axes;

  Status init(Attrs& a) {
    axes = a.ints("axes");
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const auto target, to_ints(ctx.in(1), "shape"));
    std::vector<int64_t> which = axes;
    if (which.empty()) {
      for (int i = 0; i < x.rank(); ++i) which.push_back(i);
    }
    if (which.size() != target.size()) {
      return run_failed("shape needs one entry per axis (", which.size(), "); it has ", target.size());
    }
    std::vector<PadAxis> frame(static_cast<size_t>(x.rank()));
    Shape shape = x.shape();
    for (int i = 0; i < x.rank(); ++i) frame[static_cast<size_t>(i)].dim = x.dim(i);
    for (size_t i = 0; i < which.size(); ++i) {
      OL_ASSIGN(const int at, normalize_axis(which[i], x.rank()));
      if (target[i] < 0) return run_failed("shape must not be negative; axis ", at, " has ", target[i]);
      PadAxis& a = frame[static_cast<size_t>(at)];
      const int64_t more = target[i] - a.dim;
      a.before = more / 2;  // rounds towards the left edge when cropping (negative) and when padding
      a.after = more - a.before;
      shape[at] = target[i];
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    clear_elements(x.dtype(), y->mutable_raw(), y->size());
    Pad::paste(x, frame, y);
    return {};
  }
};

// Every slice of `size` elements along an axis, `step` apart; what is in a slice becomes the last axis.
struct UnfoldTensor : Op {
  int64_t axis = -1, size = 1, step = 1;

  Status init(Attrs& a) {
    axis = a.i("dim", -1);
    size = a.i("size");
    step = a.i("step", 1);
    if (size < 1 || step < 1) return invalid_graph("size and step must be positive; they are ", size, " and ", step);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    if (size > x.dim(at)) return run_failed("size ", size, " is larger than axis ", at, " of ", x.shape());
    if (x.rank() == Shape::kMaxRank) return not_implemented("an output of rank ", x.rank() + 1);
    Shape shape = x.shape(), strides = x.shape().strides();
    const int64_t by = std::min(step, x.dim(at));  // longer ones reach nothing more
    shape[at] = (x.dim(at) - size) / by + 1;
    shape.push_back(size);
    strides.push_back(strides[at]);
    strides[at] *= by;
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    copy_strided(x.dtype(), shape, x.raw(), strides, y->mutable_raw(), shape.strides());
    return {};
  }
};

const OpRow kRows[] = {
    {"Slice", 1, make<Slice>},
    {"Pad", 1, make<Pad>},
    {"CenterCropPad", 18, make<CenterCropPad>},
};

const OpRow kContribRows[] = {
    {"Pad", 1, make<Pad>},
    {"UnfoldTensor", 1, make<UnfoldTensor>},
};

}  // namespace

extern const OpTable kSlicePadOps{"", kRows};
extern const OpTable kSlicePadContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
