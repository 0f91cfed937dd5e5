// The model's answer as a person wants it.
#pragma once

#include <string>
#include <vector>

#include "engine.h"
#include "interface.h"

namespace runner {

// outputs: in the order of the interface. Texts line by line; names with their scores, the best first; boxes; the lines
// of a table, as CSV; tensors by type, shape and first elements.
std::string for_people(const Interface& interface, const std::vector<Value>& outputs);

}  // namespace runner
