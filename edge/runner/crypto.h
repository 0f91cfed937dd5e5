// What crypto.zig takes from zig's standard library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace runner {

using Digest = std::array<uint8_t, 32>;
using Key = std::array<uint8_t, 32>;

extern "C" {
struct Sha256State {
  alignas(16) uint8_t bytes[256];
};
void runner_sha256_start(Sha256State* state);
void runner_sha256_add(Sha256State* state, const void* data, size_t size);
void runner_sha256_end(Sha256State* state, uint8_t* digest);
// AES-256-GCM in place; false, and nothing written, when the tag says that key or data are others.
bool runner_decrypt(uint8_t* data, size_t size, const uint8_t* tag, const uint8_t* vector, const uint8_t* key);
}

class Sha256 {
 public:
  Sha256() { runner_sha256_start(&state_); }
  void add(const void* data, size_t size) { runner_sha256_add(&state_, data, size); }
  Digest end() {
    Digest digest;
    runner_sha256_end(&state_, digest.data());
    return digest;
  }

 private:
  Sha256State state_;
};

std::string hex(const Digest& digest);

// 64 hexadecimal digits or base64 of 32 bytes, white space around them. False for anything else.
bool parse_key(std::string_view text, Key* key);

}  // namespace runner
