// Gather, GatherElements, GatherND and their quantized relative: elements and slices picked by index.
#include "kernels/gather.h"

#include <algorithm>

#include "base/parallel.h"
#include "ops/as_float.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

struct Gather : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    std::vector<int64_t> dims(x.shape().begin(), x.shape().begin() + at);
    dims.insert(dims.end(), indices.shape().begin(), indices.shape().end());
    dims.insert(dims.end(), x.shape().begin() + at + 1, x.shape().end());
    OL_ASSIGN(const Shape shape, make_shape(dims));
    OL_ASSIGN(const int64_t* at_index, wrap_indices(ctx, indices, x.dim(at)));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    gather_rows(x.dtype(), x.raw(), split_at(x.shape(), at), at_index, indices.size(), y->mutable_raw());
    return {};
  }
};

struct GatherElements : Op {
  int64_t axis;

  Status init(Attrs& a) {
    axis = a.i("axis", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    OL_ASSIGN(const int at, normalize_axis(axis, x.rank()));
    if (indices.rank() != x.rank()) {
      return run_failed("indices must have the rank of data; they have ", indices.shape(), " and ", x.shape());
    }
    for (int i = 0; i < x.rank(); ++i) {
      if (i != at && indices.dim(i) > x.dim(i)) {
        return run_failed("indices ", indices.shape(), " reach beyond data ", x.shape(), " along axis ", i);
      }
    }
    OL_ASSIGN(const int64_t* at_index, wrap_indices(ctx, indices, x.dim(at)));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), indices.shape()));
    gather_elements(x.dtype(), x.raw(), x.shape(), at, at_index, indices.shape(), y->mutable_raw());
    return {};
  }
};

struct GatherND : Op {
  int64_t batch_dims;

  Status init(Attrs& a) {
    batch_dims = a.i("batch_dims", 0);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &x = ctx.in(0), &indices = ctx.in(1);
    if (indices.rank() < 1 || x.rank() < 1) return run_failed("data and indices need a rank of at least 1");
    if (batch_dims < 0 || batch_dims >= std::min(x.rank(), indices.rank())) {
      return run_failed("batch_dims ", batch_dims, " must be below the ranks of data ", x.shape(), " and indices ",
                        indices.shape());
    }
    const int b = static_cast<int>(batch_dims);
    if (indices.shape().back() > x.rank() - b) {
      return run_failed("the last axis of indices ", indices.shape(), " is longer than data ", x.shape(),
                        " has axes after batch_dims ", b);
    }
    const int k = static_cast<int>(indices.shape().back());
    for (int i = 0; i < b; ++i) {
      if (x.dim(i) != indices.dim(i)) {
        return run_failed("batch axes must agree: data ", x.shape(), ", indices ", indices.shape(), ", batch_dims ", b);
      }
    }
    std::vector<int64_t> dims(indices.shape().begin(), indices.shape().end() - 1);
    dims.insert(dims.end(), x.shape().begin() + b + k, x.shape().end());
    OL_ASSIGN(const Shape shape, make_shape(dims));
    const int64_t run = x.shape().product(b + k, x.rank());
    const int64_t count = indices.shape().product(0, indices.rank() - 1);
    OL_ASSIGN(int64_t* offsets, ctx.scratch_of<int64_t>(count));
    OL_TRY(slice_offsets(x.shape(), indices, b, offsets));
    OL_ASSIGN(Tensor * y, ctx.out(0, x.dtype(), shape));
    gather_runs(x.dtype(), x.raw(), offsets, count, run, y->mutable_raw());
    return {};
  }

  static Status slice_offsets(const Shape& x, const Tensor& indices, int b, int64_t* offsets) {
    const int k = static_cast<int>(indices.shape().back());
    const Shape strides = x.strides();
    const int64_t count = indices.shape().product(0, indices.rank() - 1);
    const int64_t batches = x.product(0, b), batch_size = x.product(b, x.rank());
    const bool narrow = indices.dtype() == DType::kInt32;  // in com.microsoft
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = i / (count / batches) * batch_size;
      for (int j = 0; j < k; ++j) {
        const int64_t n = x[b + j], at = i * k + j,
                      v = narrow ? indices.data<int32_t>()[at] : indices.data<int64_t>()[at];
        if (v < -n || v >= n) return run_failed("index ", v, " is outside [", -n, ", ", n - 1, "] of axis ", b + j);
        offset += (v < 0 ? v + n : v) * strides[b + j];
      }
      offsets[i] = offset;
    }
    return {};
  }
};

// Rows of a table of block-quantized weights (an embedding), expanded as they are picked.
struct GatherBlockQuantized : Op {
  int64_t bits, block, gather_axis, quantize_axis;

  Status init(Attrs& a) {
    bits = a.i("bits", 4);
    block = a.i("block_size", 128);
    gather_axis = a.i("gather_axis", 0);
    quantize_axis = a.i("quantize_axis", 1);
    if (bits != 2 && bits != 4 && bits != 8) return invalid_graph("bits must be 2, 4 or 8; it is ", bits);
    if (block < 16 || (block & (block - 1)) != 0)
      return invalid_graph("block_size must be a power of two of at least 16; it is ", block);
    return {};
  }

  Status run(OpContext& ctx) const override {
    const Tensor &data = ctx.in(0), &indices = ctx.in(1), &scales = ctx.in(2);
    const bool bytes = data.dtype() == DType::kUint8;
    const int width = bytes ? static_cast<int>(bits) : dtype_bits(data.dtype());
    Shape shape = data.shape();  // of the numbers, not of the bytes that hold them
    if (bytes && shape.rank() > 0) shape[shape.rank() - 1] *= 8 / width;
    OL_ASSIGN(const int at, normalize_axis(gather_axis, shape.rank()));
    OL_ASSIGN(const int along, normalize_axis(quantize_axis, shape.rank()));
    if (at == along) return run_failed("gather_axis and quantize_axis must differ; both are ", at);
    Shape expected = shape;
    expected[along] = (shape[along] + block - 1) / block;
    if (!(scales.shape() == expected))
      return run_failed("scales must have shape ", expected, "; they have ", scales.shape());
    const Tensor* zeros = ctx.opt(3);
    if (zeros != nullptr) {
      if (bytes) expected[expected.rank() - 1] = (expected.back() * width + 7) / 8;
      if (!(zeros->shape() == expected))
        return run_failed("zero_points must have shape ", expected, "; they have ", zeros->shape());
    }
    OL_ASSIGN(const float* factors, values_as<float>(ctx, scales));
    BlockQuantized q{data.data<uint8_t>(),
                     width,
                     data.dtype() == DType::kInt4,
                     split_at(shape, along),
                     block,
                     factors,
                     nullptr,
                     bytes ? 1 << (width - 1) : 0};
    OL_ASSIGN(q.zero_points, packed_zeros(ctx, zeros, width));
    return gather(ctx, q, shape, at, indices);
  }

  // Rows of uint8 zero points are padded to whole bytes: brought into one run of numbers.
  static Result<const uint8_t*> packed_zeros(OpContext& ctx, const Tensor* zeros, int width) {
    if (zeros == nullptr) return static_cast<const uint8_t*>(nullptr);
    const int per_byte = 8 / width;
    const int64_t numbers = ctx.in(2).shape().back(), bytes = zeros->shape().back();
    if (zeros->dtype() != DType::kUint8 || numbers % per_byte == 0) return zeros->data<uint8_t>();
    const int64_t rows = ctx.in(2).size() / numbers;
    OL_ASSIGN(uint8_t* out, ctx.scratch_of<uint8_t>(rows * numbers + 1));
    std::fill_n(out, rows * numbers + 1, uint8_t{0});
    for (int64_t i = 0; i < rows * numbers; ++i) {
      const int64_t row = i / numbers, column = i % numbers;
      const int v =
          zeros->data<uint8_t>()[row * bytes + column / per_byte] >> (column % per_byte * width) & ((1 << width) - 1);
      out[i / per_byte] = static_cast<uint8_t>(out[i / per_byte] | v << (i % per_byte * width));
    }
    return static_cast<const uint8_t*>(out);
  }

  static Status gather(OpContext& ctx, const BlockQuantized& q, const Shape& shape, int at, const Tensor& indices) {
    std::vector<int64_t> dims(shape.begin(), shape.begin() + at);
    dims.insert(dims.end(), indices.shape().begin(), indices.shape().end());
    dims.insert(dims.end(), shape.begin() + at + 1, shape.end());
    OL_ASSIGN(const Shape out_shape, make_shape(dims));
    OL_ASSIGN(const int64_t* index, wrap_indices(ctx, indices, shape[at]));
    OL_ASSIGN(Tensor * y, ctx.out(0, ctx.in(2).dtype(), out_shape));
    OL_ASSIGN(void* staged, staging_for(ctx, y, DType::kFloat));
    float* to = static_cast<float*>(staged);
    const Rows rows = split_at(shape, at);
    const int64_t count = indices.size();
    parallel_for(rows.outer * count, grain_for(rows.inner), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        dequantize_run(q, (i / count * rows.n + index[i % count]) * rows.inner, rows.inner, to + i * rows.inner);
      }
    });
    store(to, DType::kFloat, y);
    return {};
  }
};

const OpRow kContribRows[] = {
    {"GatherBlockQuantized", 1, make<GatherBlockQuantized>, kPackedSubByte},
    {"GatherND", 1, make<GatherND>},
};

const OpRow kRows[] = {
    {"Gather", 1, make<Gather>},
    {"GatherElements", 11, make<GatherElements>},
    {"GatherND", 11, make<GatherND>},
};

}  // namespace

extern const OpTable kGatherOps{"", kRows};
extern const OpTable kGatherContribOps{"com.microsoft", kContribRows};

}  // namespace onnxlet
