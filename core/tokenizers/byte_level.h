// GPT-2's way to write any bytes as text: every byte has a character of its own, printable ones mostly themselves.
#pragma once

#include <string>
#include <string_view>

namespace onnxlet {

std::string bytes_to_characters(std::string_view bytes);

}  // namespace onnxlet
