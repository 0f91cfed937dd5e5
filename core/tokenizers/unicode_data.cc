#include "tokenizers/unicode_data.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/sort.h"
#include "base/unicode.h"

namespace onnxlet {
namespace {

#include "tokenizers/unicode_data.inc"

constexpr std::string_view kCategories[] = {"Cc", "Cf", "Cn", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu",
                                            "Mc", "Me", "Mn", "Nd", "Nl", "No", "Pc", "Pd", "Pe", "Pf",
                                            "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs"};
constexpr uint32_t categories(int first, int last) { return (uint32_t{2} << last) - (uint32_t{1} << first); }
constexpr uint32_t kLetters = categories(5, 9), kMarks = categories(10, 12), kNumbers = categories(13, 15);
constexpr uint32_t kOther = categories(0, 1) | categories(3, 4);
constexpr uint32_t kNonspacing = categories(12, 12), kPunctuation = categories(16, 22);
constexpr uint32_t kWord = kLetters | kMarks | categories(13, 14) | categories(16, 16);

constexpr int32_t kReplacement = 0xfffd;
constexpr int32_t kHangulFirst = 0xac00, kHangulLead = 0x1100, kHangulVowel = 0x1161, kHangulTail = 0x11a7;
constexpr int32_t kVowels = 21, kTails = 28, kLeads = 19, kSyllables = kLeads * kVowels * kTails;

// The value of the run that holds the code point.
uint8_t run_value(std::span<const uint32_t> runs, int32_t c) {
  const auto behind = std::upper_bound(runs.begin(), runs.end(), static_cast<uint32_t>(c) << 8 | 0xff);
  return static_cast<uint8_t>(*std::prev(behind) & 0xff);
}

uint8_t combining_class(int32_t c) { return c < 0x300 ? 0 : run_value(kCombiningRuns, c); }

int32_t lower(int32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  constexpr size_t kFields = 4, kRuns = std::size(kLowerRuns) / kFields;
  size_t low = 0, high = kRuns;
  while (low < high) {  // the first run that ends at or behind c
    const size_t middle = (low + high) / 2;
    if (kLowerRuns[middle * kFields + 1] < c)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == kRuns) return c;
  const int32_t* run = &kLowerRuns[low * kFields];
  return c >= run[0] && (c - run[0]) % run[2] == 0 ? c + run[3] : c;
}

using CodePoints = std::vector<int32_t>;

bool append_mapped(std::span<const uint32_t> keys, const uint16_t* ends, const uint16_t* units, int32_t c,
                   CodePoints* out) {
  const auto found = std::lower_bound(keys.begin(), keys.end(), static_cast<uint32_t>(c));
  if (found == keys.end() || *found != static_cast<uint32_t>(c)) return false;
  const auto index = static_cast<size_t>(found - keys.begin());
  for (size_t i = index == 0 ? 0 : ends[index - 1]; i < ends[index]; ++i) {
    const int32_t unit = units[i];
    if (unit >= 0xd800 && unit < 0xdc00) {
      out->push_back(0x10000 + ((unit - 0xd800) << 10) + (units[i + 1] - 0xdc00));
      ++i;
    } else {
      out->push_back(unit);
    }
  }
  return true;
}

void append_decomposed(int32_t c, bool compatible, CodePoints* out) {
  if (c < 0xa0) return out->push_back(c);
  if (c >= kHangulFirst && c < kHangulFirst + kSyllables) {
    const int32_t index = c - kHangulFirst, tail = index % kTails;
    out->push_back(kHangulLead + index / (kVowels * kTails));
    out->push_back(kHangulVowel + index / kTails % kVowels);
    if (tail != 0) out->push_back(kHangulTail + tail);
    return;
  }
  if (compatible && append_mapped(kCompatibleKeys, kCompatibleEnds, kCompatibleUnits, c, out)) return;
  if (append_mapped(kCanonicalKeys, kCanonicalEnds, kCanonicalUnits, c, out)) return;
  out->push_back(c);
}

// Sorts each run of combining marks by class, keeping the order of equal ones.
void order_marks(CodePoints* text) {
  std::vector<int64_t> run;  // class, place and code point as one number each
  for (size_t i = 0; i <= text->size(); ++i) {
    const int32_t c = i < text->size() ? (*text)[i] : 0;
    const uint8_t combining = combining_class(c);
    if (combining != 0) {
      run.push_back(static_cast<int64_t>(combining) << 55 | static_cast<int64_t>(run.size()) << 24 | c);
      continue;
    }
    if (run.size() > 1) {
      sort_by(run.data(), static_cast<int64_t>(run.size()), [](int64_t a, int64_t b) { return a < b; });
      for (size_t k = 0; k < run.size(); ++k) {
        (*text)[i - run.size() + k] = static_cast<int32_t>(run[k] & 0xffffff);
      }
    }
    run.clear();
  }
}

// The primary composite of two code points, or -1.
int32_t composite(int32_t first, int32_t second) {
  if (first >= kHangulLead && first < kHangulLead + kLeads && second >= kHangulVowel &&
      second < kHangulVowel + kVowels) {
    return kHangulFirst + ((first - kHangulLead) * kVowels + (second - kHangulVowel)) * kTails;
  }
  if (first >= kHangulFirst && first < kHangulFirst + kSyllables && (first - kHangulFirst) % kTails == 0 &&
      second > kHangulTail && second < kHangulTail + kTails) {
    return first + (second - kHangulTail);
  }
  constexpr size_t kFields = 3;
  const auto key = [](size_t i) {
    return static_cast<uint64_t>(kCompositions[i * kFields]) << 32 | kCompositions[i * kFields + 1];
  };
  const uint64_t wanted = static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(second);
  size_t low = 0, high = std::size(kCompositions) / kFields;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (key(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < std::size(kCompositions) / kFields && key(low) == wanted;
  return found ? static_cast<int32_t>(kCompositions[low * kFields + 2]) : -1;
}

void compose(CodePoints* text) {
  size_t starter = SIZE_MAX, kept = 0;
  uint8_t previous = 0;  // the class of the last one kept behind the starter
  for (const int32_t c : *text) {
    const uint8_t combining = combining_class(c);
    const bool blocked = kept > starter + 1 && previous >= combining;
    if (starter != SIZE_MAX && !blocked) {
      const int32_t both = composite((*text)[starter], c);
      if (both >= 0) {
        (*text)[starter] = both;
        continue;
      }
    }
    if (combining == 0) starter = kept;
    previous = combining;
    (*text)[kept++] = c;
  }
  text->resize(kept);
}

}  // namespace

uint32_t category_set(std::string_view name) {
  uint32_t set = 0;
  for (size_t i = 0; i < std::size(kCategories); ++i) {
    if (!name.empty() && kCategories[i].substr(0, name.size()) == name) set |= uint32_t{1} << i;
  }
  return set;
}

bool in_categories(int32_t c, uint32_t set) { return (set >> run_value(kCategoryRuns, c) & 1) != 0; }

bool is_letter(int32_t c) { return in_categories(c, kLetters); }
bool is_number(int32_t c) { return in_categories(c, kNumbers); }
bool is_mark(int32_t c) { return in_categories(c, kMarks); }
bool is_other(int32_t c) { return in_categories(c, kOther); }
bool is_nonspacing(int32_t c) { return in_categories(c, kNonspacing); }

bool is_punctuation(int32_t c) {
  if (c < 0x80) return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7f);
  return in_categories(c, kPunctuation);
}

bool is_word(int32_t c) {
  if (c == 0x200c || c == 0x200d) return true;  // Join_Control
  // Letters in circles and squares are symbols, and Alphabetic.
  constexpr int32_t kEnclosed[][2] = {{0x24b6, 0x24e9}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}};
  for (const auto& [first, last] : kEnclosed) {
    if (c >= first && c <= last) return true;
  }
  return in_categories(c, kWord);
}

bool is_white_space(int32_t c) { return is_space(c) && !(c >= 0x1c && c <= 0x1f); }

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t from = i;
    const int32_t c = next_code_point(text, &i);
    if (c < 0)
      out.append(text.substr(from, i - from));
    else if (c == 0x130)
      out += "i\xcc\x87";  // the one letter whose small form is two code points
    else
      append_utf8(out, lower(c));
  }
  return out;
}

std::vector<int32_t> code_points(std::string_view text) {
  CodePoints out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const int32_t c = next_code_point(text, &i);
    out.push_back(c < 0 ? kReplacement : c);
  }
  return out;
}

std::string normalize(std::string_view text, NormalForm form) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; })) {
    return std::string(text);
  }
  const bool compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  CodePoints decomposed;
  for (const int32_t c : code_points(text)) append_decomposed(c, compatible, &decomposed);
  order_marks(&decomposed);
  if (form == NormalForm::kNfc || form == NormalForm::kNfkc) compose(&decomposed);
  std::string out;
  out.reserve(text.size());
  for (const int32_t c : decomposed) append_utf8(out, c);
  return out;
}

}  // namespace onnxlet
