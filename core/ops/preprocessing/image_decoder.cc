// ImageDecoder: a file's bytes to pixels, where the host is not asked. Where the specification gives an empty matrix
// for what does not decode, this is an error that says why: a model must not go on with nothing.
#include "codecs/image.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

struct ImageDecoder : Op {
  PixelFormat format;

  Status init(Attrs& a) {
    const std::string_view name = a.s("pixel_format");
    if (name == "RGB")
      format = PixelFormat::kRgb;
    else if (name == "BGR")
      format = PixelFormat::kBgr;
    else if (name == "Grayscale")
      format = PixelFormat::kGrayscale;
    else
      return invalid_graph("pixel_format must be one of RGB, BGR, Grayscale; it is '", name, "'");
    return {};
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(Tensor pixels, decode_image(ctx.in(0).values<uint8_t>(), format, ctx.pool()));
    ctx.set(0, Value(std::move(pixels)));
    return {};
  }
};

const OpRow kRows[] = {{"ImageDecoder", 20, make<ImageDecoder>}};

}  // namespace

extern const OpTable kImageOps{"", kRows};

}  // namespace onnxlet
