// Operators whose elements only change place: pick.wgsl, and copy.wgsl for those that fill an output part by part.
#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/parts.h"

namespace onnxlet::gpu {

std::string_view mover(DType t) {
  switch (dtype_bits(t)) {
    case 4:
      return "u4";
    case 8:
      return "u8";
    case 16:
      return "u16";
    case 32:
      return "u32";
    case 64:
      return "u64";
    default:
      return {};
  }
}

void pick(Context& ctx, DType t, Pick what, DeviceBufferPtr from, DeviceBufferPtr to, int64_t count) {
  std::vector<DeviceBufferPtr> buffers{std::move(from)};
  buffers.insert(buffers.end(), what.others.begin(), what.others.end());
  buffers.push_back(std::move(to));
  ctx.dispatch(what.shader.set("O", mover(t)), buffers, what.uniforms, invocations_for(t, count));
}

Result<Answer> pick_output(Context& ctx, const Shape& shape, Pick what, int from, int to) {
  const DType t = ctx.in(from).dtype();
  if (mover(t).empty() || shape.size() == 0) return Answer::kDeclined;
  OL_ASSIGN(DeviceBufferPtr out, ctx.out(to, t, shape));
  pick(ctx, t, std::move(what), ctx.buffer(from), std::move(out), shape.size());
  return Answer::kDone;
}

namespace {
constexpr int kMostDims = 8;
}  // namespace

std::optional<Pick> strided(const Shape& dims, const Shape& strides, int64_t from) {
  Shape walk = dims, walked[] = {strides};
  collapse_dims(&walk, walked);
  if (walk.rank() > kMostDims) return {};
  Pick what{Shader("pick").set("KIND", "strided")};
  what.uniforms.u(dims.size()).u(walk.rank()).u(from).u(0).u(0).dims(walk, 2).dims(walked[0], 2);
  return what;
}

namespace {

// An output, in its own order, from input 0 with these strides; its shape, where that is not the walk's.
Result<Answer> copied(Context& ctx, const Shape& walk, const Shape& strides, int64_t from = 0, int to = 0,
                      const Shape* shape = nullptr) {
  std::optional<Pick> what = strided(walk, strides, from);
  if (!what) return Answer::kDeclined;
  return pick_output(ctx, shape != nullptr ? *shape : walk, std::move(*what), 0, to);
}

// Output 0 from input 0 within a frame: for each axis, where it begins and how much of it is seen, and how much of the
// output lies before that.
struct Frame {
  std::string_view mode;
  Shape shape, lengths, before;
  int64_t from = 0;
  uint32_t fill[2] = {};
};
Result<Answer> framed(Context& ctx, const Frame& f) {
  if (f.shape.rank() > kMostDims) return Answer::kDeclined;
  Pick what{Shader("pick").set("KIND", "frame").set("MODE", f.mode)};
  what.uniforms.u(f.shape.size()).u(f.shape.rank()).u(f.from).u(f.fill[0]).u(f.fill[1]);
  what.uniforms.dims(f.shape, 2).dims(ctx.in(0).shape().strides(), 2).dims(f.lengths, 2).dims(f.before, 2);
  return pick_output(ctx, f.shape, std::move(what));
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
  Result<Answer> run(Context& ctx) const override {
    if (!ctx.is_here(1)) return Answer::kDeclined;
    OL_ASSIGN(const auto dims, to_ints(ctx.in(1), "shape"));
    Shape shape;
    if (dims.size() > kMostDims || !broadcast_shapes(ctx.in(0).shape(), Shape(dims), &shape)) return Answer::kDeclined;
    return copied(ctx, shape, broadcast_strides(ctx.in(0).shape(), shape));
  }
};

struct Slice : Kernel {
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
      if (axis < 0 || axis >= x.rank() || i >= ends.size() || step == 0 || std::abs(step) > INT32_MAX) {
        return Answer::kDeclined;
      }
      const int at = static_cast<int>(axis);
      const int64_t back = step < 0 ? 1 : 0;
      const auto inside = [&](int64_t v, int64_t low) {
        return std::clamp<int64_t>(v < 0 ? v + x[at] : v, low, x[at] - back);
      };
      const int64_t first = inside(starts[i], 0), end = inside(ends[i], -back), size = std::abs(step);
      shape[at] = std::max<int64_t>(0, ((end - first) * (step / size) + size - 1) / size);
      from += first * x.strides()[at];
      strides[at] = x.strides()[at] * step;
    }
    return copied(ctx, shape, strides, from);
  }
};

// to[index * to_strides] = from[index * from_strides] for every index in `dims`.
struct Copy {
  Shape dims, from_strides, to_strides;
  int64_t to = 0;
};
// Parts of an output, whose elements do not share words. False: there are too many axes.
bool copy(Context& ctx, DType dtype, const DeviceBufferPtr& from, const DeviceBufferPtr& to, const Copy& what) {
  Shape dims = what.dims;
  Shape strides[] = {what.from_strides, what.to_strides};
  const int64_t count = dims.size();
  collapse_dims(&dims, strides);
  if (dims.rank() > kMostDims) return false;
  Uniforms u;
  u.u(count).u(dims.rank()).u(0).u(what.to).dims(dims, 2).dims(strides[0], 2).dims(strides[1], 2);
  const DeviceBufferPtr buffers[] = {from, to};
  ctx.dispatch(Shader("copy").set("ELEMENT", mover(dtype)), buffers, u, count);
  return true;
}

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
    if (element_size(t) < 4 || mover(t).empty() || at < 0 || at >= shape.rank()) return Answer::kDeclined;
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
      if (!copy(ctx, t, ctx.buffer(i), out, {part, part.strides(), shape.strides(), to})) return Answer::kDeclined;
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
    if (at < 0 || at >= x.rank() || (ctx.has(1) && !ctx.is_here(1))) {
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
      OL_ASSIGN(const Answer answer, copied(ctx, shape, x.shape().strides(), from, i));
      if (answer == Answer::kDeclined) return answer;
      from += shape[ax] * x.shape().strides()[ax];
    }
    return Answer::kDone;
  }
};

struct Tile : Kernel {
  Result<Answer> run(Context& ctx) const override {
    const Shape& x = ctx.in(0).shape();
    if (!ctx.is_here(1)) return Answer::kDeclined;
    OL_ASSIGN(const auto repeats, to_ints(ctx.in(1), "repeats"));
    if (static_cast<int>(repeats.size()) != x.rank()) return Answer::kDeclined;
    Frame f{"wrap", x, x, Shape::filled(x.rank(), 0)};
    for (int i = 0; i < x.rank(); ++i) f.shape[i] *= repeats[static_cast<size_t>(i)];
    return framed(ctx, f);
  }
};

struct Pad : Kernel {
  std::string_view mode;
  Status init(Attrs& a) {
    mode = a.s("mode", "constant");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (!ctx.is_here(1) || (ctx.has(3) && !ctx.is_here(3))) return Answer::kDeclined;
    OL_ASSIGN(const auto pads, to_ints(ctx.in(1), "pads"));
    std::vector<int64_t> axes;
    for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
    if (ctx.has(3)) {
      OL_ASSIGN(axes, to_ints(ctx.in(3), "axes"));
    }
    if (pads.size() != 2 * axes.size()) return Answer::kDeclined;
    Frame f{mode, x.shape(), x.shape(), Shape::filled(x.rank(), 0)};
    for (size_t i = 0; i < axes.size(); ++i) {
      OL_ASSIGN(const int axis, normalize_axis(axes[i], x.rank()));
      const int64_t before = pads[i], after = pads[i + axes.size()], crop = std::max<int64_t>(0, -before);
      if (std::max(std::abs(before), std::abs(after)) > INT32_MAX) return Answer::kDeclined;
      f.shape[axis] = x.dim(axis) + before + after;
      f.lengths[axis] = x.dim(axis) - crop - std::max<int64_t>(0, -after);
      f.before[axis] = before + crop;
      f.from += crop * x.shape().strides()[axis];
      if (f.lengths[axis] <= 0) return Answer::kDeclined;
    }
    if (const Tensor* value = ctx.opt(2); value != nullptr && mode == "constant") {
      if (!ctx.is_here(2) || value->dtype() != x.dtype() || value->size() != 1) return Answer::kDeclined;
      std::memcpy(f.fill, value->raw(), std::min<size_t>(value->bytes(), sizeof(f.fill)));
    }
    return framed(ctx, f);
  }
};

struct Trilu : Kernel {
  bool upper = true;
  Status init(Attrs& a) {
    upper = a.i("upper", 1) != 0;
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& x = ctx.in(0).shape();
    int64_t shift = 0;
    if (x.rank() < 2 || (ctx.has(1) && !ctx.is_here(1))) return Answer::kDeclined;
    if (ctx.has(1)) {
      OL_ASSIGN(shift, to_int(ctx.in(1), "k"));
    }
    const int64_t rows = x[x.rank() - 2], columns = x.back();
    Pick what{Shader("pick").set("KIND", "triangle").set("UPPER", upper)};
    what.uniforms.u(x.size()).u(columns).u(rows).u(0).u(std::clamp(shift, -rows, columns));
    return pick_output(ctx, x, std::move(what));
  }
};

// DepthToSpace and SpaceToDepth: the input seen with six axes, which change places.
struct Blocks : Kernel {
  int64_t block = 1;
  bool to_depth = false, column_first = false;

  Status init(Attrs& a) {
    to_depth = a.op_type() == "SpaceToDepth";
    block = a.i("blocksize");
    column_first = a.s("mode", "DCR") == "CRD";
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Shape& x = ctx.in(0).shape();
    const int64_t square = block * block;
    if (x.rank() != 4 || block < 1 || block > INT16_MAX ||
        (to_depth ? x[2] % block != 0 || x[3] % block != 0 : x[1] % square != 0)) {
      return Answer::kDeclined;
    }
    static constexpr std::array<int, 6> kOrders[2][2] = {{{0, 3, 4, 1, 5, 2}, {0, 1, 4, 2, 5, 3}},
                                                         {{0, 3, 5, 1, 2, 4}, {0, 1, 3, 5, 2, 4}}};
    const Shape deep = column_first ? Shape{x[0], x[1] / square, block, block, x[2], x[3]}
                                    : Shape{x[0], block, block, x[1] / square, x[2], x[3]};
    const Shape seen = to_depth ? Shape{x[0], x[1], x[2] / block, block, x[3] / block, block} : deep;
    const Shape strides = seen.strides();
    Shape walked, dims;
    for (const int axis : kOrders[to_depth][column_first]) {
      dims.push_back(seen[axis]);
      walked.push_back(strides[axis]);
    }
    const Shape shape = to_depth ? Shape{x[0], x[1] * square, x[2] / block, x[3] / block}
                                 : Shape{x[0], x[1] / square, x[2] * block, x[3] * block};
    return copied(ctx, dims, walked, 0, 0, &shape);
  }
};

const Row kRows[] = {
    {"", "Transpose", 1, make<Transpose>},
    {"", "Expand", 8, make<Expand>},
    {"", "Slice", 1, make<Slice>},
    {"", "Concat", 4, make<Concat>},
    {"", "Split", 1, make<Split>},
    {"", "Tile", 6, make<Tile>},
    {"", "Pad", 1, make<Pad>},
    {"", "Trilu", 14, make<Trilu>},
    {"", "DepthToSpace", 1, make<Blocks>},
    {"", "SpaceToDepth", 1, make<Blocks>},
};

}  // namespace

Table move_rows() { return kRows; }

}  // namespace onnxlet::gpu
