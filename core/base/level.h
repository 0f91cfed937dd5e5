// Native builds hold the kernels that models spend their time in twice, compiled from the same sources
// (core/native.cmake): at the portable level, with the base instructions of the architecture and the same bits as
// WebAssembly without relaxed SIMD, and at the fast level, with fused multiply-adds and the widest vectors that are
// common. The code of a level is in an inline namespace of its name, so that nothing of one level is taken for the
// other's; kernels/levels.cc chooses.
#pragma once

#include <cstdint>

#if !defined(ONNXLET_LEVEL)
#define ONNXLET_LEVEL single  // WebAssembly; in native builds, what is compiled once
#endif

namespace onnxlet {

enum class Level : uint8_t { kPortable, kFast };

#if !defined(__wasm__)
// The best that this machine runs; kPortable when the environment variable ONNXLET_KERNELS is "portable".
Level best_level();
// What kernels use from now on. Not while any runs.
void set_level(Level level);
Level level();
#else
inline Level best_level() { return Level::kPortable; }
inline void set_level(Level) {}
#endif

}  // namespace onnxlet
