#include "integrity.h"

#include <string_view>
#include <utility>
#include <vector>

#include "files.h"
#include "payload.h"
#include "program.h"

namespace runner {
namespace {

constexpr char kSums[] = "SHA256SUMS";

struct Sum {
  std::string path, digest;
};

[[noreturn]] void altered(std::string_view path, std::string_view what) { fail(Exit::kAltered, text(path, " ", what)); }

// A line "HEX  PATH".
Sum parse_line(std::string_view line, size_t number) {
  constexpr size_t kDigits = 64;
  if (line.size() <= kDigits + 2 || line.substr(kDigits, 2) != "  " ||
      line.find_first_not_of("0123456789abcdef") != kDigits)
    altered(kSums, text("is damaged: line ", number, " is not a SHA-256, two spaces and a path"));
  return {std::string(line.substr(kDigits + 2)), std::string(line.substr(0, kDigits))};
}

std::vector<Sum> parse_sums(std::string_view lines) {
  std::vector<Sum> sums;
  if (!lines.ends_with('\n')) altered(kSums, "is damaged: its last line has no end");
  for (size_t end; (end = lines.find('\n')) != std::string_view::npos; lines.remove_prefix(end + 1)) {
    Sum sum = parse_line(lines.substr(0, end), sums.size() + 1);
    if (!sums.empty() && sum.path <= sums.back().path)
      altered(kSums, text("is damaged: line ", sums.size() + 1, " is not in order"));
    sums.push_back(std::move(sum));
  }
  return sums;
}

void check(const std::string& folder, const Entry& entry, const Sum& sum) {
  if (!entry.regular) altered(entry.path, "is not a regular file");
  const std::string digest = hex(hash_of(folder + "/" + entry.path));
  if (digest != sum.digest)
    altered(entry.path, text("differs: its SHA-256 is ", digest, "; ", kSums, " says ", sum.digest));
}

}  // namespace

bool check_folder(const char* program) {
  const std::string folder = bundle_folder(program), list_path = folder + "/" + kSums;
  if (!can_read(list_path)) {
#if defined(__wasm__)
    if (!can_read(program)) return false;
#endif
    altered(kSums, "is missing (--no-verify runs the program without it)");
  }
  const std::vector<Sum> sums = parse_sums(read_file(list_path));
  auto sum = sums.begin();
  for (const Entry& entry : list(folder)) {
    if (entry.path == kSums) continue;
    if (sum != sums.end() && sum->path < entry.path) break;  // missing
    if (sum == sums.end() || entry.path < sum->path)
      altered(entry.path, text("is extra: ", kSums, " does not list it"));
    check(folder, entry, *sum);
    ++sum;
  }
  if (sum != sums.end()) altered(sum->path, "is missing");
  return true;
}

}  // namespace runner
