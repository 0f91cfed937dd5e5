// The functions of onnxlet.h that only builds with a device have.
#include "abi/handles.h"
#include "base/text.h"
#include "gpu/commands.h"

using namespace onnxlet;
using namespace onnxlet::abi;

ol_value* ol_tensor_on_device(ol_session* session, int32_t dtype, int32_t rank, const int64_t* dims, int32_t id) {
  Device* device = session != nullptr ? session->session->device() : nullptr;
  const auto refuse = [](const Status& status) -> ol_value* {
    fail(status);
    return nullptr;
  };
  if (device == nullptr) return refuse(invalid_argument("the session has no device"));
  if (dtype <= 0 || dtype >= kDTypeCount || dtype == static_cast<int32_t>(DType::kString)) {
    return refuse(invalid_argument("a device has no tensors of element type ", dtype));
  }
  if (rank < 0 || rank > Shape::kMaxRank) {
    return refuse(not_implemented("a tensor of rank ", rank, "; at most ", Shape::kMaxRank));
  }
  if (id < static_cast<int32_t>(gpu::kFirstForeign)) return refuse(invalid_argument("memory of number ", id));
  const Shape shape(std::span(dims, static_cast<size_t>(rank)));
  Result<uint64_t> count = checked_size(shape);
  if (!count.ok()) return refuse(count.status());
  return hand_out(Value::on_device(static_cast<DType>(dtype), shape, device->adopt(static_cast<uint32_t>(id))));
}

int32_t ol_run_keep(ol_run* run, int32_t index) {
  if (run == nullptr) return fail(no_handle("the run"));
  const Status status = run->run.keep(index);
  return status.ok() ? 0 : fail(status);
}

int32_t ol_value_device(ol_value* value) {
  const bool there = value != nullptr && value->value.device() != nullptr;
  return there ? static_cast<int32_t>(value->value.device()->id()) : 0;
}

void ol_session_leave_device(ol_session* session) {
  if (session != nullptr) session->session->leave_device();
}

const char* ol_session_placement(ol_session* session) {
  const Device* device = session != nullptr ? session->session->device() : nullptr;
  return give(device != nullptr ? device->placement() : "[]");
}
