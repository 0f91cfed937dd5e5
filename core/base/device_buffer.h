// Memory that the engine cannot read: a device's.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/trim.h"

namespace onnxlet {

// In the place of a pointer that is null in all of a build's life, and takes no code to move and to destroy.
template <class T>
struct NoPointer {
  NoPointer() = default;
  NoPointer(const std::shared_ptr<T>&) {}  // NOLINT: implicit by design
  bool operator==(std::nullptr_t) const { return true; }
  T* get() const { return nullptr; }
  long use_count() const { return 0; }
  T& operator*() const { return *get(); }
  T* operator->() const { return get(); }
};
template <bool kKept, class T>
using PointerIf = std::conditional_t<kKept, std::shared_ptr<T>, NoPointer<T>>;

// The last reference gives it back to whoever made it.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual uint32_t id() const = 0;
};
using DeviceBufferPtr = PointerIf<trim::kDevice, DeviceBuffer>;

}  // namespace onnxlet
