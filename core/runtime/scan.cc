// Scan: one body call per element of the scanned axes. Scan-8 adds a batch axis and sequence lengths around it.
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/visit.h"
#include "runtime/control.h"
#include "runtime/stack.h"

namespace onnxlet {
namespace {

int64_t at_or(const std::vector<int64_t>& v, size_t i, int64_t fallback) { return i < v.size() ? v[i] : fallback; }

struct ScanAttributes {
  size_t scan_inputs = 0;
  std::vector<int64_t> input_directions, output_directions, input_axes, output_axes;
};

// The loop of one batch item.
struct ScanLoop {
  const ScanAttributes& a;
  const Plan& body;
  Pool& pool;
  std::vector<Value> states;
  std::vector<Tensor> scanned;
  std::vector<int> axes;  // of scanned, normalised
  int64_t length = 0, at = 0;
  std::vector<std::vector<Tensor>> collected;

  ScanLoop(const ScanAttributes& attributes, const Plan& b, Pool& p) : a(attributes), body(b), pool(p) {}

  Status begin() {
    for (size_t k = 0; k < scanned.size(); ++k) {
      OL_ASSIGN(const int axis, normalize_axis(at_or(a.input_axes, k, 0), scanned[k].rank()));
      axes.push_back(axis);
      const int64_t n = scanned[k].dim(axis);
      if (k > 0 && n != length) return run_failed("scan inputs of different length: ", length, " and ", n);
      length = n;
    }
    collected.resize(body.outputs.size() - states.size());
    return {};
  }

  Result<std::vector<Value>> next_inputs() {
    std::vector<Value> inputs = states;
    for (size_t k = 0; k < scanned.size(); ++k) {
      const int64_t index = at_or(a.input_directions, k, 0) == 0 ? at : length - 1 - at;
      OL_ASSIGN(Tensor t, slice_of(scanned[k], axes[k], index, pool));
      inputs.push_back(Value(std::move(t)));
    }
    return inputs;
  }

  Status take(std::vector<Value> results) {
    for (size_t k = 0; k < states.size(); ++k) states[k] = std::move(results[k]);
    for (size_t k = 0; k < collected.size(); ++k) OL_TRY(collect(results[states.size() + k], k, &collected[k]));
    ++at;
    return {};
  }

  Result<std::vector<Value>> finish() {
    std::vector<Value> out = states;
    for (size_t k = 0; k < collected.size(); ++k) {
      std::vector<Tensor>& items = collected[k];
      if (at_or(a.output_directions, k, 0) != 0) std::reverse(items.begin(), items.end());
      OL_ASSIGN(Tensor t, stack(items, at_or(a.output_axes, k, 0), body.output_types[states.size() + k], pool));
      out.push_back(Value(std::move(t)));
    }
    return out;
  }
};

struct ScanState : ControlState {
  ScanLoop loop;
  bool started = false;
  ScanState(const ScanAttributes& a, const Plan& body, Pool& pool) : loop(a, body, pool) {}

  Result<BodyCall> advance(std::vector<Value> results) override {
    if (started) OL_TRY(loop.take(std::move(results)));
    started = true;
    BodyCall call;
    if (loop.at < loop.length) {
      call.body = 0;
      OL_ASSIGN(call.inputs, loop.next_inputs());
    } else {
      OL_ASSIGN(call.outputs, loop.finish());
    }
    return call;
  }
};

// Scan-8: axis 0 of every state and scanned input is the batch, axis 1 the sequence.
struct Scan8State : ControlState {
  const ScanAttributes& a;
  const Plan& body;
  Pool& pool;
  std::vector<Value> inputs;  // states, then scanned inputs
  size_t states;
  std::vector<int64_t> lengths;  // per batch item; empty: all of it
  int64_t batch = 0, at = 0;
  std::unique_ptr<ScanLoop> loop;
  std::vector<std::vector<Tensor>> results_by_output;

  Scan8State(const ScanAttributes& attributes, const Plan& b, Pool& p) : a(attributes), body(b), pool(p) {}

  Status begin_item() {
    loop = std::make_unique<ScanLoop>(a, body, pool);
    for (size_t k = 0; k < inputs.size(); ++k) {
      OL_ASSIGN(Tensor t, slice_of(inputs[k].tensor(), 0, at, pool));
      if (k < states)
        loop->states.push_back(Value(std::move(t)));
      else
        loop->scanned.push_back(std::move(t));
    }
    OL_TRY(loop->begin());
    if (!lengths.empty()) loop->length = std::clamp<int64_t>(lengths[static_cast<size_t>(at)], 0, loop->length);
    return {};
  }

  // Scan outputs have the length of the longest possible sequence, with zeros behind the actual one.
  Status pad_items(std::vector<Tensor>* items) const {
    Shape shape;
    for (const Tensor& t : *items) {
      if (shape.rank() == 0 || t.dim(0) > 0) shape = t.shape();
    }
    shape[0] = inputs[states].tensor().dim(1);
    for (Tensor& t : *items) {
      if (t.dim(0) == shape[0]) continue;
      OL_ASSIGN(const Tensor from, t.unpack(pool));
      OL_ASSIGN(Tensor to, Tensor::allocate(pool, t.dtype(), shape, true));
      if (t.dtype() != DType::kString) std::memset(to.mutable_raw(), 0, static_cast<size_t>(to.bytes()));
      visit_size(t.dtype(), [&]<class T>() { std::copy_n(from.data<T>(), from.size(), to.mutable_data<T>()); });
      OL_ASSIGN(t, to.pack(pool));
    }
    return {};
  }

  Result<BodyCall> advance(std::vector<Value> results) override {
    if (loop != nullptr) OL_TRY(loop->take(std::move(results)));
    BodyCall call;
    for (;;) {
      if (loop == nullptr) {
        if (at == batch) break;
        OL_TRY(begin_item());
      }
      if (loop->at < loop->length) {
        call.body = 0;
        OL_ASSIGN(call.inputs, loop->next_inputs());
        return call;
      }
      OL_ASSIGN(std::vector<Value> out, loop->finish());
      results_by_output.resize(out.size());
      for (size_t k = 0; k < out.size(); ++k) results_by_output[k].push_back(out[k].tensor());
      loop.reset();
      ++at;
    }
    for (size_t k = 0; k < results_by_output.size(); ++k) {
      std::vector<Tensor>& items = results_by_output[k];
      if (k >= states && !lengths.empty()) OL_TRY(pad_items(&items));
      OL_ASSIGN(Tensor t, stack(items, 0, nullptr, pool));
      call.outputs.push_back(Value(std::move(t)));
    }
    return call;
  }
};

struct Scan : ControlOp {
  ScanAttributes a;
  bool batched = false;

  Status init(Attrs& attrs) {
    batched = attrs.since_version() == 8;
    a.scan_inputs = static_cast<size_t>(attrs.i("num_scan_inputs"));
    a.input_directions = attrs.ints(batched ? "directions" : "scan_input_directions");
    a.output_directions = attrs.ints("scan_output_directions");
    a.input_axes = attrs.ints("scan_input_axes");
    a.output_axes = attrs.ints("scan_output_axes");
    return {};
  }

  Result<std::unique_ptr<ControlState>> start(std::vector<Value> inputs, const Step& step, Pool& pool) const override {
    const Plan& body = *step.bodies[0];
    std::vector<int64_t> lengths;
    if (batched) {
      if (inputs[0].present()) {
        OL_ASSIGN(lengths, to_ints(inputs[0].tensor(), "sequence_lens"));
      }
      inputs.erase(inputs.begin());
    }
    if (a.scan_inputs < 1 || a.scan_inputs > inputs.size()) {
      return invalid_graph("num_scan_inputs is ", a.scan_inputs, "; the node has ", inputs.size(), " inputs");
    }
    const size_t states = inputs.size() - a.scan_inputs;
    if (body.outputs.size() < states)
      return invalid_graph("the body gives ", body.outputs.size(), " outputs for ", states, " states");
    for (const Value& v : inputs) {
      if (!v.is_tensor()) return run_failed("inputs of Scan must be tensors; one is a ", kind_name(v.kind()));
    }
    return batched ? start_batched(std::move(inputs), std::move(lengths), states, body, pool)
                   : start_plain(std::move(inputs), states, body, pool);
  }

  Result<std::unique_ptr<ControlState>> start_plain(std::vector<Value> inputs, size_t states, const Plan& body,
                                                    Pool& pool) const {
    auto state = std::make_unique<ScanState>(a, body, pool);
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (k < states)
        state->loop.states.push_back(std::move(inputs[k]));
      else
        state->loop.scanned.push_back(inputs[k].tensor());
    }
    OL_TRY(state->loop.begin());
    return std::unique_ptr<ControlState>(std::move(state));
  }

  Result<std::unique_ptr<ControlState>> start_batched(std::vector<Value> inputs, std::vector<int64_t> lengths,
                                                      size_t states, const Plan& body, Pool& pool) const {
    auto state = std::make_unique<Scan8State>(a, body, pool);
    for (const Value& v : inputs) {
      if (v.tensor().rank() < 1) return run_failed("inputs of Scan-8 need a batch axis; one is a scalar");
      if (&v != &inputs[0] && v.tensor().dim(0) != inputs[0].tensor().dim(0)) {
        return run_failed("batch sizes differ: ", inputs[0].tensor().dim(0), " and ", v.tensor().dim(0));
      }
    }
    state->batch = inputs[0].tensor().dim(0);
    if (!lengths.empty() && static_cast<int64_t>(lengths.size()) != state->batch) {
      return run_failed("sequence_lens has ", lengths.size(), " entries for a batch of ", state->batch);
    }
    state->inputs = std::move(inputs);
    state->states = states;
    state->lengths = std::move(lengths);
    return std::unique_ptr<ControlState>(std::move(state));
  }
};

const OpRow kRows[] = {{"Scan", 8, make<Scan>, kControl}};

}  // namespace

extern const OpTable kScanOps{"", kRows};

}  // namespace onnxlet
