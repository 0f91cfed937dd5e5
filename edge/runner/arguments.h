// The command line; every runner of a bundle has the same.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runner {

struct Options {
  std::vector<std::string> values;                          // fill the inputs in order
  std::vector<std::pair<std::string, std::string>> inputs;  // name, value
  std::vector<std::pair<std::string, std::string>> files;   // output, .npy
  std::string table, key_file, key_variable;
  int repeat = 1;
  int threads = 0;  // 0: as many as the machine has, within reason
  bool json = false, verify_only = false, no_verify = false, info = false, help = false;
};

// Ends the program when they make no sense.
Options parse_arguments(int count, char** arguments);

extern const char kOptionsHelp[];

}  // namespace runner
