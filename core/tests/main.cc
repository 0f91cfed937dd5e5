#include <cstdio>
#include <cstring>

#include "base/level.h"
#include "tests/check.h"

namespace onnxlet::test {
namespace {

Case* first_case = nullptr;
int failures_here = 0;

bool selected(const char* name, int argc, char** argv) {
  bool any = false;
  for (int i = 1; i < argc; ++i) {
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
  if (argc > 1 && std::strcmp(argv[1], "-l") == 0) {
    for (Case* c = first_case; c != nullptr; c = c->next) std::printf("%s\n", c->name);
    return 0;
  }
  int passed = 0, failed = 0;
  for (Case* c = first_case; c != nullptr; c = c->next) {
    if (!selected(c->name, argc, argv)) continue;
    for (int level = 0; level <= static_cast<int>(best_level()); ++level) {
      failures_here = 0;
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
