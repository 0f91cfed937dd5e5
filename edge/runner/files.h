// Files, whole or in pieces. What cannot be read or written ends the program with a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crypto.h"

namespace runner {

class File {
 public:
  // is_open() is false when there is no such file, or it is not to be read.
  explicit File(std::string path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  uint64_t size() const;
  void read(uint64_t offset, void* into, size_t size) const;

 private:
  std::string path_;
  int descriptor_;
};

// "-" is standard input.
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

bool can_read(const std::string& path);
Digest hash_of(const std::string& path);

// Everything below a folder but folders, as paths there, sorted. Links are not followed.
struct Entry {
  std::string path;
  bool regular;
};
std::vector<Entry> list(const std::string& folder);

std::string folder_of(const std::string& path);  // "." where it names none
std::string name_of(const std::string& path);

}  // namespace runner
