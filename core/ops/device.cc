#include "ops/device.h"

namespace onnxlet {

// Where core/gpu is linked, its definition takes the place of this one.
__attribute__((weak)) std::unique_ptr<Device> make_device(const DeviceOptions&) { return nullptr; }

}  // namespace onnxlet
