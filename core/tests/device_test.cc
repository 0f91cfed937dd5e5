// What values that a device has mean for operators that run on the CPU.
#include "base/memory.h"
#include "base/value.h"
#include "ir/ir.h"
#include "ops/run.h"
#include "ops/table.h"
#include "tests/check.h"

using namespace onnxlet;

namespace {

class Elsewhere : public DeviceBuffer {
 public:
  uint32_t id() const override { return 1; }
};

}  // namespace

TEST(what_is_computed_in_place_is_not_what_the_device_has) {
  PoolPtr pool(new Pool);
  Tensor elements = Tensor::allocate(*pool, DType::kFloat, Shape({2})).take();
  elements.mutable_data<float>()[0] = -1;
  elements.mutable_data<float>()[1] = 2;
  Value x = Value::on_device(DType::kFloat, Shape({2}), std::make_shared<Elsewhere>());
  x.bring(std::move(elements));
  const void* place = x.tensor().raw();

  IrNode node;
  node.op_type = "Relu";
  const OpRow* row = find_op("", node.op_type, 14);
  const OpPtr op = make_op(node, *row, *pool).take();
  const Value* inputs[] = {&x};
  Value* dying[] = {&x};
  const bool wanted[] = {true};
  uint64_t random = 0;
  std::vector<Value> outputs;
  const OpCall call{op.get(), row, nullptr, inputs, dying, wanted, pool.get(), &random};
  CHECK(run_op(call, &outputs).ok());
  CHECK(outputs[0].tensor().raw() == place);
  CHECK_EQ(outputs[0].tensor().data<float>()[0], 0.0f);
  CHECK(outputs[0].device() == nullptr);
}
