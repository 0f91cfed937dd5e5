// BatchNormalization, InstanceNormalization and LRN: normalizations over [batch, channels, space].
#include <cmath>

#include "base/visit.h"
#include "kernels/channel_norm.h"
#include "ops/float_io.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// Any operand as T (float or double), its own bytes or a converted copy: scale and statistics may have another type
// than X.
template <class T>
Result<const T*> operand(OpContext& ctx, const Tensor& t) {
  if (t.dtype() == dtype_of<T>) return t.data<T>();
  OL_ASSIGN(T * copy, ctx.scratch_of<T>(t.size()));
  OL_TRY((visit<Ieee, Halves>(t.dtype(), [&]<class S>() -> Status {
    for (int64_t i = 0; i < t.size(); ++i) {
      if constexpr (std::is_same_v<S, double>) {
        copy[i] = static_cast<T>(t.data<S>()[i]);
      } else {
        copy[i] = static_cast<T>(static_cast<float>(t.data<S>()[i]));
      }
    }
    return {};
  })));
  return static_cast<const T*>(copy);
}

template <class T>
Status store(OpContext& ctx, int output, DType dtype, const Shape& shape, const T* values) {
  OL_ASSIGN(Tensor * t, ctx.out(output, dtype, shape));
  return visit<Ieee, Halves>(dtype, [&]<class D>() -> Status {
    for (int64_t i = 0; i < t->size(); ++i) {
      if constexpr (std::is_same_v<D, double>) {
        t->template mutable_data<D>()[i] = static_cast<D>(values[i]);
      } else {
        t->template mutable_data<D>()[i] = D(static_cast<float>(values[i]));
      }
    }
    return {};
  });
}

// Where the result is written: the output itself when it has type T, else work memory that finish() rounds from.
template <class T>
struct Destination {
  Tensor* tensor = nullptr;
  T* data = nullptr;

  static Result<Destination> make(OpContext& ctx, DType dtype, const Shape& shape) {
    Destination d;
    OL_ASSIGN(d.tensor, ctx.out(0, dtype, shape));
    if (dtype == dtype_of<T>) {
      d.data = d.tensor->template mutable_data<T>();
    } else {
      OL_ASSIGN(d.data, ctx.scratch_of<T>(d.tensor->size()));
    }
    return d;
  }
  void finish() {
    if constexpr (std::is_same_v<T, float>) {
      if (tensor->dtype() != DType::kFloat) narrow(data, tensor->size(), tensor->dtype(), tensor->mutable_raw());
    }
  }
};

// Operators of this file work in double or in float: Derived has run_as<T>.
template <class Derived>
struct RealOp : Op {
  Status run(OpContext& ctx) const override {
    const Derived& op = *static_cast<const Derived*>(this);
    return ctx.in(0).dtype() == DType::kDouble ? op.template run_as<double>(ctx) : op.template run_as<float>(ctx);
  }
};

struct BatchNormalization : RealOp<BatchNormalization> {
  float epsilon, momentum;
  bool training, spatial, channels_last;
  int version;

  Status init(Attrs& a) {
    epsilon = a.f("epsilon", 1e-5f);
    momentum = a.f("momentum", 0.9f);
    spatial = a.since_version() >= 9 || a.i("spatial", 1) != 0;
    version = a.since_version();
    channels_last = a.channels_last();
    a.ignore("is_test");
    a.ignore("consumed_inputs");
    // Before opset 14 the outputs asked for say which mode is meant.
    training = version >= 14 ? a.i("training_mode") != 0 : false;
    if (version < 14) {
      for (int i = 1; i < a.output_count(); ++i) training = training || a.output_used(i);
    }
    return {};
  }

  template <class T>
  Status run_as(OpContext& ctx) const {
    const Tensor& x = ctx.in(0);
    const Shape& s = x.shape();
    // X of rank 1 is a batch with one channel.
    int64_t outer = s.rank() > 0 ? s[0] : 1;
    int64_t channels = s.rank() > 1 ? s[1] : 1, inner = s.product(std::min(2, s.rank()), s.rank());
    if (!spatial) {
      channels *= inner;
      inner = 1;
    }
    if (channels_last) {
      if (training || !spatial) return not_implemented("this form with the channels last");
      channels = s.back();
      outer = s.product(0, s.rank() - 1);
      inner = 1;
    }
    const T* parameter[5] = {};
    for (int i = 1; i < 5; ++i) {
      if (ctx.in(i).size() != channels) {
        return run_failed("scale, B, mean and var need one value per channel; input ", i, " is ", ctx.in(i).shape(),
                          ", X is ", s);
      }
      OL_ASSIGN(parameter[i], operand<T>(ctx, ctx.in(i)));
    }
    OL_ASSIGN(const T* data, operand<T>(ctx, x));
    const T *mean = parameter[3], *variance = parameter[4];
    if (training) {
      OL_ASSIGN(T * batch, ctx.scratch_of<T>(4 * channels));
      T* running = batch + 2 * channels;
      channel_moments(outer, channels, inner, data, batch, batch + channels);
      for (int64_t c = 0; c < 2 * channels; ++c) {
        const T old = c < channels ? mean[c] : variance[c - channels];
        running[c] = old * static_cast<T>(momentum) + batch[c] * (1 - static_cast<T>(momentum));
      }
      const T* outputs[] = {running, running + channels, batch, batch + channels};
      for (int i = 1; i < ctx.output_count() && i < 5; ++i) {
        OL_TRY(store(ctx, i, ctx.in(3 + (i - 1) % 2).dtype(), ctx.in(3).shape(), outputs[i - 1]));
      }
      mean = batch;
      variance = batch + channels;
    }
    OL_ASSIGN(T * factor, ctx.scratch_of<T>(channels));
    for (int64_t c = 0; c < channels; ++c) {
      factor[c] =
          static_cast<T>(parameter[1][c] / std::sqrt(static_cast<double>(variance[c]) + static_cast<double>(epsilon)));
    }
    OL_ASSIGN(Destination<T> y, (Destination<T>::make(ctx, x.dtype(), s)));
    channel_affine(outer, channels, inner, data, mean, factor, parameter[2], y.data);
    y.finish();
    return {};
  }
};

struct InstanceNormalization : RealOp<InstanceNormalization> {
  float epsilon;

  Status init(Attrs& a) {
    epsilon = a.f("epsilon", 1e-5f);
    a.ignore("consumed_inputs");
    return {};
  }
  template <class T>
  Status run_as(OpContext& ctx) const {
    const Tensor& x = ctx.in(0);
    const Shape& s = x.shape();
    if (s.rank() < 3) return run_failed("the input needs batch, channels and at least one spatial axis; got ", s);
    const int64_t channels = s[1], planes = s[0] * channels, inner = s.product(2, s.rank());
    if (ctx.in(1).size() != channels || ctx.in(2).size() != channels) {
      return run_failed("scale and B need one value per channel; got ", ctx.in(1).shape(), " and ", ctx.in(2).shape(),
                        " for input ", s);
    }
    OL_ASSIGN(const T* data, operand<T>(ctx, x));
    OL_ASSIGN(const T* scale, operand<T>(ctx, ctx.in(1)));
    OL_ASSIGN(const T* bias, operand<T>(ctx, ctx.in(2)));
    OL_ASSIGN(T * mean, ctx.scratch_of<T>(3 * planes));
    T *factor = mean + planes, *shift = factor + planes;
    // Every plane is a channel of its own here.
    channel_moments<T>(1, planes, inner, data, mean, factor);
    for (int64_t p = 0; p < planes; ++p) {
      factor[p] = static_cast<T>(scale[p % channels] /
                                 std::sqrt(static_cast<double>(factor[p]) + static_cast<double>(epsilon)));
      shift[p] = bias[p % channels];
    }
    OL_ASSIGN(Destination<T> y, (Destination<T>::make(ctx, x.dtype(), s)));
    channel_affine<T>(1, planes, inner, data, mean, factor, shift, y.data);
    y.finish();
    return {};
  }
};

struct Lrn : RealOp<Lrn> {
  float alpha, beta, bias;
  int64_t size;

  Status init(Attrs& a) {
    alpha = a.f("alpha", 1e-4f);
    beta = a.f("beta", 0.75f);
    bias = a.f("bias", 1);
    size = a.i("size");
    if (size < 1) return invalid_graph("size must be at least 1; got ", size);
    return {};
  }
  template <class T>
  Status run_as(OpContext& ctx) const {
    const Tensor& x = ctx.in(0);
    const Shape& s = x.shape();
    if (s.rank() < 2) return run_failed("the input needs batch and channels; got ", s);
    OL_ASSIGN(const T* data, operand<T>(ctx, x));
    OL_ASSIGN(Destination<T> y, (Destination<T>::make(ctx, x.dtype(), s)));
    local_response(s[0], s[1], s.product(2, s.rank()), data, y.data, size, alpha, beta, bias);
    y.finish();
    return {};
  }
};

const OpRow kRows[] = {
    {"BatchNormalization", 1, make<BatchNormalization>, kInPlace | kChannelsLast},
    {"InstanceNormalization", 1, make<InstanceNormalization>, kInPlace},
    {"LRN", 1, make<Lrn>},
};

}  // namespace

extern const OpTable kBatchNormOps{"", kRows};

}  // namespace onnxlet
