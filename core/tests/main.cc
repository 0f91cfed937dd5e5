#include <cstdio>
#include <cstring>

#include "base/level.h"
#include "base/parallel.h"
#include "tests/check.h"
#include "tests/crew.h"

namespace onnxlet::test {
namespace {

Case* first_case = nullptr;
int failures_here = 0;

bool is_option(const char* word) { return std::strcmp(word, "-l") == 0 || std::strcmp(word, "-t") == 0; }

bool has_option(const char* option, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], option) == 0) return true;
  }
  return false;
}

bool selected(const char* name, int argc, char** argv) {
  bool any = false;
  for (int i = 1; i < argc; ++i) {
    if (is_option(argv[i])) continue;
    any = true;
    if (std::strstr(name, argv[i]) != nullptr) return true;
  }
  return !any;
}

}  // namespace

Case::Case(const char* test_name, void (*test_body)()) : name(test_name), body(test_body), next(first_case) {
  first_case = this;
}

void fail(const char* file, int line, const std::string& what) {
  // A loop over elements would otherwise print thousands of lines.
  if (++failures_here <= 10) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

int run_all(int argc, char** argv) {
  if (has_option("-l", argc, argv)) {
    for (Case* c = first_case; c != nullptr; c = c->next) std::printf("%s\n", c->name);
    return 0;
  }
  const bool threads = has_option("-t", argc, argv);
  if (threads) Crew::start();
  int passed = 0, failed = 0;
  for (Case* c = first_case; c != nullptr; c = c->next) {
    if (!selected(c->name, argc, argv)) continue;
    for (int level = 0; level <= static_cast<int>(best_level()); ++level) {
      failures_here = 0;
      if (threads) set_worker_count(Crew::kWorkers);
      set_level(static_cast<Level>(level));
      c->body();
      if (failures_here == 0) continue;
      std::printf("FAILED %s (%d checks, %s kernels)\n", c->name, failures_here, level == 0 ? "portable" : "fast");
      break;
    }
    failures_here > 0 ? ++failed : ++passed;
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0 || passed == 0 ? 1 : 0;
}

}  // namespace onnxlet::test

int main(int argc, char** argv) { return onnxlet::test::run_all(argc, argv); }
