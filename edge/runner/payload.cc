#include "payload.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "abi/onnxlet.h"
#include "files.h"
#include "program.h"

#if defined(__wasm__)
// Address and size of the payload.
extern "C" {
extern const volatile uint32_t onnxlet_payload[2];
__attribute__((visibility("default"))) const volatile uint32_t onnxlet_payload[2] = {0, 0};
}
#endif

namespace runner {
namespace {

constexpr char kMagic[] = "OLBUNDLE";
constexpr uint32_t kVersion = 1;
constexpr uint32_t kEncrypted = 1, kBeside = 2;

struct Trailer {
  char magic[8];
  uint32_t version, flags;
  uint64_t interface_size, model_size;
  Digest interface_digest, model_digest;
};
static_assert(sizeof(Trailer) == 96);

#if defined(__wasm__)

class Source {
 public:
  explicit Source(const char*)
      : data_(reinterpret_cast<const uint8_t*>(onnxlet_payload[0])), size_(onnxlet_payload[1]) {}
  uint64_t size() const { return size_; }
  void read(uint64_t offset, void* into, size_t size) const { std::memcpy(into, data_ + offset, size); }

 private:
  const uint8_t* data_;
  size_t size_;
};

#else

// By the name that the kernel gives it; `program` where there is no /proc.
std::string own_path(const char* program) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : program;
}

class Source : public File {
 public:
  explicit Source(const char* program) : File(own_path(program)) {
    if (!is_open()) fail(Exit::kFailed, text(path(), " cannot be read; a bundle's program needs to read itself"));
  }
};

#endif

Trailer read_trailer(const Source& source) {
  Trailer trailer = {};
  const uint64_t size = source.size();
  if (size >= sizeof(trailer)) source.read(size - sizeof(trailer), &trailer, sizeof(trailer));
  if (std::memcmp(trailer.magic, kMagic, sizeof(trailer.magic)) != 0)
    fail(Exit::kAltered, "there is no model in this program, or its end is missing");
  if (trailer.version != kVersion)
    fail(Exit::kFailed,
         text("the model in this program has format ", trailer.version, "; the program reads ", kVersion));
  const uint64_t room = size - sizeof(trailer);
  const uint64_t inside = (trailer.flags & kBeside) != 0 ? 0 : trailer.model_size;
  if (trailer.interface_size > room || inside > room - trailer.interface_size)
    fail(Exit::kAltered, "the model in this program is cut short");
  return trailer;
}

size_t addressable(uint64_t size) {
  if (size > SIZE_MAX / 2) fail(Exit::kFailed, text("a model of ", size, " bytes is too large for this machine"));
  return static_cast<size_t>(size);
}

Block read_beside(const std::string& path, uint64_t size) {
  const File file(path);
  if (!file.is_open()) fail(Exit::kAltered, text(name_of(path), " is missing"));
  if (file.size() != size)
    fail(Exit::kAltered, text(name_of(path), " differs: it has ", file.size(), " bytes, and not ", size));
  Block model(addressable(size));
  file.read(0, model.data(), model.size());
  return model;
}

Block read_inside(const Source& source, uint64_t size) {
  Block model(addressable(size));
  source.read(source.size() - sizeof(Trailer) - size, model.data(), model.size());
  return model;
}

void expect(const void* data, size_t size, const Digest& digest, std::string_view what) {
  Sha256 hash;
  hash.add(data, size);
  if (const Digest found = hash.end(); found != digest)
    fail(Exit::kAltered, text(what, " differs: its SHA-256 is ", hex(found), ", and not ", hex(digest)));
}

}  // namespace

Block::Block(size_t size) : data_(static_cast<uint8_t*>(ol_alloc(size))), size_(size) {
  if (data_ == nullptr) fail(Exit::kFailed, text("there is no memory for ", size, " bytes"));
}
Block::Block(Block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
Block::~Block() { ol_free(data_); }
uint8_t* Block::release() { return std::exchange(data_, nullptr); }

std::string bundle_folder(const char* program) {
#if defined(__wasm__)
  return folder_of(program);
#else
  return folder_of(own_path(program));
#endif
}

Payload read_payload(const char* program, bool check) {
  const Source source(program);
  const Trailer trailer = read_trailer(source);
  const bool beside = (trailer.flags & kBeside) != 0, encrypted = (trailer.flags & kEncrypted) != 0;
  std::string interface(static_cast<size_t>(trailer.interface_size), '\0');
  const uint64_t inside = beside ? 0 : trailer.model_size;
  source.read(source.size() - sizeof(trailer) - inside - interface.size(), interface.data(), interface.size());
  const std::string name = encrypted ? "model.onnx.enc" : "model.onnx";
  Block model = beside ? read_beside(bundle_folder(program) + "/" + name, trailer.model_size)
                       : read_inside(source, trailer.model_size);
  if (check) {
    expect(interface.data(), interface.size(), trailer.interface_digest, "the interface in this program");
    expect(model.data(), model.size(), trailer.model_digest, beside ? name : "the model in this program");
  }
  return {std::move(interface), name, std::move(model), encrypted, trailer.model_digest};
}

}  // namespace runner
