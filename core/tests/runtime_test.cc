// The reader, the graph and the interpreter on small models, damaged ones included.
#include <string>
#include <vector>

#include "abi/onnxlet.h"
#include "base/memory.h"
#include "onnx/model.h"
#include "tests/check.h"
#include "tests/model_writer.h"

using namespace onnxlet;
using namespace onnxlet::test;

namespace {

constexpr int kFloat = 1, kUint8 = 2, kInt8 = 3, kInt64 = 7, kBool = 9;

ol_session* open_session(const std::string& file, const std::string& options = "") {
  void* bytes = ol_alloc(file.size());
  std::memcpy(bytes, file.data(), file.size());
  ol_model* model = ol_model_open(bytes, file.size());
  return model == nullptr ? nullptr : ol_session_create(model, options.data(), options.size());
}

ol_value* floats(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  ol_value* v = ol_tensor_new(kFloat, static_cast<int32_t>(dims.size()), dims.data());
  if (!values.empty()) std::memcpy(ol_tensor_data(v), values.data(), values.size() * sizeof(float));
  return v;
}

// Runs with one float input "x" and gives the first output's floats; an error gives an empty list.
std::vector<float> run_once(ol_session* session, const std::vector<int64_t>& dims, const std::vector<float>& x) {
  ol_run* run = ol_run_new(session);
  ol_value* input = floats(dims, x);
  std::vector<float> result;
  if (ol_run_feed(run, "x", 1, input) == 0 && ol_run_step(run) == OL_DONE) {
    ol_value* y = ol_run_output(run, 0);
    const auto* data = static_cast<const float*>(ol_tensor_data(y));
    result.assign(data, data + ol_tensor_bytes(y) / sizeof(float));
    ol_value_free(y);
  }
  ol_value_free(input);
  ol_run_free(run);
  return result;
}

// y = x after `n` iterations of x = x + x in a Loop.
std::string doubling_loop(int64_t n) {
  const GraphParts body{{node("Add", {"v", "v"}, {"w"}), node("Identity", {"c"}, {"c2"})},
                        {},
                        {value_info("i", kInt64), value_info("c", kBool), value_info("v", kFloat)},
                        {value_info("c2", kBool), value_info("w", kFloat)}};
  return model({{node("Loop", {"n", "", "x"}, {"y"}, {graph_attribute("body", graph(body))})},
                {tensor<int64_t>("n", kInt64, {}, {n})},
                {value_info("x", kFloat)},
                {value_info("y", kFloat)}});
}

const std::string& add_model() {
  static const std::string file = model({{node("Add", {"x", "b"}, {"y"})},
                                         {tensor<float>("b", kFloat, {2}, {1, 2})},
                                         {value_info("x", kFloat)},
                                         {value_info("y", kFloat)}});
  return file;
}

}  // namespace

TEST(runtime_runs_a_model_and_reuses_the_session) {
  ol_session* session = open_session(add_model());
  CHECK(session != nullptr);
  for (int i = 0; i < 3; ++i) {
    CHECK(run_once(session, {2}, {10, 20}) == (std::vector<float>{11, 22}));
    CHECK(run_once(session, {2, 2}, {0, 0, 1, 1}) == (std::vector<float>{1, 2, 2, 3}));
  }
  ol_session_free(session);
}

TEST(a_run_that_has_ended_stays_as_it_is) {
  ol_session* session = open_session(add_model());
  ol_run* run = ol_run_new(session);
  ol_value* x = floats({2}, {5, 6});
  CHECK_EQ(ol_run_feed(run, "x", 1, x), 0);
  CHECK_EQ(ol_run_fetch(run, "y", 1), 0);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(ol_run_step(run), static_cast<int32_t>(OL_DONE));
    CHECK_EQ(ol_run_output_count(run), 1);
  }
  ol_run_free(run);
  ol_value_free(x);

  run = ol_run_new(session);
  x = floats({3}, {5, 6, 7});
  CHECK_EQ(ol_run_feed(run, "x", 1, x), 0);
  CHECK_EQ(ol_run_step(run), -static_cast<int32_t>(OL_RUN_FAILED));
  CHECK_EQ(ol_run_step(run), -static_cast<int32_t>(OL_ABORTED));
  ol_run_free(run);
  ol_value_free(x);
  ol_session_free(session);
}

TEST(runtime_keeps_an_output_after_its_session_is_gone) {
  ol_session* session = open_session(add_model());
  ol_run* run = ol_run_new(session);
  ol_value* x = floats({2}, {5, 6});
  CHECK_EQ(ol_run_feed(run, "x", 1, x), 0);
  CHECK_EQ(ol_run_step(run), static_cast<int32_t>(OL_DONE));
  ol_value* y = ol_run_output(run, 0);
  ol_run_free(run);
  ol_value_free(x);
  ol_session_free(session);
  CHECK_EQ(static_cast<float*>(ol_tensor_data(y))[1], 8.0f);
  ol_value_free(y);
}

TEST(runtime_loops) {
  ol_session* session = open_session(doubling_loop(5));
  CHECK(run_once(session, {1}, {3}) == std::vector<float>{96});
  CHECK(run_once(session, {1}, {3}) == std::vector<float>{96});
  ol_session_free(session);
  session = open_session(doubling_loop(0));
  CHECK(run_once(session, {1}, {3}) == std::vector<float>{3});
  ol_session_free(session);
}

TEST(runs_end_after_as_many_steps_as_allowed) {
  // A Loop of 3 rounds: itself, and in each round Add and the end of the body.
  const std::string file = doubling_loop(3);
  ol_session* session = open_session(file, R"({"max_steps": 7})");
  CHECK(run_once(session, {1}, {3}) == std::vector<float>{24});
  ol_session_free(session);
  session = open_session(file, R"({"max_steps": 6})");
  CHECK(run_once(session, {1}, {3}).empty());
  CHECK_EQ(ol_last_code(), static_cast<int32_t>(OL_RUN_FAILED));
  CHECK_EQ(std::string(ol_last_message()),
           "node 'the_Loop' (Loop-16): the run was stopped after 6 steps, as many as max_steps allows: a loop does not "
           "end, or more are needed");
  ol_session_free(session);
}

// Loops for ever, and its body has no nodes.
std::string endless_loop() {
  const GraphParts body{{},
                        {},
                        {value_info("i", kInt64), value_info("c", kBool), value_info("v", kFloat)},
                        {value_info("c", kBool), value_info("v", kFloat)}};
  return model({{node("Loop", {"", "", "x"}, {"y"}, {graph_attribute("body", graph(body))})},
                {},
                {value_info("x", kFloat)},
                {value_info("y", kFloat)}});
}

TEST(a_loop_that_does_nothing_for_ever_can_be_aborted) {
  ol_session* session = open_session(endless_loop());
  ol_run* run = ol_run_new(session);
  ol_value* x = floats({1}, {1});
  CHECK_EQ(ol_run_feed(run, "x", 1, x), 0);
  CHECK_EQ(ol_run_slice(run, 1000), static_cast<int32_t>(OL_YIELDED));
  CHECK_EQ(ol_run_slice(run, 1000), static_cast<int32_t>(OL_YIELDED));
  ol_run_abort(run);
  CHECK_EQ(ol_run_slice(run, 1000), -static_cast<int32_t>(OL_ABORTED));
  ol_value_free(x);
  ol_run_free(run);
  ol_session_free(session);
}

TEST(tensors_are_as_large_as_allowed) {
  ol_session* session = open_session(add_model(), R"({"max_tensor_bytes": 800})");
  CHECK_EQ(run_once(session, {100, 2}, std::vector<float>(200)).size(), size_t{200});
  CHECK(run_once(session, {101, 2}, std::vector<float>(202)).empty());
  CHECK_EQ(ol_last_code(), static_cast<int32_t>(OL_OUT_OF_MEMORY));
  CHECK_EQ(
      std::string(ol_last_message()),
      "node 'the_Add' (Add-14): out of memory: 808 bytes were refused: 80 are in use, and max_tensor_bytes allows 800 "
      "[inputs: float[101,2], float[2]]");
  ol_session_free(session);
}

TEST(memory_is_used_as_far_as_allowed) {
  ol_session* session = open_session(add_model(), R"({"max_memory": 1000})");
  CHECK(run_once(session, {200, 2}, std::vector<float>(400)).empty());
  CHECK_EQ(ol_last_code(), static_cast<int32_t>(OL_OUT_OF_MEMORY));
  CHECK_EQ(std::string(ol_last_message()),
           "node 'the_Add' (Add-14): out of memory: 1600 bytes were refused: 80 are in use, and max_memory allows 1000 "
           "[inputs: float[200,2], float[2]]");
  CHECK(run_once(session, {1, 2}, {1, 2}) == (std::vector<float>{2, 4}));
  ol_session_free(session);
}

TEST(reader_answers_every_truncation_with_an_error) {
  const std::string file = doubling_loop(2);
  for (size_t n = 0; n < file.size(); ++n) {
    Model parsed;
    const Status status = parse_model(std::string_view(file).substr(0, n), &parsed);
    if (status.ok()) continue;  // a cut between two fields of the outermost message is a shorter valid file
    CHECK(status.code() == Code::kInvalidProtobuf);
  }
}

TEST(reader_survives_every_flipped_byte) {
  const std::string file = doubling_loop(2);
  for (size_t at = 0; at < file.size(); ++at) {
    for (int bit : {0, 3, 7}) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      ol_session_free(open_session(damaged));  // not run: a damaged trip count may loop for years
    }
  }
  CHECK(true);
}

TEST(errors_name_the_node_and_all_problems) {
  const std::string file = model({{node("Frobnicate", {"x"}, {"a"}), node("Add", {"a"}, {"y"}),
                                   node("Relu", {"nowhere"}, {"z"}, {int_attribute("slope", 1)})},
                                  {},
                                  {value_info("x", kFloat)},
                                  {value_info("y", kFloat)}});
  CHECK(open_session(file) == nullptr);
  CHECK_EQ(ol_last_code(), static_cast<int32_t>(OL_NOT_IMPLEMENTED));
  CHECK_EQ(std::string(ol_last_message()),
           "the model has 4 problems:\n"
           "- operator Frobnicate (node 'the_Frobnicate' (Frobnicate-1)) is unknown; if it is yours, register it as a "
           "custom operator\n"
           "- node 'the_Add' (Add-14) has 1 inputs; the specification asks for 2\n"
           "- node 'the_Relu' (Relu-14) has the attribute 'slope', which its version does not know\n"
           "- node 'the_Relu' (Relu-14) reads 'nowhere', which nothing produces");
}

TEST(errors_at_run_time_name_node_and_shapes) {
  ol_session* session = open_session(add_model());
  CHECK(run_once(session, {3}, {1, 2, 3}).empty());
  CHECK_EQ(ol_last_code(), static_cast<int32_t>(OL_RUN_FAILED));
  CHECK_EQ(
      std::string(ol_last_message()),
      "node 'the_Add' (Add-14): shapes [3] and [2] do not broadcast: a pair of dimensions differs and neither is 1 "
      "[inputs: float[3], float[2]]");
  CHECK(run_once(session, {2}, {1, 2}) == (std::vector<float>{2, 4}));
  ol_session_free(session);
}

TEST(feeds_are_checked) {
  ol_session* session = open_session(add_model());
  ol_run* run = ol_run_new(session);
  ol_value* x = floats({2}, {1, 2});
  CHECK_EQ(ol_run_feed(run, "q", 1, x), -static_cast<int32_t>(OL_INVALID_ARGUMENT));
  CHECK_EQ(std::string(ol_last_message()), "the model has no input 'q'; its inputs are 'x'");
  CHECK_EQ(ol_run_step(run), -static_cast<int32_t>(OL_INVALID_ARGUMENT));
  CHECK_EQ(std::string(ol_last_message()), "missing input: 'x'; what has no default must be fed");
  ol_value_free(x);
  ol_run_free(run);
  ol_session_free(session);
}

TEST(a_graph_attribute_without_a_graph_is_refused) {
  const Message empty = Message().bytes(1, "body").number(20, 5);
  const std::string file =
      model({{node("Loop", {"", "", "x"}, {"y"}, {empty})}, {}, {value_info("x", kFloat)}, {value_info("y", kFloat)}});
  CHECK(open_session(file) == nullptr);
  CHECK_EQ(std::string(ol_last_message()), "node 'the_Loop' (Loop-16) has no graph in its attribute 'body'");
}

TEST(a_graph_with_a_cycle_is_refused) {
  const std::string file =
      model({{node("Relu", {"b"}, {"a"}), node("Relu", {"a"}, {"b"})}, {}, {}, {value_info("b", kFloat)}});
  CHECK(open_session(file) == nullptr);
  CHECK_EQ(std::string(ol_last_message()), "node 'the_Relu' (Relu) is part of a cycle");
}

TEST(nodes_in_any_order_are_sorted) {
  const std::string file = model({{node("Relu", {"a"}, {"y"}), node("Neg", {"x"}, {"a"})},
                                  {},
                                  {value_info("x", kFloat)},
                                  {value_info("y", kFloat)}});
  ol_session* session = open_session(file);
  CHECK(run_once(session, {2}, {-3, 3}) == (std::vector<float>{3, 0}));
  ol_session_free(session);
}

TEST(a_tensor_whose_bytes_cannot_be_counted_is_refused) {
  // 2^60 complex numbers of 16 bytes, and a list of none.
  constexpr int kComplex128 = 15;
  const Message w = Message().number(1, uint64_t{1} << 60).number(2, kComplex128).bytes(8, "w").bytes(10, "");
  const std::string file = model({{node("Identity", {"w"}, {"y"})}, {w}, {}, {value_info("y", kComplex128)}});
  CHECK(open_session(file) == nullptr);
  CHECK_EQ(std::string(ol_last_message()), "tensor 'w': a tensor of shape [1152921504606846976] has too many elements");
}

// Makes each allocation fail in turn, while the session is made and while it runs on one x of these dimensions.
void fail_every_allocation(const std::string& file, const std::vector<int64_t>& dims) {
  bool done = false;
  for (int64_t n = 1; n < 400 && !done; ++n) {
    fail_allocation_after(n);
    ol_session* session = open_session(file);
    if (session != nullptr) {
      ol_run* run = ol_run_new(session);
      if (ol_value* x = ol_tensor_new(kFloat, static_cast<int32_t>(dims.size()), dims.data())) {
        std::memset(ol_tensor_data(x), 0, ol_tensor_bytes(x));
        ol_run_feed(run, "x", 1, x);
        const int32_t step = ol_run_step(run);
        CHECK(step == OL_DONE || step == -OL_OUT_OF_MEMORY);
        done = step == OL_DONE;
        ol_value_free(x);
      }
      ol_run_free(run);
    } else {
      CHECK_EQ(ol_last_code(), static_cast<int32_t>(OL_OUT_OF_MEMORY));
    }
    fail_allocation_after(0);
    ol_session_free(session);
  }
  CHECK(done);
}

TEST(every_allocation_may_be_refused) { fail_every_allocation(doubling_loop(3), {1}); }

// A convolution, a function and a Transpose that the passes turn into operators on 8 bits.
std::string quantized_model() {
  const auto on = [](const char* x, const char* y) { return node("QuantizeLinear", {x, "s", "z"}, {y}); };
  const auto off = [](const char* x, const char* y) { return node("DequantizeLinear", {x, "s", "z"}, {y}); };
  return model({{on("x", "q1"), off("q1", "f1"), node("DequantizeLinear", {"w", "s"}, {"wf"}),
                 node("Conv", {"f1", "wf", "b"}, {"c"}), on("c", "q2"), off("q2", "f2"), node("Tanh", {"f2"}, {"t"}),
                 on("t", "q3"), off("q3", "f3"), node("Transpose", {"f3"}, {"r"}),
                 node("QuantizeLinear", {"r", "s2", "z"}, {"q4"}), off("q4", "y")},
                {tensor<float>("s", kFloat, {}, {0.1f}), tensor<float>("s2", kFloat, {}, {0.2f}),
                 tensor<uint8_t>("z", kUint8, {}, {7}), tensor<int8_t>("w", kInt8, {2, 1, 1, 1}, {3, -5}),
                 tensor<float>("b", kFloat, {2}, {0.5f, 1})},
                {value_info("x", kFloat)},
                {value_info("y", kFloat)}});
}

TEST(an_allocation_that_fails_in_a_pass_is_an_error) { fail_every_allocation(quantized_model(), {1, 1, 3, 3}); }

TEST(a_custom_operator_runs_on_the_host) {
  ol_register_custom_op("my.domain", 9, "Twice", 5);
  const std::string file =
      Message()
          .number(1, 8)
          .message(
              7, graph({{node("Twice", {"x"}, {"t"}, {int_attribute("k", 4)}, "my.domain"), node("Neg", {"t"}, {"y"})},
                        {},
                        {value_info("x", kFloat)},
                        {value_info("y", kFloat)}}))
          .message(8, Message().bytes(1, "").number(2, 17))
          .message(8, Message().bytes(1, "my.domain").number(2, 1))
          .text();
  ol_session* session = open_session(file);
  CHECK(session != nullptr);
  ol_run* run = ol_run_new(session);
  ol_value* x = floats({1}, {5});
  ol_run_feed(run, "x", 1, x);
  CHECK_EQ(ol_run_step(run), static_cast<int32_t>(OL_PENDING));
  CHECK_EQ(
      std::string(ol_run_pending(run)),
      R"({"kind":"custom_op","domain":"my.domain","op_type":"Twice","node":"the_Twice","attributes":{"k":4},"inputs":1,"outputs":1})");
  ol_value* input = ol_run_pending_input(run, 0);
  ol_value* result = floats({1}, {2 * static_cast<float*>(ol_tensor_data(input))[0]});
  CHECK_EQ(ol_run_pending_output(run, 0, result), 0);
  CHECK_EQ(ol_run_step(run), static_cast<int32_t>(OL_DONE));
  ol_value* y = ol_run_output(run, 0);
  CHECK_EQ(static_cast<float*>(ol_tensor_data(y))[0], -10.0f);
  for (ol_value* v : {x, input, result, y}) ol_value_free(v);
  ol_run_free(run);
  ol_session_free(session);
}

TEST(a_registered_image_decoder_comes_before_the_engines_own) {
  ol_register_custom_op("", 0, "ImageDecoder", 12);
  const std::string file =
      model({{node("ImageDecoder", {"x"}, {"y"})}, {}, {value_info("x", 2)}, {value_info("y", 2)}}, 20);
  ol_session* session = open_session(file);
  CHECK(session != nullptr);
  ol_run* run = ol_run_new(session);
  const int64_t dims[] = {3};
  ol_value* x = ol_tensor_new(2, 1, dims);
  ol_run_feed(run, "x", 1, x);
  CHECK_EQ(ol_run_step(run), static_cast<int32_t>(OL_PENDING));
  const std::string_view failure = "no decoder here";
  ol_run_pending_fail(run, failure.data(), failure.size());
  CHECK_EQ(ol_run_step(run), -static_cast<int32_t>(OL_RUN_FAILED));
  CHECK_EQ(std::string(ol_last_message()), "node 'the_ImageDecoder' (ImageDecoder-1): no decoder here");
  ol_value_free(x);
  ol_run_free(run);
  ol_session_free(session);
}

TEST(a_custom_operator_cannot_have_a_graph) {
  ol_register_custom_op("", 0, "Branch", 6);
  const GraphParts body{{}, {}, {}, {}};
  CHECK(open_session(model({{node("Branch", {"x"}, {"y"}, {graph_attribute("body", graph(body))})},
                            {},
                            {value_info("x", kFloat)},
                            {value_info("y", kFloat)}})) == nullptr);
  CHECK_EQ(std::string(ol_last_message()),
           "attribute 'body' of node 'the_Branch' (Branch-1) is of type graph; a custom operator gets numbers, strings "
           "and lists of them");
}
