// Message building without printf: `text("axis ", axis, " is outside ", shape)`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/dtype.h"
#include "base/shape.h"
#include "base/status.h"

namespace onnxlet {

void append(std::string& out, std::string_view s);
void append(std::string& out, int64_t v);
void append(std::string& out, uint64_t v);
void append(std::string& out, double v);  // up to 9 significant digits
void append(std::string& out, DType t);
void append(std::string& out, const Shape& s);  // "[1,3,224,224]"
inline void append(std::string& out, const char* s) { append(out, std::string_view(s)); }
inline void append(std::string& out, const std::string& s) { append(out, std::string_view(s)); }

template <class T>
  requires std::is_integral_v<T>
void append(std::string& out, T v) {
  if constexpr (std::is_signed_v<T>) {
    append(out, static_cast<int64_t>(v));
  } else {
    append(out, static_cast<uint64_t>(v));
  }
}

// One argument of text(). Call sites only fill an array of these: messages are many and never hot, so they share one
// function instead of each instantiating its own.
struct TextPart {
  enum Kind : uint8_t { kChars, kView, kInt, kUint, kDouble, kDType, kShape };
  Kind kind;
  uint32_t length;  // of kView; call sites are many, and shorter without a value for the others
  union {
    const char* chars;
    int64_t i;
    uint64_t u;
    double d;
    const Shape* shape;
  };
  TextPart(const char* s) : kind(kChars), chars(s) {}                                                      // NOLINT
  TextPart(std::string_view s) : kind(kView), length(static_cast<uint32_t>(s.size())), chars(s.data()) {}  // NOLINT
  TextPart(const std::string& s) : TextPart(std::string_view(s)) {}                                        // NOLINT
  TextPart(double v) : kind(kDouble), d(v) {}                                                              // NOLINT
  TextPart(float v) : TextPart(static_cast<double>(v)) {}                                                  // NOLINT
  TextPart(DType t) : kind(kDType), i(static_cast<int64_t>(t)) {}                                          // NOLINT
  TextPart(const Shape& s) : kind(kShape), shape(&s) {}                                                    // NOLINT
  template <class T>
    requires std::is_integral_v<T>
  TextPart(T v) : kind(std::is_signed_v<T> ? kInt : kUint) {  // NOLINT
    if constexpr (std::is_signed_v<T>)
      i = v;
    else
      u = v;
  }
};

std::string join_text(const TextPart* parts, size_t count);
Status make_status(Code code, const TextPart* parts, size_t count);

template <class... P>
[[gnu::always_inline]] inline std::string text(const P&... p) {
  const TextPart parts[] = {TextPart(p)...};
  return join_text(parts, sizeof...(p));
}
template <Code kCode, class... P>
[[gnu::always_inline]] inline Status failure(const P&... p) {
  const TextPart parts[] = {TextPart(p)...};
  return make_status(kCode, parts, sizeof...(p));
}

// Message grammar: rule broken; actual values; what to do.
template <class... P>
[[gnu::always_inline]] inline Status invalid_argument(const P&... p) {
  return failure<Code::kInvalidArgument>(p...);
}
template <class... P>
[[gnu::always_inline]] inline Status invalid_protobuf(const P&... p) {
  return failure<Code::kInvalidProtobuf>(p...);
}
template <class... P>
[[gnu::always_inline]] inline Status invalid_graph(const P&... p) {
  return failure<Code::kInvalidGraph>(p...);
}
template <class... P>
[[gnu::always_inline]] inline Status not_implemented(const P&... p) {
  return failure<Code::kNotImplemented>(p...);
}
template <class... P>
[[gnu::always_inline]] inline Status run_failed(const P&... p) {
  return failure<Code::kRunFailed>(p...);
}
template <class... P>
[[gnu::always_inline]] inline Status internal_error(const P&... p) {
  return failure<Code::kInternal>(p...);
}
template <class... P>
[[gnu::always_inline]] inline Status out_of_memory(const P&... p) {
  return failure<Code::kOutOfMemory>("out of memory: ", p...);
}

}  // namespace onnxlet
