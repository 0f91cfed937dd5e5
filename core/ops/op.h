// The contract of an operator: how it reads its attributes, what it may ask of the runner, and its row in the table.
//
//   struct Softmax : Op {
//     int64_t axis;
//     Status init(Attrs& a) { axis = a.i("axis"); return {}; }        // defaults come from the ONNX schema
//     Status run(OpContext& ctx) const override {
//       const Tensor& x = ctx.in(0);
//       OL_ASSIGN(int ax, normalize_axis(axis, x.rank()));
//       OL_ASSIGN(Tensor* y, ctx.out(0, x.dtype(), x.shape()));
//       ...
//     }
//   };
//   const OpRow kRows[] = {{"Softmax", 13, make<Softmax>}, ...};      // the row with the largest since <= opset wins
//   extern const OpTable kSoftmaxOps{"", kRows};                       // and one line in ops/table.cc
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/tensor.h"
#include "base/text.h"
#include "base/trim.h"
#include "base/value.h"

namespace onnxlet {

struct IrNode;
struct Attribute;
struct AttributeSpec;

// Typed access to a node's attributes, with the schema's defaults. An attribute that init() did not ask for is a load
// error (rule: nothing is silently ignored); `ignore` says in code that one has no effect here.
class Attrs {
 public:
  Attrs(const IrNode& node, int since_version, std::span<const AttributeSpec> specs, Pool& pool);

  bool has(std::string_view name) const;  // given in the model (a schema default does not count)
  // Value in the model, else the schema's default, else `fallback`.
  int64_t i(std::string_view name, int64_t fallback = 0);
  float f(std::string_view name, float fallback = 0);
  std::string_view s(std::string_view name, std::string_view fallback = {});
  std::vector<int64_t> ints(std::string_view name);  // empty when absent
  std::vector<float> floats(std::string_view name);
  std::vector<std::string_view> strings(std::string_view name);
  Result<Tensor> tensor(std::string_view name);  // not valid() when absent
  DType dtype(std::string_view name,
              DType fallback = DType::kUndefined);  // an int attribute holding a TensorProto type
  void ignore(std::string_view name);

  bool channels_last() const;                           // the node's layout; only with kChannelsLast on the row
  int since_version() const { return since_version_; }  // of the schema this node means (Softmax: 1, 11 or 13)
  int opset_version() const;                            // the model's import for the node's domain
  int input_count() const;
  int output_count() const;
  bool input_given(int i) const;  // false for "" and for inputs beyond the list
  bool output_used(int i) const;
  std::string_view op_type() const;
  Pool& pool() const { return pool_; }
  std::string_view unread() const;  // first attribute nobody asked for, or ""

 private:
  const Attribute* take(std::string_view name);
  const AttributeSpec* spec(std::string_view name) const;

  const IrNode& node_;
  int since_version_;
  std::span<const AttributeSpec> specs_;
  Pool& pool_;
  uint64_t read_ = 0;
};

// What a running operator sees. Inputs the schema requires are present; types are checked against the schema.
// Sub-byte tensors arrive, and are expected, unpacked (one element per byte) unless the row has kPackedSubByte.
class OpContext {
 public:
  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  bool has(int i) const { return i < input_count() && inputs_[static_cast<size_t>(i)]->present(); }
  bool wants(int i) const { return i < output_count() && wanted_[static_cast<size_t>(i)]; }
  const Tensor& in(int i) const { return inputs_[static_cast<size_t>(i)]->tensor(); }
  const Tensor* opt(int i) const { return has(i) ? &in(i) : nullptr; }
  const Value& value(int i) const { return *inputs_[static_cast<size_t>(i)]; }

  // A fresh tensor for output i (for an output nobody wants too, so that kernels need no case for it).
  // With kInPlace on the row and a first input of the same dtype and shape that dies here, it is that input's bytes.
  Result<Tensor*> out(int i, DType dtype, const Shape& shape);
  // The same over the bytes of any input that dies here and has that dtype and shape; the operator compares addresses.
  Result<Tensor*> out_over(int i, int input, DType dtype, const Shape& shape);
  void set(int i, Value value) { outputs_[static_cast<size_t>(i)] = std::move(value); }
  // Work memory that lives until run() returns.
  Result<void*> scratch(size_t bytes);
  template <class T>
  Result<T*> scratch_of(int64_t count) {
    if (count < 0 || static_cast<uint64_t>(count) > SIZE_MAX / sizeof(T)) return pool_->refusal(UINT64_MAX);
    OL_ASSIGN(void* p, scratch(static_cast<size_t>(count) * sizeof(T)));
    return static_cast<T*>(p);
  }
  Pool& pool() const { return *pool_; }
  void set_kernel(const char* name) { kernel_ = name; }  // shown by the profile
  uint64_t next_random();                                // the session's seeded generator

 private:
  friend Status run_op(const struct OpCall& call, std::vector<Value>* outputs, const char** kernel);
  std::span<const Value* const> inputs_;
  std::span<Value* const> last_use_;  // same index as inputs_: the slot when this node is its last reader, else nullptr
  std::vector<Value> outputs_;
  std::span<const bool> wanted_;
  std::vector<Tensor> scratch_;
  Pool* pool_ = nullptr;
  uint64_t* random_state_ = nullptr;
  const char* kernel_ = nullptr;
  bool in_place_ = false;
};

class Op {
 public:
  virtual ~Op() = default;
  // constants[i] is input i when it is known at load time, else not valid(). Called once, after the graph passes:
  // the place to pack weights. Allocates from the pool.
  virtual Status prepare(std::span<const Tensor> constants, Pool& pool) {
    (void)constants, (void)pool;
    return {};
  }
  // What prepare() packed constant input i into, when run() reads that instead and of the input only type and shape.
  // The plan then keeps no bytes of the input, and may move those of the packed form.
  virtual Tensor* packed_form(size_t i) {
    (void)i;
    return nullptr;
  }
  virtual Status run(OpContext& ctx) const = 0;
};
using OpPtr = std::unique_ptr<Op>;
using OpFactory = Result<OpPtr> (*)(Attrs& attrs);

template <class T>
Result<OpPtr> make(Attrs& attrs) {
  auto op = std::make_unique<T>();
  OL_TRY(op->init(attrs));
  return OpPtr(std::move(op));
}

enum OpFlags : uint8_t {
  kPlain = 0,
  kInPlace = 1,        // output 0 may be written over input 0 (element i of the output reads only element i of it)
  kPackedSubByte = 2,  // takes and gives sub-byte tensors in ONNX packing
  kImpure = 4,         // random or stateful: never folded
  kControl = 8,        // a ControlOp: runs subgraphs, through the interpreter
  kChannelsLast = 16,  // also works on [N, space..., C] where Attrs::channels_last() says so
  kShapeOnly = 64,     // reads no element of input 0; an output that has its elements shares them
  kElementwise = 32,   // output elements depend on the input elements of the same place, after broadcasting
};

struct OpRow {
  const char* name;
  int since;       // serves models from this opset on, up to the next row of the same name
  OpFactory make;  // nullptr: this build is trimmed, and the row is not in it
  uint8_t flags;
  uint32_t lacks;  // dtype_bit()s: element types of input 0 that the specification allows and that have no kernel here

  constexpr OpRow(const char* row_name, int since_version, OpFactory factory, uint8_t op_flags = kPlain,
                  uint32_t types = 0)
      : name(trim::keeps_row(row_name, since_version) ? row_name : ""),
        since(since_version),
        make(trim::keeps_row(row_name, since_version) ? factory : nullptr),
        flags(op_flags),
        lacks(types) {}
};
struct OpTable {
  const char* domain;  // "" is ai.onnx
  std::span<const OpRow> rows;
};

// ---- helpers every family uses -------------------------------------------------------------------------------

// axis in [-rank, rank-1] -> [0, rank-1]; the error names axis and rank.
Result<int> normalize_axis(int64_t axis, int rank);
// Sorted, unique, non-negative. Empty in, empty out.
Result<std::vector<int>> normalize_axes(std::span<const int64_t> axes, int rank);
// A 0-D or 1-D int32/int64 tensor (axes, shapes, pads, splits ...) as numbers.
Result<std::vector<int64_t>> to_ints(const Tensor& t, const char* what);
Result<int64_t> to_int(const Tensor& t, const char* what);    // exactly one element
Result<double> to_double(const Tensor& t, const char* what);  // exactly one element of any numeric type
// numpy broadcasting with an error that names both shapes.
Result<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace onnxlet
