// The program inside a bundle: reads what it is given, runs the model that was put into it, and prints the answer.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "abi/onnxlet.h"
#include "answer.h"
#include "arguments.h"
#include "base/number_text.h"
#include "engine.h"
#include "files.h"
#include "inputs.h"
#include "integrity.h"
#include "interface.h"
#include "key.h"
#include "output.h"
#include "payload.h"
#include "program.h"

namespace runner {
namespace {

std::string heading(const Interface& interface) {
  std::string out = interface.title.empty() ? interface.name : interface.title;
  if (!interface.description.empty()) out += ": " + interface.description;
  return out + "\n";
}

std::string inputs_text(const Interface& interface) {
  std::string out = "inputs:\n";
  for (const Input& input : interface.inputs) {
    out += text("  ", input.name, "  ", what_to_give(input));
    out += input.label.empty() ? "\n" : text(" (", input.label, ")\n");
  }
  out += "outputs:\n";
  for (const Output& output : interface.outputs) out += text("  ", output.name, "  ", output.kind, "\n");
  return out;
}

void show_help(const Interface& interface, const char* program) {
  std::string usage = text("usage: ", name_of(program), " [OPTION ...]");
  for (const Input& input : interface.inputs) usage += " " + input.name;
  print(text(heading(interface), usage, "\n", inputs_text(interface), kOptionsHelp));
}

void show_info(const Interface& interface, const Payload& payload) {
  print(text(heading(interface), inputs_text(interface), "engine: onnxlet ", ol_version(), "\n",
             "model: ", payload.model.size(), " bytes, SHA-256 ", hex(payload.model_digest),
             payload.encrypted ? ", encrypted" : "", "\n"));
}

std::string milliseconds(double value) {
  constexpr onnxlet::FloatFormat kFewDigits{14, -126};
  return onnxlet::shortest_text(value, kFewDigits) + " ms";
}

std::vector<Value> run(const Engine& engine, const std::vector<Feed>& feeds, int repeat) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  std::vector<Value> outputs;
  for (int i = 0; i < repeat; ++i) {
    outputs.clear();
    const Clock::time_point start = Clock::now();
    outputs = engine.run(feeds);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  if (repeat > 1) {
    std::sort(times.begin(), times.end());
    note(text(repeat, " runs on ", engine.threads(), " threads: fastest ", milliseconds(times.front()), ", median ",
              milliseconds(times[times.size() / 2])));
  }
  return outputs;
}

int perform(int count, char** arguments) {
  const Options options = parse_arguments(count, arguments);
  const char* program = count > 0 ? arguments[0] : "runner";
  const bool check = !options.no_verify;
  const bool whole = check && !options.help && check_folder(program);
  Payload payload = read_payload(program, check);
  const Interface interface = parse_interface(payload.interface);
  if (options.help) return show_help(interface, program), 0;
  if (options.verify_only) {
    print(whole ? "the bundle is what it was\n"
                : "the model in this program is what it was; the bundle's folder cannot be seen\n");
    return 0;
  }
  if (options.info) return show_info(interface, payload), 0;
  for (const auto& [name, file] : options.files) output_index(interface, name);
  const std::vector<Feed> feeds = make_feeds(interface, options);
  if (payload.encrypted) decrypt(payload, options);
  const Engine engine(std::move(payload.model), options.threads);
  const std::vector<Value> outputs = run(engine, feeds, options.repeat);
  write_files(interface, outputs, options);
  if (options.json)
    print(as_json(interface, outputs));
  else if (options.files.empty())
    print(for_people(interface, outputs));
  return 0;
}

}  // namespace
}  // namespace runner

int main(int count, char** arguments) {
  runner::perform(count, arguments);
  runner::end(runner::Exit::kDone);
}
