// What the host is to do with its WebGPU device, as a list of 32-bit words. Every command begins with its number:
//
//   1 allocate   id, bytes                          a storage buffer
//   2 free       id
//   3 write      id, address, bytes                 from the engine's memory; a multiple of 4 is rounded up to
//   4 read       id, address, bytes                 into the engine's memory
//   5 copy       from, offset, to, offset, bytes    offsets and bytes are multiples of 4
//   6 pipeline   number, address, length            of the text that names a shader and its constants
//   7 dispatch   pipeline, x, y, z, buffers, id ..., words, word ...
//
// A pipeline's text is "shader NAME=VALUE NAME=VALUE ...". A dispatch binds its buffers in their order, and after them
// a uniform buffer with the words, if there are any.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/device_buffer.h"
#include "base/tensor.h"

namespace onnxlet::gpu {

struct Groups {
  uint32_t x = 1, y = 1, z = 1;
};

inline constexpr uint32_t kFirstForeign = 1u << 30;

class Commands : public std::enable_shared_from_this<Commands> {
 public:
  DeviceBufferPtr allocate(uint64_t bytes);
  DeviceBufferPtr adopt(uint32_t id);               // the host's, from kFirstForeign up
  void write(const DeviceBuffer& to, Tensor from);  // whose elements stay where they are until done()
  void write(const DeviceBuffer& to, Tensor from, uint64_t from_byte, uint64_t bytes);
  void read(const DeviceBuffer& from, Tensor to);
  void copy(const DeviceBuffer& from, uint64_t from_byte, const DeviceBuffer& to, uint64_t to_byte, uint64_t bytes);
  void dispatch(std::string_view shader, std::span<const DeviceBufferPtr> buffers, std::span<const uint32_t> uniforms,
                Groups groups);

  std::span<const uint32_t> words();
  void done();  // the words that words() has given; there may be more by now

 private:
  class Buffer;
  uint32_t pipeline(std::string_view shader);
  void put(std::initializer_list<uint32_t> words) { words_.insert(words_.end(), words); }

  std::vector<uint32_t> words_;
  size_t given_ = 0;
  std::vector<Tensor> held_;
  std::vector<std::unique_ptr<std::string>> shaders_;  // by number; the host reads the text once
  std::vector<uint32_t> freed_ids_;
  uint32_t next_id_ = 1;
};

}  // namespace onnxlet::gpu
