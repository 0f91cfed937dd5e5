#include "ops/window.h"

#include <algorithm>

namespace onnxlet {
namespace {

// Shape's product and sizes stay far from overflow below this.
constexpr int64_t kLimit = int64_t{1} << 30;

Result<Shape> axis_values(std::span<const int64_t> given, int rank, int64_t fallback, int64_t least, const char* name) {
  if (given.empty()) return Shape::filled(rank, fallback);
  if (static_cast<int>(given.size()) != rank) {
    return run_failed(name, " needs one value per spatial axis; got ", given.size(), " for ", rank, " axes");
  }
  for (const int64_t v : given) {
    if (v < least || v > kLimit) return run_failed(name, " must lie between ", least, " and ", kLimit, "; got ", v);
  }
  return Shape(given);
}

}  // namespace

Shape with_spatial(int64_t n, int64_t c, const Shape& spatial, bool channels_last) {
  Shape s{n};
  if (!channels_last) s.push_back(c);
  for (const int64_t d : spatial) s.push_back(d);
  if (channels_last) s.push_back(c);
  return s;
}

Status WindowAttrs::read(Attrs& a, bool dilated) {
  kernel_shape = a.ints("kernel_shape");
  strides = a.ints("strides");
  pads = a.ints("pads");
  if (dilated) dilations = a.ints("dilations");
  auto_pad = a.s("auto_pad", "NOTSET");
  if (auto_pad.empty()) auto_pad = "NOTSET";
  if (!same() && auto_pad != "NOTSET" && auto_pad != "VALID") {
    return invalid_graph("auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID; got '", auto_pad, "'");
  }
  return {};
}

Result<Window> WindowAttrs::base(const Shape& in, const Shape& kernel) const {
  const int rank = in.rank();
  Window w;
  w.in = in;
  w.kernel = kernel;
  if (rank < 1) return run_failed("the input needs at least one spatial axis behind batch and channels");
  if (kernel.rank() != rank) return run_failed("the kernel has ", kernel.rank(), " spatial axes, the input ", rank);
  for (const int64_t k : kernel) {
    if (k < 1 || k > kLimit) return run_failed("kernel sizes must be at least 1; got ", kernel);
  }
  for (const int64_t d : in) {
    if (d > kLimit) return run_failed("a spatial axis is too long; input ", in);
  }
  OL_ASSIGN(w.stride, axis_values(strides, rank, 1, 1, "strides"));
  OL_ASSIGN(w.dilation, axis_values(dilations, rank, 1, 1, "dilations"));
  w.pad = w.pad_end = Shape::filled(rank, 0);
  w.out = Shape::filled(rank, 0);
  if (!pads.empty() && static_cast<int>(pads.size()) != 2 * rank) {
    return run_failed("pads needs two values per spatial axis; got ", pads.size(), " for ", rank, " axes");
  }
  return w;
}

Result<Window> WindowAttrs::resolve(const Shape& in, const Shape& kernel) const {
  OL_ASSIGN(Window w, base(in, kernel));
  const int rank = in.rank();
  for (int d = 0; d < rank; ++d) {
    const int64_t extent = (kernel[d] - 1) * w.dilation[d] + 1, stride = w.stride[d];
    int64_t begin = 0, end = 0;
    if (same()) {
      w.out[d] = (in[d] + stride - 1) / stride;
      const int64_t total = std::max<int64_t>((w.out[d] - 1) * stride + extent - in[d], 0);
      begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.pad[d] = begin;
      w.pad_end[d] = total - begin;
      continue;
    }
    if (auto_pad == "NOTSET" && !pads.empty()) {
      begin = pads[static_cast<size_t>(d)];
      end = pads[static_cast<size_t>(d + rank)];
      if (begin < -kLimit || begin > kLimit || end < -kLimit || end > kLimit)
        return run_failed("pads are out of range; got ", begin, " and ", end);
    }
    w.pad[d] = begin;
    w.pad_end[d] = end;
    const int64_t room = in[d] + begin + end - extent;
    if (room < 0 && in[d] == 0) continue;  // nothing in, nothing out
    if (room < 0) {
      return run_failed("the kernel is larger than the padded input; axis ", d, ": extent ", extent, ", input ", in[d],
                        ", pads ", begin, " and ", end);
    }
    w.out[d] = (ceil_mode ? (room + stride - 1) / stride : room / stride) + 1;
    // A last window that begins behind the input and its left padding would see nothing.
    if (ceil_mode && (w.out[d] - 1) * stride >= in[d] + begin) --w.out[d];
  }
  return w;
}

Result<Window> WindowAttrs::resolve_transposed(const Shape& in, const Shape& kernel,
                                               std::span<const int64_t> output_padding,
                                               std::span<const int64_t> output_shape) const {
  OL_ASSIGN(Window w, base(in, kernel));
  const int rank = in.rank();
  OL_ASSIGN(const Shape extra, axis_values(output_padding, rank, 0, 0, "output_padding"));
  if (!output_shape.empty() && static_cast<int>(output_shape.size()) < rank) {
    return run_failed("output_shape needs one value per spatial axis; got ", output_shape.size(), " for ", rank,
                      " axes");
  }
  Shape out = Shape::filled(rank, 0);
  for (int d = 0; d < rank; ++d) {
    const int64_t full = (in[d] - 1) * w.stride[d] + extra[d] + (kernel[d] - 1) * w.dilation[d] + 1;
    if (!output_shape.empty() || same()) {
      // output_shape may carry batch and channels in front.
      out[d] = output_shape.empty() ? in[d] * w.stride[d]
                                    : output_shape[output_shape.size() - static_cast<size_t>(rank - d)];
      const int64_t total = output_shape.empty() ? std::max<int64_t>(full - out[d], 0) : full - out[d];
      // The specification's formula: only SAME_UPPER puts the smaller half in front.
      w.pad[d] = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      if (total < 0) w.pad[d] = 0;
    } else {
      const bool explicit_pads = auto_pad == "NOTSET" && !pads.empty();
      w.pad[d] = explicit_pads ? pads[static_cast<size_t>(d)] : 0;
      out[d] = full - w.pad[d] - (explicit_pads ? pads[static_cast<size_t>(d + rank)] : 0);
    }
    if (out[d] < 0 || out[d] > kLimit)
      return run_failed("the output size along spatial axis ", d, " would be ", out[d]);
  }
  w.in = out;
  w.out = in;
  return w;
}

}  // namespace onnxlet
