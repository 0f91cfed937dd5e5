// A small test runner.
//
//   TEST(gather_negative_index) {
//     CHECK_EQ(f(1), 2);
//     CHECK_NEAR(x, y, 1e-6);
//   }
//
// core_tests [-l] [-t] [name part]...: runs the tests whose names contain one of the parts. -l lists them; with -t the
// kernels have workers.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/status.h"

namespace onnxlet::test {

struct Case {
  const char* name;
  void (*body)();
  Case* next;
  Case(const char* test_name, void (*test_body)());
};

// Records a failure of the running test; it goes on.
void fail(const char* file, int line, const std::string& what);

// A value as text for a failure message; "?" for types without a form.
template <class T>
std::string show(const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(v);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(v));
  } else if constexpr (std::is_null_pointer_v<T>) {
    return "nullptr";
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return "\"" + std::string(std::string_view(v)) + "\"";
  } else {
    return "?";
  }
}

// NaN equals NaN, infinities equal themselves; else |a - b| <= tolerance * max(1, |b|).
inline bool near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::fabs(a - b) <= tolerance * std::fmax(1.0, std::fabs(b));
}

}  // namespace onnxlet::test

#define TEST(name)                                              \
  static void test_##name();                                    \
  static ::onnxlet::test::Case case_##name(#name, test_##name); \
  static void test_##name()

#define CHECK(condition)                                                               \
  do {                                                                                 \
    if (!(condition)) ::onnxlet::test::fail(__FILE__, __LINE__, "false: " #condition); \
  } while (0)
#define CHECK_EQ(actual, expected)                                                                                  \
  do {                                                                                                              \
    const auto& ol_a = (actual);                                                                                    \
    const auto& ol_e = (expected);                                                                                  \
    if (!(ol_a == ol_e)) {                                                                                          \
      ::onnxlet::test::fail(                                                                                        \
          __FILE__, __LINE__,                                                                                       \
          std::string(#actual " is ") + ::onnxlet::test::show(ol_a) + ", expected " + ::onnxlet::test::show(ol_e)); \
    }                                                                                                               \
  } while (0)
#define CHECK_NEAR(actual, expected, tolerance)                                                                     \
  do {                                                                                                              \
    const double ol_a = static_cast<double>(actual), ol_e = static_cast<double>(expected);                          \
    if (!::onnxlet::test::near(ol_a, ol_e, tolerance)) {                                                            \
      ::onnxlet::test::fail(                                                                                        \
          __FILE__, __LINE__,                                                                                       \
          std::string(#actual " is ") + ::onnxlet::test::show(ol_a) + ", expected " + ::onnxlet::test::show(ol_e)); \
    }                                                                                                               \
  } while (0)
// A Status or Result that must be without error.
#define CHECK_OK(expression)                                                                     \
  do {                                                                                           \
    auto&& ol_r = (expression);                                                                  \
    if (!ol_r.ok()) {                                                                            \
      ::onnxlet::Status ol_s = ::onnxlet::test::status_of(ol_r);                                 \
      ::onnxlet::test::fail(__FILE__, __LINE__, #expression ": " + std::string(ol_s.message())); \
    }                                                                                            \
  } while (0)

namespace onnxlet::test {
inline Status status_of(Status& s) { return std::move(s); }
template <class T>
Status status_of(Result<T>& r) {
  return r.status();
}
}  // namespace onnxlet::test
