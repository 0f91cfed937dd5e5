#pragma once

namespace runner {

// Starts the engine's workers, so that `wanted` threads compute with the calling one; 0: one for each core, at most 8.
// Returns how many do: 1 in WebAssembly.
int start_threads(int wanted);

}  // namespace runner
