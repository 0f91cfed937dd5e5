// Which levels the machine has.
#include "base/level.h"

#if !defined(__wasm__)

#include <cstdlib>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__) && (defined(__arm__) || defined(__riscv))
#include <sys/auxv.h>
#endif

namespace onnxlet {
namespace {

// What core/native.cmake compiles the fast level for.
bool machine_is_fast() {
#if defined(__x86_64__)
  constexpr unsigned kFma = 1u << 12, kOsxsave = 1u << 27, kAvx = 1u << 28, kF16c = 1u << 29, kAvx2 = 1u << 5;
  constexpr unsigned kNeeded = kFma | kOsxsave | kAvx | kF16c;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kNeeded) != kNeeded) return false;
  unsigned saved = 0, high = 0;  // the registers that the system keeps: 128-bit ones and their upper halves
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  return (saved & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kAvx2) != 0;
#elif defined(__aarch64__)
  return true;
#elif defined(__linux__) && defined(__arm__)
  constexpr unsigned long kNeon = 1 << 12, kVfp4 = 1 << 16;
  return (getauxval(AT_HWCAP) & (kNeon | kVfp4)) == (kNeon | kVfp4);
#elif defined(__linux__) && defined(__riscv)
  return (getauxval(AT_HWCAP) & 1 << ('V' - 'A')) != 0;
#else
  return false;
#endif
}

Level detect() {
  const char* asked = std::getenv("ONNXLET_KERNELS");
  return asked != nullptr && std::string_view(asked) == "portable" ? Level::kPortable
         : machine_is_fast()                                       ? Level::kFast
                                                                   : Level::kPortable;
}

Level in_use = Level::kPortable;

}  // namespace

Level best_level() {
  static const Level best = detect();
  return best;
}
void set_level(Level level) { in_use = level; }
Level level() { return in_use; }

}  // namespace onnxlet

#endif
