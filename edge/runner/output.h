// The model's answer as JSON and as files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "engine.h"
#include "interface.h"

namespace runner {

// Its place in the interface; ends the program where there is none.
size_t output_index(const Interface& interface, std::string_view name);

std::string element_text(const Value& tensor, size_t index);

// outputs: in the order of the interface.
std::string as_json(const Interface& interface, const std::vector<Value>& outputs);
void write_files(const Interface& interface, const std::vector<Value>& outputs, const Options& options);

}  // namespace runner
