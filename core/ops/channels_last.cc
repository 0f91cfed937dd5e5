#include "ops/channels_last.h"

#include "kernels/move.h"
#include "ops/run.h"

namespace onnxlet {
namespace {

// With the channels moved from the end to axis 1, or back.
Result<Tensor> turn(const Tensor& x, bool to_last, Pool& pool) {
  const int rank = x.rank();
  if (rank < 3) return run_failed("a tensor of rank 3 or more (batch, space, channels) is needed; got ", x.shape());
  const Shape& s = x.shape();
  Shape shape{s[0]};
  if (!to_last) shape.push_back(s.back());
  for (int i = to_last ? 2 : 1; i < rank - (to_last ? 0 : 1); ++i) shape.push_back(s[i]);
  if (to_last) shape.push_back(s[1]);
  OL_ASSIGN(Tensor y, Tensor::allocate(pool, x.dtype(), shape));
  static constexpr int kSwap[] = {0, 2, 1};
  const Shape view = to_last ? Shape{s[0], s[1], s.product(2, rank)} : Shape{s[0], s.product(1, rank - 1), s.back()};
  permute(x.dtype(), x.raw(), view, kSwap, y.mutable_raw());
  return y;
}

}  // namespace

Status run_channels_last(OpContext& ctx, const Op& inner, std::span<const int> turned) {
  std::vector<Value> own(turned.size());
  std::vector<const Value*> inputs;
  for (int i = 0; i < ctx.input_count(); ++i) inputs.push_back(&ctx.value(i));
  for (size_t k = 0; k < turned.size(); ++k) {
    const int i = turned[k];
    if (!ctx.has(i)) continue;
    OL_ASSIGN(Tensor t, turn(ctx.in(i), false, ctx.pool()));
    own[k] = Value(std::move(t));
    inputs[static_cast<size_t>(i)] = &own[k];
  }
  const std::vector<Value*> none(inputs.size(), nullptr);
  const auto wanted = std::make_unique<bool[]>(static_cast<size_t>(ctx.output_count()));
  for (int i = 0; i < ctx.output_count(); ++i) wanted[static_cast<size_t>(i)] = ctx.wants(i);
  const OpRow row{"", 1, nullptr};
  uint64_t random = 0;
  std::vector<Value> results;
  const char* kernel = nullptr;
  const OpCall call{&inner,      &row,   nullptr, inputs, none, {wanted.get(), static_cast<size_t>(ctx.output_count())},
                    &ctx.pool(), &random};
  OL_TRY(run_op(call, &results, &kernel));
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].present()) continue;
    OL_ASSIGN(Tensor t, turn(results[i].tensor(), true, ctx.pool()));
    ctx.set(static_cast<int>(i), Value(std::move(t)));
  }
  if (kernel) ctx.set_kernel(kernel);
  return {};
}

}  // namespace onnxlet
