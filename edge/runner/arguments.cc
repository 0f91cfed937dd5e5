#include "arguments.h"

#include <algorithm>

#include "base/number_text.h"
#include "program.h"

namespace runner {

const char kOptionsHelp[] =
    "options:\n"
    "  --input NAME=VALUE    an input by its name\n"
    "  --table FILE.csv      a table whose columns are inputs; - is standard input\n"
    "  --json                the outputs as JSON\n"
    "  --output NAME=FILE    an output as a .npy file (again for more)\n"
    "  --verify              only look whether the bundle is what it was\n"
    "  --no-verify           do not look\n"
    "  --key-file FILE       the key of an encrypted model: 32 bytes as hexadecimal digits or base64\n"
    "  --key-env VARIABLE    the same, from the environment\n"
#if !defined(__wasm__)
    "  --threads N           how many threads compute (default: one for each core, at most 8)\n"
#endif
    "  --repeat N            run N times and say how long that takes\n"
    "  --info                what is in this program\n"
    "  --help                this text\n"
    "exit status: 0 done, 1 failed, 2 wrong usage, 3 the bundle is not what it was\n";

namespace {

[[noreturn]] void refuse(std::string_view message) { fail(Exit::kUsage, text(message, "; --help shows the usage")); }

std::pair<std::string, std::string> split(std::string_view option, std::string_view value) {
  const size_t at = value.find('=');
  if (at == std::string_view::npos || at == 0) refuse(text(option, " takes NAME=VALUE; '", value, "' given"));
  return {std::string(value.substr(0, at)), std::string(value.substr(at + 1))};
}

int whole(std::string_view option, std::string_view value) {
  constexpr int64_t kMost = 1000000;
  int64_t number = 0;
  if (!onnxlet::parse_integer(value, &number) || number < 1 || number > kMost)
    refuse(text(option, " takes a number from 1; '", value, "' given"));
  return static_cast<int>(number);
}

bool set_flag(Options& options, std::string_view name) {
  const std::pair<std::string_view, bool Options::*> flags[] = {
      {"--json", &Options::json}, {"--verify", &Options::verify_only}, {"--no-verify", &Options::no_verify},
      {"--info", &Options::info}, {"--help", &Options::help},          {"-h", &Options::help}};
  const auto* const flag =
      std::find_if(std::begin(flags), std::end(flags), [&](const auto& f) { return f.first == name; });
  if (flag == std::end(flags)) return false;
  options.*(flag->second) = true;
  return true;
}

void set_value(Options& options, std::string_view name, std::string_view value) {
  if (name == "--input") {
    options.inputs.push_back(split(name, value));
  } else if (name == "--output") {
    options.files.push_back(split(name, value));
  } else if (name == "--table") {
    options.table = value;
  } else if (name == "--key-file") {
    options.key_file = value;
  } else if (name == "--key-env") {
    options.key_variable = value;
  } else if (name == "--repeat") {
    options.repeat = whole(name, value);
  } else if (name == "--threads") {
    options.threads = whole(name, value);
  }
}

// The value of the option at *at, which may hold it itself, after a '='.
void take_value(Options& options, int count, char** arguments, int* at) {
  constexpr std::string_view kNames[] = {"--input",    "--output",  "--table",
#if !defined(__wasm__)
                                         "--threads",
#endif
                                         "--key-file", "--key-env", "--repeat"};
  const std::string_view argument = arguments[*at];
  const size_t equals = argument.find('=');
  const std::string_view name = argument.substr(0, equals);
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
    refuse(text("there is no option ", name));
  if (equals != std::string_view::npos) return set_value(options, name, argument.substr(equals + 1));
  if (++*at == count) refuse(text(name, " takes a value"));
  set_value(options, name, arguments[*at]);
}

void check(const Options& options) {
  if (options.verify_only && options.no_verify) refuse("--verify and --no-verify exclude each other");
  if (!options.key_file.empty() && !options.key_variable.empty()) refuse("--key-file and --key-env exclude each other");
}

}  // namespace

Options parse_arguments(int count, char** arguments) {
  Options options;
  bool words_only = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (words_only || (!argument.starts_with("--") && argument != "-h")) {
      options.values.emplace_back(argument);
    } else if (argument == "--") {
      words_only = true;
    } else if (!set_flag(options, argument)) {
      take_value(options, count, arguments, &i);
    }
  }
  check(options);
  return options;
}

}  // namespace runner
