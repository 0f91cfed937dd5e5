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

template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

// Message grammar: rule broken; actual values; what to do.
template <class... P> Status invalid_argument(const P&... p) { return {Code::kInvalidArgument, text(p...)}; }
template <class... P> Status invalid_protobuf(const P&... p) { return {Code::kInvalidProtobuf, text(p...)}; }
template <class... P> Status invalid_graph(const P&... p) { return {Code::kInvalidGraph, text(p...)}; }
template <class... P> Status not_implemented(const P&... p) { return {Code::kNotImplemented, text(p...)}; }
template <class... P> Status run_failed(const P&... p) { return {Code::kRunFailed, text(p...)}; }
template <class... P> Status internal_error(const P&... p) { return {Code::kInternal, text(p...)}; }
Status out_of_memory(uint64_t bytes);

}  // namespace onnxlet
