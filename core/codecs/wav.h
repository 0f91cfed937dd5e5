// Sound from the bytes of a file.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"

namespace onnxlet {

// Where the samples of a WAV file are, and what they are: whole numbers of 8 to 32 bits, or floats of 32 or 64.
struct Wav {
  int64_t rate = 0, channels = 0, frames = 0;
  int bits = 0;
  bool floats = false;
  const uint8_t* data = nullptr;

  float sample(int64_t index) const;  // whole numbers: within [-1, 1)
};

// Errors say what the file is and where it is damaged; formats that are not decoded are named.
Result<Wav> read_wav(std::span<const uint8_t> file);

}  // namespace onnxlet
