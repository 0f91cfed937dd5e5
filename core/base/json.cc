#include "base/json.h"

#include <cmath>

#include "base/text.h"

namespace onnxlet {

void JsonWriter::separate() {
  if (out_.empty()) return;
  const char last = out_.back();
  if (last != '{' && last != '[' && last != ':' && last != ',') out_.push_back(',');
}

JsonWriter& JsonWriter::open(char c) {
  separate();
  out_.push_back(c);
  return *this;
}

JsonWriter& JsonWriter::close(char c) {
  out_.push_back(c);
  return *this;
}

void JsonWriter::quote(std::string_view s) {
  constexpr char kHex[] = "0123456789abcdef";
  out_.push_back('"');
  for (char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_.push_back('\\');
      out_.push_back(c);
    } else if (byte < 0x20) {
      out_ += "\\u00";
      out_.push_back(kHex[byte >> 4]);
      out_.push_back(kHex[byte & 15]);
    } else {
      out_.push_back(c);
    }
  }
  out_.push_back('"');
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  out_.push_back(':');
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view s) {
  separate();
  quote(s);
  return *this;
}

JsonWriter& JsonWriter::value(int64_t v) {
  separate();
  append(out_, v);
  return *this;
}

JsonWriter& JsonWriter::value(uint64_t v) {
  separate();
  append(out_, v);
  return *this;
}

JsonWriter& JsonWriter::value(double v) {
  separate();
  if (std::isfinite(v))
    append(out_, v);
  else
    out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::value(bool v) { return raw(v ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

namespace {

constexpr int kMaxDepth = 32;

class JsonParser {
 public:
  JsonParser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Result<Json> parse() {
    Json root;
    OL_TRY(value(&root));
    skip_space();
    if (at_ != text_.size()) return error("something follows the value");
    return root;
  }

 private:
  Status error(const char* what) const { return invalid_argument(what_, " not JSON: ", what, " at character ", at_); }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Status value(Json* out) {
    skip_space();
    if (at_ >= text_.size()) return error("it ends too early");
    if (++depth_ > kMaxDepth) return error("it is nested too deep");
    Status status = value_at(text_[at_], out);
    --depth_;
    return status;
  }

  Status value_at(char c, Json* out) {
    if (c == '{') return object(out);
    if (c == '[') return array(out);
    if (c == '"') {
      out->kind = Json::Kind::kString;
      return string(&out->string);
    }
    if (take_word("null")) return {};
    out->kind = Json::Kind::kBool;
    out->boolean = c == 't';
    if (take_word("true") || take_word("false")) return {};
    out->kind = Json::Kind::kNumber;
    const size_t from = at_;
    OL_TRY(number(&out->number));
    out->string = text_.substr(from, at_ - from);
    return {};
  }

  Status object(Json* out) {
    out->kind = Json::Kind::kObject;
    take('{');
    if (take('}')) return {};
    do {
      skip_space();
      out->members.emplace_back();
      OL_TRY(string(&out->members.back().name));
      if (!take(':')) return error("':' is missing");
      OL_TRY(value(&out->members.back().value));
    } while (take(','));
    return take('}') ? Status() : error("'}' is missing");
  }

  Status array(Json* out) {
    out->kind = Json::Kind::kArray;
    take('[');
    if (take(']')) return {};
    do {
      out->items.emplace_back();
      OL_TRY(value(&out->items.back()));
    } while (take(','));
    return take(']') ? Status() : error("']' is missing");
  }

  Status string(std::string* out) {
    if (!take('"')) return error("a string is missing");
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c != '\\') {
        out->push_back(c);
        continue;
      }
      if (at_ >= text_.size()) break;
      c = text_[at_++];
      if (c == 'u') {
        OL_TRY(code_point(out));
      } else {
        constexpr std::string_view kFrom = "nrtbf", kTo = "\n\r\t\b\f";
        const size_t i = kFrom.find(c);
        out->push_back(i == std::string_view::npos ? c : kTo[i]);
      }
    }
    return take('"') ? Status() : error("a string has no end");
  }

  Status hex4(uint32_t* out) {
    if (text_.size() - at_ < 4) return error("\\u needs four digits");
    *out = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[at_++];
      const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
      if (digit < 0) return error("\\u needs four digits");
      *out = *out * 16 + static_cast<uint32_t>(digit);
    }
    return {};
  }

  Status code_point(std::string* out) {
    uint32_t c = 0;
    OL_TRY(hex4(&c));
    if (c >= 0xd800 && c < 0xdc00 && take_word("\\u")) {
      uint32_t low = 0;
      OL_TRY(hex4(&low));
      c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    const auto put = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xc0 | c >> 6), put(0x80 | (c & 63));
    } else if (c < 0x10000) {
      put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    } else {
      put(0xf0 | (c >> 18 & 7)), put(0x80 | (c >> 12 & 63)), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    }
    return {};
  }

  bool digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  Status number(double* out) {
    const bool negative = take('-');
    if (!digit()) return error("a value is missing");
    double v = 0;
    while (digit()) v = v * 10 + (text_[at_++] - '0');
    if (take_word(".")) {
      for (double unit = 0.1; digit(); unit /= 10) v += unit * (text_[at_++] - '0');
    }
    if (take_word("e") || take_word("E")) {
      const bool down = take_word("-");
      take_word("+");
      int exponent = 0;
      while (digit() && exponent < 1000) exponent = exponent * 10 + (text_[at_++] - '0');
      v *= std::pow(10.0, down ? -exponent : exponent);
    }
    *out = negative ? -v : v;
    return {};
  }

  std::string_view text_, what_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what) { return JsonParser(text, what).parse(); }

}  // namespace onnxlet
