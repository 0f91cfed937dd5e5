#include "gpu/commands.h"

#include <algorithm>

namespace onnxlet::gpu {
namespace {

enum Command : uint32_t {
  kAllocate = 1,
  kFree = 2,
  kWrite = 3,
  kRead = 4,
  kCopy = 5,
  kPipeline = 6,
  kDispatch = 7,
};

// Only WebAssembly, whose addresses have 32 bits, has a host that reads them.
uint32_t address(const void* p) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(p)); }
uint32_t word(uint64_t n) { return static_cast<uint32_t>(n); }

}  // namespace

class Commands::Buffer : public DeviceBuffer {
 public:
  Buffer(std::shared_ptr<Commands> commands, uint32_t id) : commands_(std::move(commands)), id_(id) {}
  ~Buffer() override {
    commands_->put({kFree, id_});
    if (id_ < kFirstForeign) commands_->freed_ids_.push_back(id_);
  }
  uint32_t id() const override { return id_; }

 private:
  std::shared_ptr<Commands> commands_;
  uint32_t id_;
};

DeviceBufferPtr Commands::allocate(uint64_t bytes) {
  uint32_t id = next_id_;
  if (freed_ids_.empty()) {
    ++next_id_;
  } else {
    id = freed_ids_.back();
    freed_ids_.pop_back();
  }
  put({kAllocate, id, word(bytes)});
  return std::make_shared<Buffer>(shared_from_this(), id);
}

DeviceBufferPtr Commands::adopt(uint32_t id) { return std::make_shared<Buffer>(shared_from_this(), id); }

void Commands::write(const DeviceBuffer& to, Tensor from) {
  const uint64_t bytes = from.bytes();
  write(to, std::move(from), 0, bytes);
}
void Commands::write(const DeviceBuffer& to, Tensor from, uint64_t from_byte, uint64_t bytes) {
  put({kWrite, to.id(), address(static_cast<const uint8_t*>(from.raw()) + from_byte), word(bytes)});
  held_.push_back(std::move(from));
}

void Commands::read(const DeviceBuffer& from, Tensor to) {
  put({kRead, from.id(), address(to.raw()), word(to.bytes())});
  held_.push_back(std::move(to));
}

void Commands::copy(const DeviceBuffer& from, uint64_t from_byte, const DeviceBuffer& to, uint64_t to_byte,
                    uint64_t bytes) {
  put({kCopy, from.id(), word(from_byte), to.id(), word(to_byte), word(bytes)});
}

uint32_t Commands::pipeline(std::string_view shader) {
  const auto known = std::find_if(shaders_.begin(), shaders_.end(), [&](const auto& s) { return *s == shader; });
  const auto number = static_cast<uint32_t>(known - shaders_.begin());
  if (known == shaders_.end()) {
    shaders_.push_back(std::make_unique<std::string>(shader));
    put({kPipeline, number, address(shaders_.back()->data()), word(shader.size())});
  }
  return number;
}

void Commands::dispatch(std::string_view shader, std::span<const DeviceBufferPtr> buffers,
                        std::span<const uint32_t> uniforms, Groups groups) {
  const uint32_t number = pipeline(shader);
  put({kDispatch, number, groups.x, groups.y, groups.z, word(buffers.size())});
  for (const DeviceBufferPtr& b : buffers) words_.push_back(b->id());
  put({word(uniforms.size())});
  words_.insert(words_.end(), uniforms.begin(), uniforms.end());
}

std::span<const uint32_t> Commands::words() {
  given_ = words_.size();
  return words_;
}

void Commands::done() {
  words_.erase(words_.begin(), words_.begin() + static_cast<ptrdiff_t>(given_));
  held_.clear();
}

}  // namespace onnxlet::gpu
