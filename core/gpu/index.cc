// Operators with indices: pick.wgsl, and scatter.wgsl. Where the indices are here, the CPU's rule for those outside is
// kept: it is asked to report them. Where they are not, they are brought.
#include <algorithm>

#include "gpu/parts.h"
#include "kernels/scatter.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kMostInOrder = 4096;  // updates that an invocation goes through

bool is_index(DType t) { return t == DType::kInt32 || t == DType::kInt64; }
int64_t index_at(const Tensor& indices, int64_t i) {
  return indices.dtype() == DType::kInt32 ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
}
bool inside(const Tensor& indices, int64_t n) {
  for (int64_t i = 0; i < indices.size(); ++i) {
    if (const int64_t v = index_at(indices, i); v < -n || v >= n) return false;
  }
  return true;
}

}  // namespace

bool can_gather(const Context& ctx, int indices, int64_t n) {
  return ctx.is_here(indices) && is_index(ctx.in(indices).dtype()) && inside(ctx.in(indices), n);
}

Pick gathered(const Rows& rows, const Operand& indices) {
  const int64_t count = indices.shape.size();
  Pick what{Shader("pick").set("KIND", "gather").set("I", wgsl_type(indices.dtype)), {indices.buffer}};
  what.uniforms.u(rows.outer * count * rows.inner).u(rows.n).u(rows.inner).u(count).u(0);
  return what;
}

namespace {

using Places = std::vector<int64_t>;

Result<DeviceBufferPtr> upload(Context& ctx, const Places& places) {
  OL_ASSIGN(Tensor table, Tensor::workspace(ctx.pool(), places.size() * sizeof(uint32_t)));
  std::copy(places.begin(), places.end(), table.mutable_data<uint32_t>());
  return ctx.upload(std::move(table));
}

// Places in `data` of the elements that indices along an axis mean. None where the CPU would refuse them.
Places element_places(const Shape& data, int axis, const Tensor& indices) {
  Places places;
  if (indices.rank() != data.rank() || !inside(indices, data[axis])) return places;
  for (int i = 0; i < data.rank(); ++i) {
    if (i != axis && indices.dim(i) > data[i]) return places;
  }
  for (int64_t i = 0; i < indices.size(); ++i) {
    const int64_t v = index_at(indices, i);
    places.push_back(v < 0 ? v + data[axis] : v);
  }
  scatter_offsets(data, axis, indices.shape(), places.data());
  return places;
}

// Places in `data` of the runs that the last axis of indices means, behind `batch` axes that both have.
Places run_places(const Shape& data, const Tensor& indices, int batch) {
  Places places;
  const int k = static_cast<int>(indices.shape().back());
  const Shape strides = data.strides();
  const int64_t count = indices.size() / k, batches = data.product(0, batch);
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = i / (count / batches) * data.product(batch, data.rank());
    for (int j = 0; j < k; ++j) {
      const int64_t n = data[batch + j], v = index_at(indices, i * k + j);
      if (v < -n || v >= n) return {};
      place += (v < 0 ? v + n : v) * strides[batch + j];
    }
    places.push_back(place);
  }
  return places;
}

Result<Answer> by_table(Context& ctx, const Shape& shape, const Places& places, int64_t run) {
  if (places.empty()) return Answer::kDeclined;
  Pick what{Shader("pick").set("KIND", "table")};
  OL_ASSIGN(DeviceBufferPtr table, upload(ctx, places));
  what.others = {std::move(table)};
  what.uniforms.u(shape.size()).u(0).u(run).u(0).u(0);
  return pick_output(ctx, shape, std::move(what));
}

struct Gather : Kernel {
  int64_t axis = 0;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    const int64_t at = axis < 0 ? axis + x.rank() : axis;
    if (at < 0 || at >= x.rank()) return Answer::kDeclined;
    const int ax = static_cast<int>(at);
    if (!can_gather(ctx, 1, x.dim(ax))) return Answer::kDeclined;
    Shape shape;
    for (int i = 0; i < ax; ++i) shape.push_back(x.dim(i));
    for (int i = 0; i < indices.rank(); ++i) shape.push_back(indices.dim(i));
    for (int i = ax + 1; i < x.rank(); ++i) shape.push_back(x.dim(i));
    return pick_output(ctx, shape, gathered(split_at(x.shape(), ax), operand(ctx, 1)));
  }
};

struct GatherElements : Kernel {
  int64_t axis = 0;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    if (!ctx.is_here(1) || !is_index(indices.dtype())) return Answer::kDeclined;
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    return by_table(ctx, indices.shape(), element_places(x.shape(), at, indices), 1);
  }
};

struct GatherND : Kernel {
  int64_t batch_dims = 0;

  Status init(Attrs& a) {
    batch_dims = a.i("batch_dims", 0);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    if (!ctx.is_here(1) || indices.dtype() != DType::kInt64 || indices.rank() < 1 || batch_dims < 0 ||
        batch_dims >= std::min(x.rank(), indices.rank()) || indices.shape().back() > x.rank() - batch_dims) {
      return Answer::kDeclined;
    }
    const int b = static_cast<int>(batch_dims), k = static_cast<int>(indices.shape().back());
    for (int i = 0; i < b; ++i) {
      if (x.dim(i) != indices.dim(i)) return Answer::kDeclined;
    }
    if (indices.rank() - 1 + x.rank() - b - k > Shape::kMaxRank) return Answer::kDeclined;
    Shape shape;
    for (int i = 0; i + 1 < indices.rank(); ++i) shape.push_back(indices.dim(i));
    for (int i = b + k; i < x.rank(); ++i) shape.push_back(x.dim(i));
    return by_table(ctx, shape, run_places(x.shape(), indices, b), x.shape().product(b + k, x.rank()));
  }
};

struct OneHot : Kernel {
  int64_t axis = -1;

  Status init(Attrs& a) {
    axis = a.i("axis", -1);
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor& indices = ctx.in(0);
    const std::string_view type = wgsl_type(indices.dtype());
    if (!ctx.is_here(1) || ctx.in(2).size() != 2 || type.empty() || indices.rank() == Shape::kMaxRank) {
      return Answer::kDeclined;
    }
    OL_ASSIGN(const double depth, to_double(ctx.in(1), "depth"));
    if (!(depth >= 1 && depth < INT32_MAX)) return Answer::kDeclined;
    OL_ASSIGN(const int at, normalize_axis(axis, indices.rank() + 1));
    Shape shape = indices.shape();
    shape.insert(at, static_cast<int64_t>(depth));
    const Rows rows = split_at(shape, at);
    Pick what{Shader("pick").set("KIND", "one_hot").set("I", type)};
    what.others = {ctx.buffer(0)};
    what.uniforms.u(shape.size()).u(rows.n).u(rows.inner).u(0).u(0);
    return pick_output(ctx, shape, std::move(what), 2);
  }
};

// Updates [outer, n, inner]; those of an index of outer and inner may mean one place, others not.
struct ScatterCall {
  std::string_view how;
  Rows updates;
  Places places;  // of runs of `run`
  int64_t run;
};
Result<Answer> scatter(Context& ctx, const ScatterCall& c, int updates) {
  const Tensor& x = ctx.in(0);
  const DType t = x.dtype();
  const bool is_wide = t == DType::kInt64 || t == DType::kUint64;
  const bool has_sums = is_wide || t == DType::kFloat || t == DType::kInt32 || t == DType::kUint32;
  const std::string_view type = c.how == "none" ? mover(t) : wgsl_type(t);
  if (c.places.empty() || element_size(t) < 4 || type.empty() || (c.how != "none" && !has_sums) ||
      c.updates.n > kMostInOrder) {
    return Answer::kDeclined;
  }
  OL_ASSIGN(DeviceBufferPtr out, ctx.out(0, t, x.shape()));
  ctx.commands().copy(*ctx.buffer(0), 0, *out, 0, x.bytes());
  Shader shader("scatter");
  shader.set("T", type).set("HOW", c.how).set("SIGNED", t == DType::kInt64 ? "true" : "false");
  const int64_t lines = c.updates.outer * c.updates.inner;
  OL_ASSIGN(DeviceBufferPtr table, upload(ctx, c.places));
  const DeviceBufferPtr buffers[] = {ctx.buffer(updates), std::move(table), std::move(out)};
  ctx.dispatch(shader, buffers, Uniforms().u(lines).u(c.updates.n).u(c.updates.inner).u(c.run), lines);
  return Answer::kDone;
}

bool has_twice(Places places) {
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

struct ScatterElements : Kernel {
  int64_t axis = 0;
  std::string_view how;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    how = a.s("reduction", "none");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    if (!ctx.is_here(1) || !is_index(indices.dtype()) || !(indices.shape() == ctx.in(2).shape()) || x.rank() < 1) {
      return Answer::kDeclined;
    }
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    return scatter(ctx, {how, split_at(indices.shape(), at), element_places(x.shape(), at, indices), 1}, 2);
  }
};

struct ScatterND : Kernel {
  std::string_view how;

  Status init(Attrs& a) {
    how = a.s("reduction", "none");
    return {};
  }
  Result<Answer> run(Context& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1), &updates = ctx.in(2);
    if (!ctx.is_here(1) || indices.rank() < 1 || indices.shape().back() > x.rank()) return Answer::kDeclined;
    const int k = static_cast<int>(indices.shape().back());
    const int64_t run = x.shape().product(k, x.rank());
    ScatterCall c{how, {}, run_places(x.shape(), indices, 0), run};
    const auto count = static_cast<int64_t>(c.places.size());
    if (updates.size() != count * run) return Answer::kDeclined;
    c.updates = has_twice(c.places) ? Rows{1, count, run} : Rows{count, 1, run};
    return scatter(ctx, c, 2);
  }
};

const Row kRows[] = {
    {"", "Gather", 1, make<Gather>},           {"", "GatherElements", 11, make<GatherElements>},
    {"", "GatherND", 11, make<GatherND>},      {"", "OneHot", 9, make<OneHot>},
    {"", "Scatter", 9, make<ScatterElements>}, {"", "ScatterElements", 11, make<ScatterElements>},
    {"", "ScatterND", 11, make<ScatterND>},
};

}  // namespace

Table index_rows() { return kRows; }

}  // namespace onnxlet::gpu
