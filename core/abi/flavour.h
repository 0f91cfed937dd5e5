// Which build this is. Compiled once per flavour, unlike the rest of the engine.
#pragma once

namespace onnxlet {

struct Flavour {
  const char* name;  // "simd", "relaxed-threads", "native" ...
  bool simd;
  bool relaxed;
  bool threads;
};

extern const Flavour kFlavour;

}  // namespace onnxlet
