#include "abi/flavour.h"

#include <string_view>

#ifndef ONNXLET_FLAVOUR
#define ONNXLET_FLAVOUR "custom"
#endif

namespace onnxlet {
namespace {

// From the name and not from the compiler's macros, which are those of this file only.
constexpr std::string_view kName = ONNXLET_FLAVOUR;
constexpr bool has(std::string_view word) { return kName.find(word) != std::string_view::npos; }

}  // namespace

constinit const Flavour kFlavour{ONNXLET_FLAVOUR, !has("scalar"), has("relaxed"), has("threads") || has("native")};

}  // namespace onnxlet
