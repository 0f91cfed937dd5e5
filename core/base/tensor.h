#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/dtype.h"
#include "base/memory.h"
#include "base/shape.h"
#include "base/status.h"

namespace onnxlet {

// Non-owning, contiguous, row-major. Kernels take Views (or plain pointers) and never own memory.
struct View {
  void* data = nullptr;
  DType dtype = DType::kUndefined;
  Shape shape;
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  int64_t size() const { return shape.size(); }
};
struct ConstView {
  const void* data = nullptr;
  DType dtype = DType::kUndefined;
  Shape shape;
  ConstView() = default;
  ConstView(const void* d, DType t, const Shape& s) : data(d), dtype(t), shape(s) {}
  ConstView(const View& v) : data(v.data), dtype(v.dtype), shape(v.shape) {}  // NOLINT
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  int64_t size() const { return shape.size(); }
};

// Owning, reference counted, contiguous. Copies share the bytes; write only to a tensor that is unique().
// Sub-byte types are either packed as ONNX stores them (initializers, what hosts see) or, while an operator
// works on them, `unpacked()`: one element per byte. Elements of strings are std::string.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor other) noexcept;
  ~Tensor();

  // Checks the element count for overflow and the pool's limit. Bytes undefined, strings empty.
  static Result<Tensor> allocate(Pool& pool, DType dtype, const Shape& shape, bool unpacked = false);
  // So many uint8 to work in, whether or not this build has that type for values.
  static Result<Tensor> workspace(Pool& pool, uint64_t bytes);
  // Bytes that somebody else keeps alive longer than every copy of this tensor (the model file). Never unique().
  static Tensor borrow(const void* data, DType dtype, const Shape& shape);
  // The same with counted references, from the pool: unique() like any other tensor, and to be written when it is.
  static Result<Tensor> lodge(Pool& pool, const Tensor& borrowed);
  template <class T>
  static Result<Tensor> from(Pool& pool, const Shape& shape, std::span<const T> values);
  static Result<Tensor> of_ints(Pool& pool, std::span<const int64_t> values);  // 1-D int64

  bool valid() const { return dtype_ != DType::kUndefined; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_[i]; }
  int64_t size() const { return shape_.size(); }
  bool unpacked() const { return unpacked_; }
  uint64_t bytes() const;  // of the elements as stored; strings count sizeof(std::string)

  template <class T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <class T>
  T* mutable_data() {
    return static_cast<T*>(data_);
  }
  template <class T>
  std::span<const T> values() const {
    return {data<T>(), static_cast<size_t>(size())};
  }
  const void* raw() const { return data_; }
  void* mutable_raw() { return data_; }
  ConstView view() const { return {data_, dtype_, shape_}; }
  View mutable_view() { return {data_, dtype_, shape_}; }

  bool unique() const;  // the only reference to bytes this tensor may write
  bool borrowed() const;
  // Moves the elements into the bytes of `home`, which nobody needs any more, if that is unique, lodged and large
  // enough: so weights that were rewritten lie where the file had them. `home` is not to be used afterwards.
  void move_into(Tensor& home);
  Result<Tensor> copy(Pool& pool) const;      // the elements in bytes of their own
  Tensor reshaped(const Shape& shape) const;  // same bytes, same element count
  Tensor retyped(DType dtype) const;          // same bytes, element type of the same size
  Result<Tensor> unpack(Pool& pool) const;    // sub-byte, packed -> one element per byte; others: themselves
  Result<Tensor> pack(Pool& pool) const;      // and back

 private:
  struct Storage;
  static Result<Tensor> make(Pool& pool, DType dtype, const Shape& shape, uint64_t count, bool unpacked);
  Storage* storage_ = nullptr;  // null for borrowed bytes
  void* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::kUndefined;
  bool unpacked_ = false;
};

// Bools come from outside as any byte: what is not 0 becomes 1, in a copy. Other tensors are given back.
Result<Tensor> with_valid_bools(Tensor t, Pool& pool);

// Every element type that a tensor has had since the engine was loaded, as dtype_bit()s.
uint32_t& types_seen();
// An error when this build is trimmed to models without this element type.
Status check_kept(DType dtype);

// C++ forbids misaligned access; WebAssembly defines it.
bool can_lie_at(const void* data, DType dtype);

// Element count with overflow and sign checked; the error names the shape.
Result<uint64_t> checked_size(const Shape& shape);

template <class T>
Result<Tensor> Tensor::from(Pool& pool, const Shape& shape, std::span<const T> values) {
  OL_ASSIGN(Tensor t, allocate(pool, dtype_of<T>, shape, true));
  std::copy(values.begin(), values.end(), t.mutable_data<T>());
  return t;
}

}  // namespace onnxlet
