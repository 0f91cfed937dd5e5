#include "codecs/image.h"

#include <string_view>

#include "base/text.h"

namespace onnxlet {
namespace {

using Decoder = Result<Tensor> (*)(Bytes, PixelFormat, Pool&);

// What a file of a format begins with; '?' is any byte. Formats without decoder are known by name.
struct Format {
  std::string_view begin, name;
  Decoder decode;
};
constexpr Format kFormats[] = {
    {{"\x89PNG\r\n\x1a\n", 8}, "PNG", decode_png},
    {{"\xff\xd8\xff", 3}, "JPEG", decode_jpeg},
    {{"BM", 2}, "BMP", decode_bmp},
    {{"P1", 2}, "PBM", decode_pnm},
    {{"P2", 2}, "PGM", decode_pnm},
    {{"P3", 2}, "PPM", decode_pnm},
    {{"P4", 2}, "PBM", decode_pnm},
    {{"P5", 2}, "PGM", decode_pnm},
    {{"P6", 2}, "PPM", decode_pnm},
    {{"II*\0", 4}, "TIFF", nullptr},
    {{"MM\0*", 4}, "TIFF", nullptr},
    {{"RIFF????WEBP", 12}, "WebP", nullptr},
    {{"\0\0\0\x0cjP  ", 8}, "JPEG 2000", nullptr},
    {{"\xff\x4f\xff\x51", 4}, "JPEG 2000", nullptr},
    {{"GIF8", 4}, "GIF", nullptr},
    {{"????ftypavif", 12}, "AVIF", nullptr},
    {{"????ftyphei", 11}, "HEIF", nullptr},
};

bool begins(Bytes file, std::string_view sought) {
  if (file.size() < sought.size()) return false;
  for (size_t i = 0; i < sought.size(); ++i) {
    if (sought[i] != '?' && static_cast<uint8_t>(sought[i]) != file[i]) return false;
  }
  return true;
}

}  // namespace

Result<Picture> Picture::allocate(Pool& pool, PixelFormat format, int64_t width, int64_t height) {
  Picture out;
  out.width_ = width;
  out.format_ = format;
  out.channels_ = format == PixelFormat::kGrayscale ? 1 : 3;
  OL_ASSIGN(out.tensor_, Tensor::allocate(pool, DType::kUint8, Shape{height, width, out.channels_}));
  out.data_ = out.tensor_.mutable_data<uint8_t>();
  return out;
}

Result<Tensor> decode_image(Bytes file, PixelFormat format, Pool& pool) {
  for (const Format& f : kFormats) {
    if (!begins(file, f.begin)) continue;
    if (f.decode == nullptr) {
      return run_failed("the picture is a ", f.name, " file; the engine decodes PNG, JPEG, BMP and PNM");
    }
    Result<Tensor> out = f.decode(file, format, pool);
    if (!out.ok())
      return std::move(out.status()).with_context(text("the ", f.name, " file of ", file.size(), " bytes: "));
    return out;
  }
  return run_failed("the ", file.size(), " bytes are no picture of a known format; the engine decodes PNG, JPEG, BMP ",
                    "and PNM");
}

}  // namespace onnxlet
