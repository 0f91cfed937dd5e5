// The interface and the model that were put into the program. In an executable of Linux they are appended to it, in a
// WebAssembly module they are memory that onnxlet_payload points at. In both they end with the trailer:
//   "OLBUNDLE"  version u32 = 1  flags u32  size of the interface u64  size of the model's file u64
//   SHA-256 of the interface, and of the model's file
// Little-endian. The interface's bytes come first, then the model's file, unless it lies beside the program.
// onnxlet/bundle/payload.py writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "crypto.h"

namespace runner {

// Memory that the engine can take over.
class Block {
 public:
  explicit Block(size_t size);
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(const Block&) = delete;
  uint8_t* data() { return data_; }
  size_t size() const { return size_; }
  void shrink(size_t size) { size_ = size; }
  uint8_t* release();

 private:
  uint8_t* data_;
  size_t size_;
};

struct Payload {
  std::string interface;  // JSON
  std::string model_name;
  Block model;  // the file: encrypted, if encrypted is set
  bool encrypted;
  Digest model_digest;  // that the file has to have
};

// Where the bundle's files are, as far as the program can tell: the folder that it lies in itself.
std::string bundle_folder(const char* program);

// check: ends the program when the bytes are not those that were put in.
Payload read_payload(const char* program, bool check);

}  // namespace runner
