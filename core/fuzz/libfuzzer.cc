// The same targets under libFuzzer, which follows what an input reaches. ONNXLET_FUZZ_TARGET names the one.
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.h"

namespace {

const onnxlet::fuzz::Target& target() {
  static const onnxlet::fuzz::Target* const chosen = [] {
    const char* name = std::getenv("ONNXLET_FUZZ_TARGET");
    const onnxlet::fuzz::Target* found = onnxlet::fuzz::find_target(name == nullptr ? "" : name);
    if (found == nullptr) onnxlet::fuzz::fail("ONNXLET_FUZZ_TARGET names no target");
    return found;
  }();
  return *chosen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target().run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

// Every other change is libFuzzer's own: it knows which comparisons failed.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  onnxlet::fuzz::Draws draws(seed);
  if (draws.one_in(2)) return LLVMFuzzerMutate(data, size, most);
  const std::string changed = target().mutate({reinterpret_cast<const char*>(data), size}, draws);
  const size_t length = changed.size() < most ? changed.size() : most;
  std::memcpy(data, changed.data(), length);
  return length;
}
