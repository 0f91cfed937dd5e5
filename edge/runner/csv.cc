#include "csv.h"

#include "program.h"

namespace runner {
namespace {

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (bytes_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  bool at_end() const { return at_ == bytes_.size(); }
  size_t line() const { return line_; }

  // The fields up to the end of the line.
  std::vector<std::string> record() {
    std::vector<std::string> fields;
    do fields.push_back(field());
    while (take(','));
    take('\r');
    if (!take('\n') && !at_end())
      fail(Exit::kFailed,
           text(path_, " line ", line_, ": after a field comes neither a comma nor the end of the line"));
    ++line_;
    return fields;
  }

 private:
  bool take(char c) {
    if (at_end() || bytes_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string field() {
    if (take('"')) return in_quotes();
    const size_t start = at_;
    while (!at_end() && bytes_[at_] != ',' && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
    return std::string(bytes_.substr(start, at_ - start));
  }

  std::string in_quotes() {
    std::string out;
    const size_t first_line = line_;
    while (!at_end()) {
      const char c = bytes_[at_++];
      if (c == '"' && !take('"')) return out;
      if (c == '\n') ++line_;
      out.push_back(c);
    }
    fail(Exit::kFailed, text(path_, " line ", first_line, ": a quote is not closed"));
  }

  std::string_view bytes_;
  const std::string& path_;
  size_t at_ = 0, line_ = 1;
};

}  // namespace

Table parse_table(std::string_view bytes, std::string path) {
  Table table{std::move(path), {}, {}};
  Reader reader(bytes, table.path);
  if (reader.at_end()) fail(Exit::kFailed, text(table.path, " is empty; it needs a line of names"));
  table.names = reader.record();
  while (!reader.at_end()) {
    const size_t line = reader.line();
    std::vector<std::string> row = reader.record();
    if (row.size() == 1 && row[0].empty() && table.names.size() > 1) continue;  // an empty line
    if (row.size() != table.names.size()) {
      fail(Exit::kFailed,
           text(table.path, " line ", line, " has ", row.size(), " fields, and the first line ", table.names.size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace runner
