// Files that start other things than a model: regular expressions, pictures, sound, tokenizers.
#include <algorithm>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/regex.h"
#include "codecs/image.h"
#include "codecs/wav.h"
#include "fuzz/targets.h"
#include "tokenizers/hf_tokenizer.h"
#include "tokenizers/pattern.h"
#include "tokenizers/unicode_data.h"

namespace onnxlet::fuzz {
namespace {

constexpr size_t kLongestText = 2000;
constexpr uint64_t kMostMemory = uint64_t{1} << 28;

void expect_words(const Status& status) {
  if (status.message().size() < 10) fail("a failure without words");
}

}  // namespace

void run_regex(std::string_view file) {
  const size_t line = std::min(file.find('\n'), file.size());
  const std::string_view expression = file.substr(0, line), text = file.substr(line).substr(0, kLongestText);
  if (Result<Regex> regex = Regex::compile(expression); regex.ok()) {
    (void)regex.value().full_match(text);
    size_t begin = 0, end = 0;
    if (regex.value().find(text, 0, &begin, &end) && (begin > end || end > text.size()))
      fail("a match outside its text");
  } else {
    expect_words(regex.status());
  }
  if (Result<Pattern> pattern = Pattern::compile(expression); pattern.ok()) {
    std::vector<Pattern::Match> matches;
    if (Status found = pattern.value().find_all(code_points(text), &matches); !found.ok()) expect_words(found);
  } else {
    expect_words(pattern.status());
  }
}

void run_media(std::string_view file) {
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  const PoolPtr pool(new Pool);
  pool->set_limit(kMostMemory);
  Result<Tensor> picture = decode_image(bytes, PixelFormat::kRgb, *pool);
  if (!picture.ok()) expect_words(picture.status());
  Result<Wav> sound = read_wav(bytes);
  if (!sound.ok()) return expect_words(sound.status());
  const Wav& wav = sound.value();
  float sum = 0;
  for (int64_t i = 0; i < wav.frames * wav.channels; ++i) sum += wav.sample(i);
  if (sum > 1e38f) fail("samples that are no sound");
}

void run_tokenizer(std::string_view file) {
  const std::string texts[] = {"", "a b1 [X] \xff\xc3(\xed\xa0\x80 \xc3\xa9'S", std::string(200, 'a')};
  Result<HfTokenizer> tokenizer = HfTokenizer::read(file);
  if (!tokenizer.ok()) return expect_words(tokenizer.status());
  auto encoded = tokenizer.value().encode(texts);
  if (!encoded.ok()) expect_words(encoded.status());
}

}  // namespace onnxlet::fuzz
