// AudioDecoder of onnxruntime-extensions: a WAV file's bytes to samples. Several channels stay interleaved, or are
// mixed.
#include <string>

#include "codecs/resample.h"
#include "codecs/wav.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

struct AudioDecoder : Op {
  int64_t rate;  // 0: the file's own
  bool mono;

  Status init(Attrs& a) {
    rate = a.i("downsampling_rate");
    mono = a.i("stereo_to_mono") != 0;
    return rate < 0 ? invalid_graph("downsampling_rate must not be negative; it is ", rate) : Status();
  }

  Status run(OpContext& ctx) const override {
    OL_TRY(check_format(ctx));
    OL_ASSIGN(const Wav wav, read_wav(ctx.in(0).values<uint8_t>()));
    if (rate > wav.rate) {
      return run_failed("the file has ", wav.rate, " samples per second, fewer than the downsampling_rate ", rate);
    }
    const int64_t channels = mono ? 1 : wav.channels;
    if (rate == 0 || rate == wav.rate) {
      OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, Shape{1, wav.frames * channels}));
      mix(wav, y->mutable_data<float>());
      return {};
    }
    OL_ASSIGN(float* samples, ctx.scratch_of<float>(wav.frames * channels));
    mix(wav, samples);
    const Downsampler downsampler(wav.rate, rate);
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kFloat, Shape{1, downsampler.size(wav.frames) * channels}));
    for (int64_t c = 0; c < channels; ++c) {
      downsampler.run(samples + c, wav.frames, channels, y->mutable_data<float>() + c);
    }
    return {};
  }

  // The second input names a format where the bytes need not be looked at.
  static Status check_format(OpContext& ctx) {
    const Tensor* format = ctx.opt(1);
    if (format == nullptr || format->size() == 0) return {};
    const std::string& name = *format->data<std::string>();
    if (name.empty() || name == "default" || name == "wav") return {};
    return run_failed("the format must be wav or default; it is ", name);
  }

  void mix(const Wav& wav, float* out) const {
    const int64_t channels = wav.channels;
    for (int64_t i = 0; i < wav.frames; ++i) {
      if (!mono || channels == 1) {
        for (int64_t c = 0; c < channels; ++c) *out++ = wav.sample(i * channels + c);
        continue;
      }
      double sum = 0;
      for (int64_t c = 0; c < channels; ++c) sum += static_cast<double>(wav.sample(i * channels + c));
      *out++ = static_cast<float>(sum / static_cast<double>(channels));
    }
  }
};

const OpRow kRows[] = {{"AudioDecoder", 1, make<AudioDecoder>}};

}  // namespace

extern const OpTable kAudioOps{"ai.onnx.contrib", kRows};

}  // namespace onnxlet
