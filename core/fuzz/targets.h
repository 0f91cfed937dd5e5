// What is fuzzed. A target takes any bytes and comes back: what it finds wrong with them is an error that it expects,
// and everything else ends the program, through a sanitizer or `fail`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fuzz/draws.h"

namespace onnxlet::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view file);
  std::string (*mutate)(std::string_view file, Draws& draws);
};
std::span<const Target> targets();
const Target* find_target(std::string_view name);

// Ends the program: the engine has broken a promise of its own.
[[noreturn]] void fail(std::string_view what);

// Loads a model as hosts do and runs it once, on made-up values for the inputs that have no default.
void run_model(std::string_view file);
// The same without and with the passes: outputs have the same shapes and types.
void run_passes(std::string_view file);
// With each of its allocations refused in turn: an error that says so, or the answer; the session works afterwards.
void run_refusals(std::string_view file);
int64_t& refusals();  // so far
// The first line is a regular expression, in both dialects, the rest a text.
void run_regex(std::string_view file);
// A picture or a sound.
void run_media(std::string_view file);
// tokenizer.json.
void run_tokenizer(std::string_view file);
// Calls of the C interface in any order: every byte says which, and on what.
void run_calls(std::string_view file);

}  // namespace onnxlet::fuzz
