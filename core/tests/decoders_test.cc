// Decoders and tokenizers on damaged files: an answer or an error, whatever the bytes. ONNXLET_MUTATIONS says how many
// damaged forms of each file are tried; with the sanitizers that is a small fuzzer.
#include <chrono>
#include <cstdlib>
#include <string>

#include "base/memory.h"
#include "codecs/image.h"
#include "codecs/resample.h"
#include "codecs/wav.h"
#include "tests/check.h"
#include "tokenizers/hf_tokenizer.h"

using namespace onnxlet;

namespace {

#include "tests/decoder_seeds.inc"

template <size_t kSize>
std::string seed(const char (&bytes)[kSize]) {
  return std::string(bytes, kSize - 1);
}

int mutations() {
  const char* chosen = std::getenv("ONNXLET_MUTATIONS");
  return chosen == nullptr ? 300 : std::atoi(chosen);
}

class Random {
 public:
  uint32_t operator()(size_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % static_cast<uint32_t>(below);
  }

 private:
  uint64_t state_ = 1;
};

// One to four changes: a byte, a bit, an extreme value, a cut, a part that comes again or goes away.
std::string damaged(std::string bytes, Random& random) {
  for (uint32_t n = 1 + random(4); n > 0 && !bytes.empty(); --n) {
    const size_t at = random(bytes.size());
    const size_t length = 1 + random(16);
    switch (random(6)) {
      case 0:
        bytes[at] = static_cast<char>(random(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random(8));
        break;
      case 2:
        bytes[at] = random(2) == 0 ? '\0' : '\xff';
        break;
      case 3:
        bytes.resize(at);
        break;
      case 4:
        bytes.insert(at, bytes.substr(random(bytes.size()), length));
        break;
      default:
        bytes.erase(at, length);
    }
  }
  return bytes;
}

// Runs `body` on damaged forms of a file; each must end soon.
template <class Body>
void on_damaged(const std::string& file, Body body) {
  Random random;
  for (int i = 0; i < mutations(); ++i) {
    const std::string bytes = damaged(file, random);
    const auto start = std::chrono::steady_clock::now();
    body(bytes);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    CHECK(taken.count() < 5);
  }
}

std::span<const uint8_t> bytes_of(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

void pictures(const std::string& file) {
  PoolPtr owner(new Pool);
  Pool& pool = *owner;
  pool.set_limit(uint64_t{1} << 30);
  for (const PixelFormat format : {PixelFormat::kRgb, PixelFormat::kGrayscale}) {
    CHECK(decode_image(bytes_of(file), format, pool).ok());
    on_damaged(file, [&](const std::string& bytes) { (void)decode_image(bytes_of(bytes), format, pool).ok(); });
  }
  CHECK_EQ(pool.in_use(), uint64_t{0});
}

constexpr char kWordPiece[] = R"({"added_tokens":[{"id":1,"content":"[X]","special":true,"lstrip":true}],
  "normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"BertNormalizer"}]},
  "pre_tokenizer":{"type":"BertPreTokenizer"},"truncation":{"max_length":9,"direction":"Left"},
  "post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"C"}},{"Sequence":{"id":"A"}}],
    "special_tokens":{"C":{"ids":[2]}}},
  "model":{"type":"WordPiece","unk_token":"?","vocab":{"?":0,"a":3,"##b":4,"\u00e9":5,"-1e1":-1.5e1}}})";
constexpr char kBpe[] = R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","behavior":"Isolated",
    "pattern":{"Regex":"(?i:'s|'t)|[^\\r\\n\\p{L}]?\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"}},{"type":"ByteLevel","use_regex":false}]},
  "padding":{"strategy":{"Fixed":7},"pad_id":0},
  "model":{"type":"BPE","fuse_unk":true,"unk_token":"b","vocab":{"a":0,"b":1,"ab":2,"abab":3},"merges":["a b",["ab","ab"]]}})";
constexpr char kUnigram[] = R"({"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"first"},
  "model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["?",0],["a",-1.5],["ab",-2.25],["<0x41>",-9]]}})";

void tokenizer(const std::string& json, bool valid) {
  const std::string texts[] = {"", "abab a'S aé 1234 [X] \xff\xc3(\xed\xa0\x80", std::string(300, 'a'), seed(kJpeg)};
  const auto encode = [&](const std::string& file) {
    Result<HfTokenizer> read = HfTokenizer::read(file);
    return read.ok() && read.value().encode(texts).ok();
  };
  if (valid) CHECK(encode(json));
  on_damaged(json, [&](const std::string& file) { (void)encode(file); });
}

}  // namespace

TEST(damaged_png) {
  pictures(seed(kPng));
  pictures(seed(kPngInterlaced));
}

TEST(damaged_jpeg) {
  pictures(seed(kJpeg));
  pictures(seed(kJpegProgressive));
}

TEST(damaged_bmp_and_pnm) {
  pictures(seed(kBmp));
  pictures(seed(kPnm));
}

TEST(damaged_wav) {
  const std::string file = seed(kWav);
  CHECK(read_wav(bytes_of(file)).ok());
  on_damaged(file, [](const std::string& bytes) {
    Result<Wav> wav = read_wav(bytes_of(bytes));
    if (!wav.ok()) return;
    std::vector<float> samples;
    for (int64_t i = 0; i < wav.value().frames * wav.value().channels; ++i) samples.push_back(wav.value().sample(i));
    if (wav.value().rate <= 16000) return;
    const Downsampler downsampler(wav.value().rate, 16000);
    std::vector<float> out(static_cast<size_t>(downsampler.size(wav.value().frames)) + 1);
    downsampler.run(samples.data(), wav.value().frames, 1, out.data());
  });
}

TEST(damaged_tokenizers) {
  tokenizer(kWordPiece, false);  // one id in it is below 0
  tokenizer(kBpe, true);
  tokenizer(kUnigram, true);
}
