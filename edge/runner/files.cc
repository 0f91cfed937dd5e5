#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "program.h"

namespace runner {
namespace {

constexpr size_t kChunk = 1 << 18;

[[noreturn]] void fail_on(const std::string& path, const char* what) {
  fail(Exit::kFailed, text(path, " cannot be ", what, ": ", std::strerror(errno)));
}

// Bytes read, less than asked for only at the end.
size_t read_some(int descriptor, const std::string& path, char* into, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor, into + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_on(path, "read");
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

void list_into(const std::string& root, const std::string& below, std::vector<Entry>* found) {
  const std::string folder = below.empty() ? root : root + "/" + below;
  DIR* open = opendir(folder.c_str());
  if (open == nullptr) fail_on(folder, "read");
  while (const dirent* entry = readdir(open)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = below.empty() ? name : below + "/" + name;
    struct stat status;
    if (lstat((root + "/" + path).c_str(), &status) != 0) fail_on(path, "read");
    if (S_ISDIR(status.st_mode)) {
      list_into(root, path, found);
    } else {
      found->push_back({path, S_ISREG(status.st_mode)});
    }
  }
  closedir(open);
}

}  // namespace

File::File(std::string path) : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {}

File::~File() {
  if (is_open()) close(descriptor_);
}

uint64_t File::size() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) fail_on(path_, "read");
  return static_cast<uint64_t>(status.st_size);
}

void File::read(uint64_t offset, void* into, size_t size) const {
  if (lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) fail_on(path_, "read");
  if (read_some(descriptor_, path_, static_cast<char*>(into), size) != size)
    fail(Exit::kFailed, text(path_, " ends too early"));
}

std::string read_file(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_on(path, "read");
  std::string bytes;
  size_t done = 0;
  do {
    bytes.resize(done + kChunk);
    done += read_some(descriptor, path, bytes.data() + done, kChunk);
  } while (done == bytes.size());
  bytes.resize(done);
  if (descriptor != STDIN_FILENO) close(descriptor);
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail_on(path, "written");
  if (!write_all(descriptor, bytes)) fail_on(path, "written");
  if (close(descriptor) != 0) fail_on(path, "written");
}

bool can_read(const std::string& path) { return File(path).is_open(); }

Digest hash_of(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_on(path, "read");
  std::string chunk(kChunk, '\0');
  Sha256 hash;
  size_t got = 0;
  do {
    got = read_some(descriptor, path, chunk.data(), chunk.size());
    hash.add(chunk.data(), got);
  } while (got == chunk.size());
  close(descriptor);
  return hash.end();
}

std::vector<Entry> list(const std::string& folder) {
  std::vector<Entry> found;
  list_into(folder, "", &found);
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  return found;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace runner
