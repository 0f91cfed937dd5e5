// What libc and libc++ would otherwise ask of WASI. The engine has no files, no environment and no exit: whoever gets
// here has hit a defect of ours, and traps.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {
// Instead of libc++abi's, which formats a message with all of stdio.
[[noreturn]] void __cxa_pure_virtual() { __builtin_trap(); }
#if defined(__EMSCRIPTEN__)
int32_t __wasi_fd_close(int32_t) { __builtin_trap(); }
int32_t __wasi_fd_seek(int32_t, int64_t, int32_t, int32_t) { __builtin_trap(); }
int32_t __wasi_fd_write(int32_t, int32_t, int32_t, int32_t) { __builtin_trap(); }
// Hosts look at the memory's size themselves.
void emscripten_notify_memory_growth(int32_t) {}
[[noreturn]] void __wasi_proc_exit(int32_t) { __builtin_trap(); }
#else
// The names are those of wasi-libc, and the last one that of zig's own part of libc.
int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t) { __builtin_trap(); }
int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t, int64_t, int32_t, int32_t) { __builtin_trap(); }
int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t, int32_t, int32_t, int32_t) { __builtin_trap(); }
int32_t zig_fd_close(int32_t) __asm__("fd_close|wasi_snapshot_preview1");
int32_t zig_fd_close(int32_t) { __builtin_trap(); }
#endif
}

#if defined(_LIBCPP_VERSION)
// std::length_error and its kin, without exceptions, and hardening checks.
_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(char const*, ...) noexcept { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD
#endif

// Small allocations (nodes, strings, vectors) that the machine refuses. Tensors ask malloc and get an error value.
void* operator new(std::size_t size) {
  void* block = std::malloc(size != 0 ? size : 1);
  if (block == nullptr) __builtin_trap();
  return block;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
