#include "fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

#include "fuzz/mutate.h"

namespace onnxlet::fuzz {
namespace {

std::string as_bytes(std::string_view file, Draws& draws) { return mutate_bytes(std::string(file), draws); }

constexpr Target kTargets[] = {
    {"model", run_model, mutate_model},       {"passes", run_passes, mutate_model},   {"regex", run_regex, as_bytes},
    {"media", run_media, as_bytes},           {"tokenizer", run_tokenizer, as_bytes}, {"calls", run_calls, as_bytes},
    {"refusals", run_refusals, mutate_model},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void fail(std::string_view what) {
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace onnxlet::fuzz

// The engine answers a refused allocation with an error: that is what is to be seen. Where the sanitizer is a shared
// library, it only finds what the program shows.
// NOLINTNEXTLINE
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
