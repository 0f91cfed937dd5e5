// Operators whose elements only change place: copy.wgsl, and gather.wgsl.
#include <algorithm>

#include "gpu/parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int kMostDims = 8;

// The name in shaders of elements that are moved and not looked at; "" for those that share words.
std::string_view element(DType t) {
  switch (element_size(t)) {
    case 4:
      return "u32";
    case 8:
      return "vec2<u32>";
    default:
      return {};
  }
}

}  // namespace

bool can_copy(DType dtype) { return !element(dtype).empty(); }

bool copy(Context& ctx, DType dtype, const DeviceBufferPtr& from, const DeviceBufferPtr& to, const Copy& what) {
  Shape dims = what.dims;
  Shape strides[] = {what.from_strides, what.to_strides};
  const int64_t count = dims.size();
  collapse_dims(&dims, strides);
  if (dims.rank() > kMostDims) return false;
  Uniforms u;
  u.u(count).u(dims.rank()).u(what.from).u(what.to).dims(dims, 2).dims(strides[0], 2).dims(strides[1], 2);
  const DeviceBufferPtr buffers[] = {from, to};
  ctx.dispatch(Shader("copy").set("ELEMENT", element(dtype)), buffers, u, count);
  return true;
}

namespace {

// Output 0, in its own order, from input 0 with these strides.
Result<Answer> copied(Context& ctx, const Shape& shape, const Shape& strides, int64_t from = 0) {
  const DType t = ctx.in(0).dtype();
  if (element(t).empty() || shape.size() == 0) return Answer::kDeclined;
  OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, t, shape));
  return copy(ctx, t, ctx.buffer(0), out, {shape, strides, shape.strides(), from}) ? Answer::kDone : Answer::kDeclined;
}

struct Transpose : Kernel {
  std::vector<int64_t> perm;
  Status init(Attrs& a) {
    perm = a.ints("perm");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& x = ctx.in(0).shape();
    const Shape strides = x.strides();
    if (!perm.empty() && static_cast<int>(perm.size()) != x.rank()) return Answer::kDeclined;
    Shape shape, walked;
    for (int i = 0; i < x.rank(); ++i) {
      const int64_t axis = perm.empty() ? x.rank() - 1 - i : perm[static_cast<size_t>(i)];
      if (axis < 0 || axis >= x.rank()) return Answer::kDeclined;
      shape.push_back(x[static_cast<int>(axis)]);
      walked.push_back(strides[static_cast<int>(axis)]);
    }
    return copied(ctx, shape, walked);
  }
};

struct Expand : Kernel {
  Status init(Attrs&) { return {}; }
  Result<Answer> run(Context& ctx) const override {
    if (!ctx.is_here(1)) return Answer::kDeclined;
    OL_ASSIGN(const auto dims, to_ints(ctx.in(1), "shape"));
    Shape shape;
    if (dims.size() > kMostDims || !broadcast_shapes(ctx.in(0).shape(), Shape(dims), &shape)) return Answer::kDeclined;
    return copied(ctx, shape, broadcast_strides(ctx.in(0).shape(), shape));
  }
};

struct Slice : Kernel {
  Status init(Attrs&) { return {}; }
  Result<Answer> run(Context& ctx) const override {
    std::vector<int64_t> lists[4];  // starts, ends, axes, steps
    for (int i = 1; i <= 4; ++i) {
      if (!ctx.has(i)) continue;
      if (!ctx.is_here(i)) return Answer::kDeclined;
      OL_ASSIGN(lists[i - 1], to_ints(ctx.in(i), "a slice's numbers"));
    }
    const auto& [starts, ends, axes, steps] = lists;
    const Shape& x = ctx.in(0).shape();
    Shape shape = x, strides = x.strides();
    int64_t from = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
      const int64_t given = axes.empty() ? static_cast<int64_t>(i) : i < axes.size() ? axes[i] : x.rank();
      const int64_t axis = given < 0 ? given + x.rank() : given;
      const int64_t step = steps.empty() ? 1 : i < steps.size() ? steps[i] : 0;
      if (axis < 0 || axis >= x.rank() || i >= ends.size() || step <= 0) return Answer::kDeclined;
      const int at = static_cast<int>(axis);
      const auto inside = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + x[at] : v, 0, x[at]); };
      const int64_t first = inside(starts[i]), end = inside(ends[i]);
      shape[at] = std::max<int64_t>(0, (end - first + step - 1) / step);
      from += first * x.strides()[at];
      strides[at] = x.strides()[at] * step;
    }
    return copied(ctx, shape, strides, from);
  }
};

struct Concat : Kernel {
  int64_t axis = 0;
  Status init(Attrs& a) {
    axis = a.i("axis", 1);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const DType t = ctx.in(0).dtype();
    Shape shape = ctx.in(0).shape();
    const int64_t at = axis < 0 ? axis + shape.rank() : axis;
    if (element(t).empty() || at < 0 || at >= shape.rank()) return Answer::kDeclined;
    const int ax = static_cast<int>(at);
    int64_t total = 0;
    for (int i = 0; i < ctx.input_count(); ++i) {
      Shape other = ctx.in(i).shape();
      if (other.rank() != shape.rank() || ctx.in(i).dtype() != t) return Answer::kDeclined;
      total += other[ax];
      other[ax] = shape[ax];
      if (!(other == shape)) return Answer::kDeclined;
    }
    shape[ax] = total;
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, t, shape));
    int64_t to = 0;
    for (int i = 0; i < ctx.input_count(); ++i) {
      const Shape& part = ctx.in(i).shape();
      if (!copy(ctx, t, ctx.buffer(i), out, {part, part.strides(), shape.strides(), 0, to})) return Answer::kDeclined;
      to += part[ax] * shape.strides()[ax];
    }
    return Answer::kDone;
  }
};

struct Split : Kernel {
  int64_t axis = 0;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    const int64_t at = axis < 0 ? axis + x.rank() : axis;
    if (element(x.dtype()).empty() || at < 0 || at >= x.rank() || (ctx.has(1) && !ctx.is_here(1))) {
      return Answer::kDeclined;
    }
    const int ax = static_cast<int>(at);
    const int64_t parts = ctx.output_count();
    const int64_t even = (x.dim(ax) + parts - 1) / parts;
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < parts; ++i) lengths.push_back(std::clamp<int64_t>(x.dim(ax) - i * even, 0, even));
    if (ctx.has(1)) {
      OL_ASSIGN(lengths, to_ints(ctx.in(1), "split"));
    }
    int64_t sum = 0;
    bool positive = true;
    for (const int64_t n : lengths) sum += n, positive = positive && n > 0;
    if (static_cast<int64_t>(lengths.size()) != parts || sum != x.dim(ax) || !positive) return Answer::kDeclined;
    int64_t from = 0;
    for (int i = 0; i < ctx.output_count(); ++i) {
      Shape shape = x.shape();
      shape[ax] = lengths[static_cast<size_t>(i)];
      OL_ASSIGN(DeviceBufferPtr out, ctx.out(i, x.dtype(), shape));
      if (!copy(ctx, x.dtype(), ctx.buffer(0), out, {shape, x.shape().strides(), shape.strides(), from})) {
        return Answer::kDeclined;
      }
      from += shape[ax] * x.shape().strides()[ax];
    }
    return Answer::kDone;
  }
};

// Where the indices are here, the CPU's rule for those outside is kept: it is asked to report them.
struct Gather : Kernel {
  int64_t axis = 0;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }
  static bool inside(const Tensor& indices, int64_t n) {
    const bool narrow = indices.dtype() == DType::kInt32;
    for (int64_t i = 0; i < indices.size(); ++i) {
      const int64_t v = narrow ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
      if (v < -n || v >= n) return false;
    }
    return true;
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    const int64_t at = axis < 0 ? axis + x.rank() : axis;
    if (element(x.dtype()).empty() || at < 0 || at >= x.rank()) return Answer::kDeclined;
    const int ax = static_cast<int>(at);
    const bool whole = indices.dtype() == DType::kInt32 || indices.dtype() == DType::kInt64;
    if (!whole || !ctx.is_here(1) || !inside(indices, x.dim(ax))) return Answer::kDeclined;
    Shape shape;
    for (int i = 0; i < ax; ++i) shape.push_back(x.dim(i));
    for (int i = 0; i < indices.rank(); ++i) shape.push_back(indices.dim(i));
    for (int i = ax + 1; i < x.rank(); ++i) shape.push_back(x.dim(i));
    OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, x.dtype(), shape));
    const Rows rows = split_at(x.shape(), ax);
    Uniforms u;
    u.u(shape.size()).u(indices.size()).u(rows.n).u(rows.inner);
    Shader shader("gather");
    shader.set("ELEMENT", element(x.dtype())).set("INDEX_WORDS", indices.dtype() == DType::kInt64 ? 2 : 1);
    const DeviceBufferPtr buffers[] = {ctx.buffer(0), ctx.buffer(1), std::move(out)};
    ctx.dispatch(shader, buffers, u, shape.size());
    return Answer::kDone;
  }
};

const Row kRows[] = {
    {"", "Transpose", 1, make<Transpose>}, {"", "Expand", 8, make<Expand>}, {"", "Slice", 1, make<Slice>},
    {"", "Concat", 4, make<Concat>},       {"", "Split", 1, make<Split>},   {"", "Gather", 1, make<Gather>},
};

}  // namespace

Table move_rows() { return kRows; }

}  // namespace onnxlet::gpu
