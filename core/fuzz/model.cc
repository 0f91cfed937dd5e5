#include <string>

#include "base/memory.h"
#include "fuzz/targets.h"
#include "fuzz/trial.h"

namespace onnxlet::fuzz {
namespace {

constexpr std::string_view kOptions = R"({"max_memory": 67108864, "profile": true, "seed": 1})";
constexpr std::string_view kPlain =
    R"({"max_memory": 67108864, "max_steps": 2000, "seed": 1, "graph_optimization_level": "disabled"})";
constexpr std::string_view kOptimized = R"({"max_memory": 67108864, "max_steps": 2000, "seed": 1})";
constexpr int64_t kMostRefusals = 5000;

}  // namespace

void run_model(std::string_view file) {
  Trial trial(file, kOptions);
  if (trial.session() == nullptr) return;
  trial.run();
  trial.run();  // in the memory that the first has planned
  if (!parse_json(ol_session_profile(trial.session())).ok()) fail("a profile that is not JSON");
}

// Values are not compared: with numbers as large or as broken as come here, the order of operations decides about them.
void run_passes(std::string_view file) {
  Trial plain(file, kPlain), optimized(file, kOptimized);
  if (plain.session() == nullptr || optimized.session() == nullptr) return;
  if (!plain.run() || !optimized.run()) return;
  if (plain.outputs() != optimized.outputs()) fail("the passes have changed the shape or the type of an output");
}

void run_refusals(std::string_view file) {
  if (Trial whole(file, kOptimized); whole.session() == nullptr || !whole.run()) return;
  for (int64_t n = 1; n < kMostRefusals; ++n) {
    fail_allocation_after(n);
    Trial trial(file, kOptimized);
    const bool loaded = trial.session() != nullptr;
    const bool done = loaded && trial.run() && trial.run();
    const bool refused = fail_allocation_after(0) == 0;
    if (!refused) return;  // fewer allocations than that
    ++refusals();
    const bool of_a_feed = trial.code() == OL_OK;  // was refused before it reached the session
    if (!done && !of_a_feed && trial.code() != OL_OUT_OF_MEMORY) fail("a refused allocation became another error");
    if (loaded && !trial.run()) fail("a session is of no use after a refused allocation");
  }
}

int64_t& refusals() {
  static int64_t count = 0;
  return count;
}

}  // namespace onnxlet::fuzz
