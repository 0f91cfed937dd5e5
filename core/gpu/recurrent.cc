// RNN, GRU and LSTM: the products of X for all steps by matmul.wgsl, then a step after the other by recurrent.wgsl.
#include "ops/recurrent.h"

#include <algorithm>

#include "gpu/attention_parts.h"

namespace onnxlet::gpu {
namespace {

constexpr int64_t kLanes =
    16;  // invocations that share the products of a unit, where a processor does not play the GPU

// In the shader, in the order of Activation::Kind.
constexpr std::string_view kActivations[] = {"relu",       "tanh_by",          "sigmoid_by",  "affine",
                                             "leaky_relu", "thresholded_relu", "scaled_tanh", "hard_sigmoid",
                                             "elu",        "softsign",         "softplus_by"};

bool same(const Activation& a, const Activation& b) {
  return a.kind == b.kind && a.alpha == b.alpha && a.beta == b.beta;
}

struct Sizes {
  int64_t length, batch, input, hidden, directions;

  int64_t rows() const { return directions * batch; }
};

// Between steps, directions and sequences.
struct Strides {
  int64_t step = 0, direction = 0, sequence = 0;
};

struct Recurrent : Kernel {
  RecurrentSpec spec;

  Status init(Attrs& a) {
    OL_ASSIGN(spec, read_recurrent(a, a.op_type()));
    return {};
  }

  bool is_lstm() const { return spec.gates == 4; }
  bool in_two() const { return spec.gates == 3 && !spec.linear_before_reset; }  // dispatches of a step
  int64_t parts() const { return is_lstm() || in_two() ? 2 : 1; }               // of a row of the trace

  // None where the shapes are wrong, which the CPU explains, or the form has no shader.
  std::optional<Sizes> sizes(const Context& ctx) const {
    const CellSpec &a = spec.cells[0], &b = spec.cells[spec.directions - 1];
    const Tensor &x = ctx.in(0), &r = ctx.in(2);
    if (!floats(ctx, {0, 1, 2, 3, 5, 6, 7}) || !same(a.f, b.f) || !same(a.g, b.g) || !same(a.h, b.h) || x.rank() != 3 ||
        r.rank() != 3) {
      return {};
    }
    const int64_t batch = x.dim(spec.batch_first ? 0 : 1), hidden = r.dim(2);
    const Sizes s{x.dim(spec.batch_first ? 1 : 0), batch, x.dim(2), hidden, spec.directions};
    const int64_t n = spec.gates * hidden;
    const auto has_size = [&](int i, int64_t count) { return !ctx.has(i) || ctx.in(i).size() == count; };
    if (!has_shape(ctx.in(1), {s.directions, n, s.input}) || !has_shape(r, {s.directions, n, hidden}) ||
        !has_size(3, s.directions * 2 * n) || !has_size(5, s.rows() * hidden) || !has_size(6, s.rows() * hidden) ||
        !has_size(7, s.directions * 3 * hidden) || !can_take_lengths(ctx, s)) {
      return {};
    }
    return s;
  }
  static bool can_take_lengths(const Context& ctx, const Sizes& s) {
    if (!ctx.has(4)) return true;
    const Tensor& t = ctx.in(4);
    if (!ctx.is_here(4) || t.dtype() != DType::kInt32 || t.size() != s.batch) return false;
    const auto* given = t.data<int32_t>();
    return std::all_of(given, given + s.batch, [&](int32_t steps) { return steps >= 0 && steps <= s.length; });
  }

  // Of initial and last states.
  Strides state_strides(const Sizes& s) const {
    return spec.batch_first ? Strides{0, s.hidden, s.directions * s.hidden} : Strides{0, s.batch * s.hidden, s.hidden};
  }
  Shape state_shape(const Sizes& s) const {
    return spec.batch_first ? Shape{s.batch, s.directions, s.hidden} : Shape{s.directions, s.batch, s.hidden};
  }

  Uniforms uniforms(const Sizes& s, int64_t count, const Strides& by, int64_t step = 0) const {
    const int64_t reversed = (spec.reverse_first ? 1 : 0) + (s.directions == 2 ? 2 : 0);
    const CellSpec& cell = spec.cells[0];
    Uniforms u;
    u.u(count).u(s.hidden).u(s.batch).u(s.rows()).u(s.length).u(step).u(reversed);
    u.u(by.step).u(by.direction).u(by.sequence).f(cell.clip).u(0);
    for (const Activation* f : {&cell.f, &cell.g, &cell.h}) u.f(f->alpha).f(f->beta);
    return u;
  }

  Result<Answer> run(Context& ctx) const override {
    const std::optional<Sizes> found = sizes(ctx);
    if (!found) return Answer::kDeclined;
    const Sizes& s = *found;
    const int64_t n = spec.gates * s.hidden;
    OL_ASSIGN(DeviceBufferPtr projected, scratch(ctx, s.rows() * s.length * n));
    OL_ASSIGN(DeviceBufferPtr trace, scratch(ctx, (s.length + 1) * s.rows() * parts() * s.hidden));
    Product x;
    x.shape.m = s.length * s.batch;
    x.shape.n = n;
    x.shape.k = x.shape.a_row = x.shape.b_col = s.input;
    x.shape.a_col = x.shape.b_row = 1;
    x.shape.out = Shape{s.directions, s.length * s.batch, n};
    x.shape.batch = Shape{s.directions};
    x.shape.a_batch = Shape{0};
    x.shape.b_batch = Shape{n * s.input};
    OL_ASSIGN(const Answer answer, multiply(ctx, std::move(x), projected));
    if (answer == Answer::kDeclined) return answer;
    begin(ctx, s, trace);
    run_steps(ctx, s, projected, trace);
    OL_TRY(finish(ctx, s, trace));
    return Answer::kDone;
  }

  static Result<DeviceBufferPtr> scratch(Context& ctx, int64_t floats) {
    const uint64_t bytes = static_cast<uint64_t>(floats) * sizeof(float);
    if (bytes > ctx.max_buffer()) {
      return not_implemented("its steps need ", bytes, " bytes; the device's largest buffer has ", ctx.max_buffer());
    }
    return ctx.scratch(bytes);
  }

  void begin(Context& ctx, const Sizes& s, const DeviceBufferPtr& trace) const {
    Shader shader("recurrent");
    shader.set("KIND", "begin").set("PARTS", parts()).set("INITIAL_H", ctx.has(5)).set("INITIAL_C", ctx.has(6));
    std::vector<DeviceBufferPtr> buffers;
    for (const int i : {5, 6}) {
      if (ctx.has(i)) buffers.push_back(ctx.buffer(i));
    }
    buffers.push_back(trace);
    const int64_t count = s.rows() * parts() * s.hidden;
    ctx.dispatch(shader, buffers, uniforms(s, count, state_strides(s)), count);
  }

  void run_steps(Context& ctx, const Sizes& s, const DeviceBufferPtr& projected, const DeviceBufferPtr& trace) const {
    std::vector<DeviceBufferPtr> buffers{projected, ctx.buffer(2)};
    for (const int i : {3, 7, 4}) {
      if (ctx.has(i)) buffers.push_back(ctx.buffer(i));
    }
    buffers.push_back(trace);
    const Strides by = spec.batch_first ? Strides{1, 0, s.length} : Strides{s.batch, 0, 1};
    const int64_t lanes = ctx.on_processor() ? 1 : kLanes, units = s.rows() * s.hidden;
    const auto step_shader = [&](std::string_view kind, int64_t first, int64_t products) {
      const CellSpec& cell = spec.cells[0];
      Shader shader("recurrent");
      shader.set("KIND", kind).set("PARTS", parts()).set("FIRST", first).set("PRODUCTS", products);
      shader.set("STEP", s.hidden % 4 == 0 ? 4 : 1).set("LANES", lanes).set("BIAS", ctx.has(3));
      shader.set("LENGTHS", ctx.has(4)).set("PEEPHOLE", ctx.has(7)).set("CLIP", cell.clip > 0);
      shader.set("COUPLED", cell.input_forget).set("F", kActivations[cell.f.kind]);
      return shader.set("G", kActivations[cell.g.kind]).set("H", kActivations[cell.h.kind]);
    };
    std::vector<Shader> shaders;
    if (in_two()) {
      shaders = {step_shader("reset", 0, 2), step_shader("update", 2, 1)};
    } else {
      shaders = {step_shader(is_lstm() ? "lstm" : spec.gates == 3 ? "linear" : "rnn", 0, spec.gates)};
    }
    ctx.set_name(shaders[0]);
    for (int64_t step = 0; step < s.length; ++step) {
      const Uniforms u = uniforms(s, units, by, step);
      for (const Shader& shader : shaders) ctx.dispatch(shader, buffers, u, units * lanes);
    }
  }

  Status finish(Context& ctx, const Sizes& s, const DeviceBufferPtr& trace) const {
    const auto write = [&](int output, const Shape& shape, const Strides& by, Shader& shader) -> Status {
      OL_ASSIGN(DeviceBufferPtr y, ctx.out(output, DType::kFloat, shape));
      std::vector<DeviceBufferPtr> buffers{trace};
      if (output == 0 && ctx.has(4)) buffers.push_back(ctx.buffer(4));
      buffers.push_back(std::move(y));
      ctx.dispatch(shader.set("PARTS", parts()), buffers, uniforms(s, shape.size(), by), shape.size());
      return {};
    };
    if (ctx.wants(0)) {
      const int64_t row = s.directions * s.hidden;
      const bool first = spec.batch_first;
      const Shape shape =
          first ? Shape{s.batch, s.length, s.directions, s.hidden} : Shape{s.length, s.directions, s.batch, s.hidden};
      const Strides by =
          first ? Strides{row, s.hidden, s.length * row} : Strides{s.batch * row, s.batch * s.hidden, s.hidden};
      OL_TRY(write(0, shape, by, Shader("recurrent").set("KIND", "sequence").set("LENGTHS", ctx.has(4))));
    }
    for (const int part : {0, 1}) {
      if (!ctx.wants(part + 1)) continue;
      Shader shader("recurrent");
      OL_TRY(write(part + 1, state_shape(s), state_strides(s), shader.set("KIND", "final").set("PART", part)));
    }
    return {};
  }
};

const Row kRows[] = {
    {"", "RNN", 1, make<Recurrent>},
    {"", "GRU", 1, make<Recurrent>},
    {"", "LSTM", 1, make<Recurrent>},
};

}  // namespace

Table recurrent_rows() { return kRows; }

}  // namespace onnxlet::gpu
