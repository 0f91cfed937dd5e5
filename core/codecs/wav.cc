#include "codecs/wav.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/text.h"

namespace onnxlet {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint32_t kPcm = 1, kFloat = 3, kExtensible = 0xfffe, kUnknownSize = 0xffffffff;

uint32_t little(const uint8_t* p, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= static_cast<uint32_t>(p[i]) << 8 * i;
  return value;
}

bool begins(Bytes file, std::string_view sought, size_t at = 0) {
  return file.size() >= at + sought.size() && std::memcmp(file.data() + at, sought.data(), sought.size()) == 0;
}

// What a file is that is not WAV; nullptr where nothing is known of it.
const char* other_format(Bytes file) {
  if (begins(file, "fLaC")) return "FLAC";
  if (begins(file, "OggS")) return "Ogg";
  if (begins(file, "ID3") || (file.size() > 1 && file[0] == 0xff && (file[1] & 0xe0) == 0xe0)) return "MP3";
  if (begins(file, "ftyp", 4)) return "MP4";
  if (begins(file, "FORM")) return "AIFF";
  return nullptr;
}

Status read_format(Bytes chunk, Wav* out) {
  constexpr size_t kPlain = 16, kWithSubformat = 26;
  if (chunk.size() < kPlain) return run_failed("its format chunk is of ", chunk.size(), " bytes");
  uint32_t tag = little(&chunk[0], 2);
  out->channels = little(&chunk[2], 2);
  out->rate = little(&chunk[4], 4);
  out->bits = static_cast<int>(little(&chunk[14], 2));
  if (tag == kExtensible) {
    if (chunk.size() < kWithSubformat) return run_failed("its format chunk is of ", chunk.size(), " bytes");
    tag = little(&chunk[24], 2);
  }
  out->floats = tag == kFloat;
  const bool known = tag == kPcm     ? out->bits == 8 || out->bits == 16 || out->bits == 24 || out->bits == 32
                     : tag == kFloat ? out->bits == 32 || out->bits == 64
                                     : false;
  if (!known) {
    return run_failed("its samples are of format ", tag, " with ", out->bits,
                      " bits; PCM of 8, 16, 24 or 32 and floats of 32 or 64 are decoded");
  }
  if (out->channels == 0 || out->rate == 0) {
    return run_failed("it claims to have ", out->channels, " channels at ", out->rate, " Hz");
  }
  return {};
}

Status read_chunks(Bytes file, Wav* out) {
  constexpr size_t kHead = 8;
  for (size_t at = 12; file.size() - at >= kHead;) {
    const uint32_t stated = little(&file[at + 4], 4);
    const size_t rest = file.size() - at - kHead;
    const bool data = begins(file, "data", at);
    // Programs that write to a pipe do not know the size beforehand.
    const size_t size = data && stated == kUnknownSize ? rest : stated;
    if (size > rest) {
      return run_failed("the chunk at byte ", at, " is of ", stated, " bytes, beyond the end of the file");
    }
    const Bytes chunk = file.subspan(at + kHead, size);
    if (begins(file, "fmt ", at)) OL_TRY(read_format(chunk, out));
    if (data) {
      if (out->bits == 0) return run_failed("its data come before their format");
      out->data = chunk.data();
      out->frames = static_cast<int64_t>(size) / (out->channels * out->bits / 8);
      return {};
    }
    at += kHead + size + std::min<size_t>(size % 2, rest - size);
  }
  return run_failed("it has no data");
}

}  // namespace

float Wav::sample(int64_t index) const {
  const uint8_t* p = data + index * (bits / 8);
  if (floats && bits == 32) return std::bit_cast<float>(little(p, 4));
  if (floats) {
    return static_cast<float>(std::bit_cast<double>(static_cast<uint64_t>(little(p + 4, 4)) << 32 | little(p, 4)));
  }
  if (bits == 8) return static_cast<float>((2.0 * *p - 255) / 255);
  const auto value = static_cast<int32_t>(little(p, bits / 8) << (32 - bits));  // as 32 bits
  return static_cast<float>(value) * 0x1p-31f;
}

Result<Wav> read_wav(Bytes file) {
  Wav out;
  if (!begins(file, "RIFF") || !begins(file, "WAVE", 8)) {
    if (const char* name = other_format(file)) {
      return run_failed("the sound is a file of type ", name, "; the engine decodes WAV");
    }
    return run_failed("the ", file.size(), " bytes are no sound of a known format; the engine decodes WAV");
  }
  Status status = read_chunks(file, &out);
  if (!status.ok()) return std::move(status).with_context(text("the WAV file of ", file.size(), " bytes: "));
  return out;
}

}  // namespace onnxlet
