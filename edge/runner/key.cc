#include "key.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "files.h"
#include "program.h"

#if !defined(__wasm__)
#include <termios.h>
#endif

namespace runner {
namespace {

constexpr size_t kVector = 12, kTag = 16;

std::string read_line() {
  std::string line;
  for (char c; read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) line.push_back(c);
  return line;
}

// Without showing what is typed, where there is a terminal that can do so.
std::string ask() {
  write_all(STDERR_FILENO, "key: ");
#if defined(__wasm__)
  return read_line();
#else
  termios before;
  if (tcgetattr(STDIN_FILENO, &before) != 0) return read_line();
  termios hidden = before;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  std::string line = read_line();
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
  note("");
  return line;
#endif
}

Key find_key(const Options& options) {
  std::string found, where;
  if (!options.key_file.empty()) {
    where = text("the key file ", options.key_file);
    found = read_file(options.key_file);
  } else if (!options.key_variable.empty()) {
    where = text("the environment variable ", options.key_variable);
    const char* value = getenv(options.key_variable.c_str());
    if (value == nullptr) fail(Exit::kFailed, text(where, " is not set"));
    found = value;
  } else if (isatty(STDIN_FILENO) != 0) {
    where = "what was typed";
    found = ask();
  } else {
    fail(Exit::kFailed, "the model is encrypted: give its key with --key-file FILE or --key-env VARIABLE");
  }
  Key key;
  if (!parse_key(found, &key))
    fail(Exit::kFailed, text(where, " is not a key: it takes 32 bytes, as 64 hexadecimal digits or as base64"));
  return key;
}

}  // namespace

void decrypt(Payload& payload, const Options& options) {
  Block& model = payload.model;
  if (model.size() < kVector + kTag) {
    fail(Exit::kFailed,
         text(payload.model_name, " has ", model.size(), " bytes, which is too short for an encrypted file"));
  }
  const Key key = find_key(options);
  uint8_t* text_start = model.data() + kVector;
  const size_t size = model.size() - kVector - kTag;
  if (!runner_decrypt(text_start, size, text_start + size, model.data(), key.data())) {
    fail(Exit::kFailed, text(payload.model_name,
                             " could not be decrypted: the key is another one, or the file is not "
                             "the encrypted original"));
  }
  std::memmove(model.data(), text_start, size);
  model.shrink(size);
}

}  // namespace runner
