// Errors are values: every function that can fail on user data returns Status or Result<T>.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace onnxlet {

// Stable across releases: the numbers cross the C ABI and the names reach JS and Python.
enum class Code : int32_t {
  kOk = 0,
  kInvalidArgument = 1,  // the caller's input, feed or option is wrong
  kInvalidProtobuf = 2,  // the file's bytes are damaged or truncated
  kInvalidGraph = 3,     // well-formed bytes, but not a valid ONNX model
  kNotImplemented = 4,   // valid, but this build does not do it
  kOutOfMemory = 5,      // an allocation was refused or a configured limit was reached
  kRunFailed = 6,        // the data met at run time breaks an operator's rule
  kAborted = 7,          // the caller asked to stop
  kInternal = 8,         // a defect of onnxlet itself
};

const char* code_name(Code code);

// One pointer, null when all is well. What only failures need is out of line: returns are everywhere, failures are not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(Status&& other) noexcept : failure_(std::exchange(other.failure_, nullptr)) {}
  Status& operator=(Status&& other) noexcept {
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~Status() {
    if (failure_ != nullptr) [[unlikely]]
      forget();
  }

  bool ok() const { return failure_ == nullptr; }
  Code code() const;
  std::string_view message() const;

  // Adds what the caller knows (node, file, argument) in front of the rule that was broken.
  Status with_context(std::string_view prefix) &&;

 private:
  struct Failure;
  void forget();
  Failure* failure_ = nullptr;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(Status status) : status_(std::move(status)) {}                  // NOLINT: implicit by design
  Result(T value) : has_(true) { new (&storage_) T(std::move(value)); }  // NOLINT
  Result(Result&& other) noexcept : status_(std::move(other.status_)), has_(other.has_) {
    if (has_) new (&storage_) T(std::move(other.value()));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (has_) value().~T();
  }

  bool ok() const { return has_; }
  Status&& status() { return std::move(status_); }
  T& value() { return *std::launder(reinterpret_cast<T*>(&storage_)); }
  T&& take() { return std::move(value()); }

 private:
  Status status_;
  bool has_ = false;
  alignas(T) unsigned char storage_[sizeof(T)];
};

#define OL_CONCAT_(a, b) a##b
#define OL_CONCAT(a, b) OL_CONCAT_(a, b)

// Returns from the enclosing function when `expr` (a Status) is an error.
#define OL_TRY(expr)                      \
  do {                                    \
    ::onnxlet::Status ol_status = (expr); \
    if (!ol_status.ok()) [[unlikely]]     \
      return ol_status;                   \
  } while (0)

// `OL_ASSIGN(auto x, f())`: declares or assigns from a Result, or returns its error.
#define OL_ASSIGN(target, expr) OL_ASSIGN_IMPL(OL_CONCAT(ol_result_, __COUNTER__), target, expr)
#define OL_ASSIGN_IMPL(result, target, expr) \
  auto result = (expr);                      \
  if (!result.ok()) [[unlikely]]             \
    return result.status();                  \
  target = result.take()

}  // namespace onnxlet
