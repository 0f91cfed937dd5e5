// Changes files as somebody would who means harm.
#pragma once

#include <string>
#include <string_view>

#include "fuzz/draws.h"

namespace onnxlet::fuzz {

// One to four changes that know nothing of the format: bytes, extreme values, a cut, a part that comes twice or goes.
std::string mutate_bytes(std::string file, Draws& draws);

// Changes inside a model that stay hidden from whoever only looks at the protobuf message: numbers, names, operators,
// types, shapes and weights, nodes and attributes that go, come twice or change places. What is no such message is
// changed as bytes, and so is every eighth that is.
std::string mutate_model(std::string_view file, Draws& draws);

}  // namespace onnxlet::fuzz
