#include "base/regex_class.h"

#include <algorithm>
#include <iterator>

#include "base/regex_reader.h"
#include "base/sort.h"
#include "base/unicode.h"

namespace onnxlet {
namespace {

constexpr int32_t kMostFolded = 0x1000;

struct NamedClass {
  std::string_view name, ranges;  // pairs of bytes
};
constexpr NamedClass kPosix[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", std::string_view("\0\x7f", 2)},
    {"blank", "\t\t  "},
    {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZ__az"},
    {"xdigit", "09AFaf"},
};

RegexClass of_pairs(std::string_view pairs, bool negated) {
  RegexClass c;
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) c.add(pairs[i], pairs[i + 1]);
  if (negated) c.negate();
  return c;
}

}  // namespace

void RegexClass::normalize() {
  std::vector<int64_t> ordered;  // as one number each
  for (const RegexRange& r : ranges_) ordered.push_back(static_cast<int64_t>(r.low) << 32 | r.high);
  sort_by(ordered.data(), static_cast<int64_t>(ordered.size()), [](int64_t a, int64_t b) { return a < b; });
  ranges_.clear();
  for (const int64_t both : ordered) {
    const RegexRange r{static_cast<int32_t>(both >> 32), static_cast<int32_t>(both & 0xffffffff)};
    if (!ranges_.empty() && r.low <= ranges_.back().high + 1) {
      ranges_.back().high = std::max(ranges_.back().high, r.high);
    } else {
      ranges_.push_back(r);
    }
  }
}

void RegexClass::negate() {
  normalize();
  std::vector<RegexRange> rest;
  int32_t next = 0;
  for (const RegexRange& r : ranges_) {
    if (r.low > next) rest.push_back({next, r.low - 1});
    next = r.high + 1;
  }
  if (next <= RegexReader::kLastCodePoint) rest.push_back({next, RegexReader::kLastCodePoint});
  ranges_ = std::move(rest);
}

void RegexClass::fold_case() {
  const size_t n = ranges_.size();
  for (size_t i = 0; i < n; ++i) {
    const RegexRange r = ranges_[i];
    if (r.high - r.low > kMostFolded) continue;  // negations and dots hold both cases already
    for (int32_t x = r.low; x <= std::min(r.high, 0xffff); ++x) {
      if (to_lower(x) != x) add(to_lower(x), to_lower(x));
      if (to_upper(x) != x) add(to_upper(x), to_upper(x));
    }
  }
}

bool RegexClass::accepts(int32_t c) const {
  const auto it =
      std::upper_bound(ranges_.begin(), ranges_.end(), c, [](int32_t v, const RegexRange& r) { return v < r.low; });
  return it != ranges_.begin() && c <= std::prev(it)->high;
}

bool is_ascii_word(int32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool perl_class(char letter, bool negated, RegexClass* out) {
  switch (letter) {
    case 'd':
      out->add(of_pairs("09", negated));
      return true;
    case 's':
      out->add(of_pairs("\t\n\f\r  ", negated));
      return true;
    case 'w':
      out->add(of_pairs("09AZ__az", negated));
      return true;
    default:
      return false;
  }
}

size_t posix_class(std::string_view text, bool negated, RegexClass* out) {
  for (const NamedClass& named : kPosix) {
    if (text.substr(0, named.name.size()) != named.name || text.substr(named.name.size(), 2) != ":]") continue;
    out->add(of_pairs(named.ranges, negated));
    return named.name.size();
  }
  return 0;
}

}  // namespace onnxlet
