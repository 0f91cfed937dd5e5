// Operators on [N, space..., C] that are otherwise those on [N, C, space...]: tensors are turned around them.
#pragma once

#include <array>

#include "ops/op.h"

namespace onnxlet {

// Runs `inner` with the inputs at `turned` as [N, C, space...]; each result becomes [N, space..., C].
Status run_channels_last(OpContext& ctx, const Op& inner, std::span<const int> turned);

template <class Inner, int... kTurned>
struct ChannelsLast : Op {
  Inner inner;

  Status init(Attrs& a) { return inner.init(a); }
  Status prepare(std::span<const Tensor> constants, Pool& pool) override { return inner.prepare(constants, pool); }
  Status run(OpContext& ctx) const override {
    static constexpr std::array kInputs{kTurned...};
    return run_channels_last(ctx, inner, kInputs);
  }
};

// For operators whose attribute says which layout they mean.
template <class Inner, int... kTurned>
Result<OpPtr> make_by_layout(Attrs& a) {
  return a.i("channels_last") != 0 ? make<ChannelsLast<Inner, kTurned...>>(a) : make<Inner>(a);
}

}  // namespace onnxlet
