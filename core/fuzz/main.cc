// Runs a target without a fuzzing library: on files as they are, and on as many changed forms of them as asked for.
//
//   fuzz TARGET [--mutations N] [--seed N] [--seconds N] [--keep FILE] [--write DIR] PATH...
//
// A PATH is a file, or a folder of files.
// --seconds: how long one input may take; 60 if not given.
// --keep: where each input is written before it is tried, for whoever has to explain how the program ended.
// --write: the changed forms go there as files instead, numbered.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/targets.h"

namespace onnxlet::fuzz {
namespace {

constexpr size_t kLargest = 1 << 20;  // input

struct Options {
  const Target* target = nullptr;
  uint64_t mutations = 0, seed = 1, seconds = 60;
  std::string keep, folder;
  std::vector<std::string> files;
};

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "fuzz: %s\n", what.c_str());
  std::exit(2);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(path + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) refuse(path + " cannot be written");
}

void add_files(const std::string& path, std::vector<std::string>* out) {
  if (!std::filesystem::is_directory(path)) return out->push_back(path);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) out->push_back(entry.path().string());
  }
}

Options parse(int argc, char** argv) {
  Options options;
  if (argc < 2) refuse("which target?");
  options.target = find_target(argv[1]);
  if (options.target == nullptr) refuse(std::string("there is no target ") + argv[1]);
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      add_files(word, &options.files);
      continue;
    }
    if (i + 1 == argc) refuse(word + " takes a value");
    const char* value = argv[++i];
    if (word == "--mutations")
      options.mutations = std::strtoull(value, nullptr, 10);
    else if (word == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (word == "--seconds")
      options.seconds = std::strtoull(value, nullptr, 10);
    else if (word == "--keep")
      options.keep = value;
    else if (word == "--write")
      options.folder = value;
    else
      refuse("there is no option " + word);
  }
  std::sort(options.files.begin(), options.files.end());
  if (options.files.empty()) refuse("which files?");
  return options;
}

void attempt(const Options& options, const std::string& input) {
  if (!options.keep.empty()) write(options.keep, input);
  alarm(static_cast<unsigned>(options.seconds));
  options.target->run(input);
  alarm(0);
}

int perform(const Options& options) {
  std::vector<std::string> inputs;
  for (const std::string& path : options.files) inputs.push_back(read(path));
  const bool write_only = !options.folder.empty();
  for (const std::string& input : inputs) {
    if (!write_only) attempt(options, input);
  }
  Draws draws(options.seed);
  for (uint64_t i = 0; i < options.mutations; ++i) {
    const std::string& from = inputs[draws.below(inputs.size())];
    const std::string changed = options.target->mutate(from, draws);
    if (changed.size() > kLargest) continue;
    if (write_only)
      write(options.folder + "/" + std::to_string(i), changed);
    else
      attempt(options, changed);
  }
  std::printf("%s: %zu inputs, %llu changed forms\n", std::string(options.target->name).c_str(), inputs.size(),
              static_cast<unsigned long long>(options.mutations));
  if (refusals() > 0) std::printf("%lld refused allocations\n", static_cast<long long>(refusals()));
  return 0;
}

}  // namespace
}  // namespace onnxlet::fuzz

int main(int argc, char** argv) { return onnxlet::fuzz::perform(onnxlet::fuzz::parse(argc, argv)); }
