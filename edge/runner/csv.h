// Tables as text: RFC 4180, with a first line of names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runner {

struct Table {
  std::string path;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

Table parse_table(std::string_view bytes, std::string path);

}  // namespace runner
