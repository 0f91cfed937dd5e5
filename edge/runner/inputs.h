// What is fed to the model, from what a person gave.
#pragma once

#include <vector>

#include "arguments.h"
#include "engine.h"
#include "interface.h"

namespace runner {

std::vector<Feed> make_feeds(const Interface& interface, const Options& options);

}  // namespace runner
