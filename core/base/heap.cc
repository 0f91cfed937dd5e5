#include "base/heap.h"

#include <cstdint>
#include <cstdlib>

namespace onnxlet {
namespace {

// In front of every block that is handed out, so that the block stays aligned.
struct Header {
  size_t bytes;  // of the whole, header included; 0: of the C library
  void* base;
};
static_assert(sizeof(Header) <= kAlignment);

Header* header_of(void* block) { return reinterpret_cast<Header*>(static_cast<char*>(block) - kAlignment); }

void* with_header(void* memory, Header header) {
  auto* block = static_cast<char*>(memory) + kAlignment;
  *header_of(block) = header;
  return block;
}

void* allocate_small(size_t bytes) {
  void* base = std::malloc(bytes + 2 * kAlignment);
  if (base == nullptr) return nullptr;
  const uintptr_t aligned = (reinterpret_cast<uintptr_t>(base) + kAlignment - 1) / kAlignment * kAlignment;
  return with_header(reinterpret_cast<void*>(aligned), {0, base});
}

#if defined(__wasm__) && !defined(__EMSCRIPTEN__)

constexpr size_t kLarge = 1 << 16;

void* grow_memory(size_t bytes, size_t* got) {
  constexpr size_t kPage = 1 << 16;
  const size_t pages = (bytes + kPage - 1) / kPage;
  const size_t before = __builtin_wasm_memory_grow(0, pages);
  if (before == SIZE_MAX) return nullptr;
  *got = pages * kPage;
  return reinterpret_cast<void*>(before * kPage);
}

constinit Heap large_blocks(grow_memory);

#endif

}  // namespace

void* allocate_bytes(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
#if defined(__wasm__) && !defined(__EMSCRIPTEN__)
  if (bytes >= kLarge) return large_blocks.allocate(bytes);
#endif
  return allocate_small(bytes);
}

void release_bytes(void* block) {
  if (block == nullptr) return;
  const Header& header = *header_of(block);
#if defined(__wasm__) && !defined(__EMSCRIPTEN__)
  if (header.bytes != 0) return large_blocks.release(block);
#endif
  std::free(header.base);
}

void* Heap::allocate(size_t bytes) {
  const size_t whole = (bytes + kAlignment + kGranule - 1) / kGranule * kGranule;
  void* memory = take(whole);
  if (memory == nullptr && grow(whole)) memory = take(whole);
  return memory != nullptr ? with_header(memory, {whole, nullptr}) : nullptr;
}

void Heap::release(void* block) {
  Header* header = header_of(block);
  insert(header, header->bytes);
}

void* Heap::take(size_t bytes) {
  Span** best = nullptr;
  for (Span** at = &free_; *at != nullptr; at = &(*at)->next) {
    if ((*at)->bytes >= bytes && (best == nullptr || (*at)->bytes < (*best)->bytes)) best = at;
  }
  if (best == nullptr) return nullptr;
  Span* span = *best;
  if (span->bytes == bytes) {
    *best = span->next;
  } else {
    auto* rest = reinterpret_cast<Span*>(reinterpret_cast<char*>(span) + bytes);
    *rest = {span->bytes - bytes, span->next};
    *best = rest;
  }
  return span;
}

void Heap::insert(void* memory, size_t bytes) {
  auto* span = static_cast<Span*>(memory);
  Span* before = nullptr;
  Span* after = free_;
  while (after != nullptr && after < span) {
    before = after;
    after = after->next;
  }
  *span = {bytes, after};
  (before != nullptr ? before->next : free_) = span;
  const auto join = [](Span* a, Span* b) {
    if (a == nullptr || b == nullptr || a->end() != reinterpret_cast<char*>(b)) return;
    a->bytes += b->bytes;
    a->next = b->next;
  };
  join(span, after);
  join(before, span);
}

// Only what the last free span lacks, when that is where memory grows.
bool Heap::grow(size_t bytes) {
  Span* last = free_;
  while (last != nullptr && last->next != nullptr) last = last->next;
  const bool at_end = last != nullptr && last->end() == grown_end_;
  size_t lacking = at_end ? bytes - last->bytes : bytes;
  while (true) {
    size_t got = 0;
    auto* memory = static_cast<char*>(grow_(lacking, &got));
    if (memory == nullptr) return false;
    const bool joined = memory == grown_end_;
    insert(memory, got);
    grown_end_ = memory + got;
    if (joined || lacking == bytes) return true;
    lacking = bytes;  // somebody else has grown the memory in between
  }
}

size_t Heap::free_bytes() const {
  size_t bytes = 0;
  for (const Span* s = free_; s != nullptr; s = s->next) bytes += s->bytes;
  return bytes;
}

}  // namespace onnxlet
