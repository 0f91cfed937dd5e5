#include "base/tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "base/trim.h"

namespace onnxlet {

// Lies in front of the elements, in the same block.
struct Tensor::Storage {
  int32_t references;
  int64_t strings;  // std::string objects to destroy
  bool lodged;      // the elements are elsewhere
  char* elements() { return reinterpret_cast<char*>(this) + kAlignment; }
};

Tensor::Tensor(const Tensor& other)
    : storage_(other.storage_),
      data_(other.data_),
      shape_(other.shape_),
      dtype_(other.dtype_),
      unpacked_(other.unpacked_) {
  if (storage_ != nullptr) ++storage_->references;
}

Tensor::Tensor(Tensor&& other) noexcept
    : storage_(std::exchange(other.storage_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      shape_(other.shape_),
      dtype_(std::exchange(other.dtype_, DType::kUndefined)),
      unpacked_(other.unpacked_) {}

Tensor& Tensor::operator=(Tensor other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(data_, other.data_);
  std::swap(shape_, other.shape_);
  std::swap(dtype_, other.dtype_);
  std::swap(unpacked_, other.unpacked_);
  return *this;
}

Tensor::~Tensor() {
  if (storage_ == nullptr || --storage_->references > 0) return;
  auto* strings = reinterpret_cast<std::string*>(storage_->elements());
  for (int64_t i = 0; trim::keeps_type(DType::kString) && i < storage_->strings; ++i) strings[i].~basic_string();
  Pool::release(storage_);
}

uint32_t& types_seen() {
  static uint32_t seen = 0;
  return seen;
}

Status check_kept(DType dtype) {
  if (trim::keeps_type(dtype)) return {};
  return left_out(text("the element type ", dtype));
}

Result<uint64_t> checked_size(const Shape& shape) {
  uint64_t n = 1;
  bool zero = false, overflow = false;
  for (int64_t d : shape) {
    if (d < 0) return run_failed("a tensor cannot have the shape ", shape);
    zero = zero || d == 0;
    overflow = overflow || __builtin_mul_overflow(n, static_cast<uint64_t>(d), &n);
  }
  if (zero) return uint64_t{0};
  // So few that bytes, of which the widest types have 16 per element, can be counted as well.
  if (overflow || n > (uint64_t{1} << 56)) return run_failed("a tensor of shape ", shape, " has too many elements");
  return n;
}

Result<Tensor> Tensor::allocate(Pool& pool, DType dtype, const Shape& shape, bool unpacked) {
  if (trim::kTrimmed) OL_TRY(check_kept(dtype));
  types_seen() |= dtype_bit(dtype);
  OL_ASSIGN(const uint64_t count, checked_size(shape));
  return make(pool, dtype, shape, count, unpacked);
}

Result<Tensor> Tensor::workspace(Pool& pool, uint64_t bytes) {
  return make(pool, DType::kUint8, Shape{static_cast<int64_t>(bytes)}, bytes, false);
}

Result<Tensor> Tensor::make(Pool& pool, DType dtype, const Shape& shape, uint64_t count, bool unpacked) {
  const bool alone = unpacked || !is_sub_byte(dtype);
  uint64_t bytes = 0;
  if (alone) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(element_size(dtype)), &bytes))
      return pool.refusal(UINT64_MAX);
  } else {
    bytes = packed_bytes(dtype, count);
  }
  if (bytes > SIZE_MAX - kAlignment) return pool.refusal(bytes);
  static_assert(sizeof(Storage) <= kAlignment);
  void* block = pool.allocate(static_cast<size_t>(bytes) + kAlignment);
  if (block == nullptr) return pool.refusal(bytes);
  Tensor t;
  t.storage_ = new (block) Storage{1, 0, false};
  t.data_ = t.storage_->elements();
  t.shape_ = shape;
  t.dtype_ = dtype;
  t.unpacked_ = unpacked && is_sub_byte(dtype);
  if (trim::keeps_type(DType::kString) && dtype == DType::kString) {
    auto* strings = static_cast<std::string*>(t.data_);
    for (uint64_t i = 0; i < count; ++i) new (strings + i) std::string;
    t.storage_->strings = static_cast<int64_t>(count);
  }
  return t;
}

Tensor Tensor::borrow(const void* data, DType dtype, const Shape& shape) {
  types_seen() |= dtype_bit(dtype);
  Tensor t;
  t.data_ = const_cast<void*>(data);
  t.shape_ = shape;
  t.dtype_ = dtype;
  return t;
}

Result<Tensor> Tensor::lodge(Pool& pool, const Tensor& borrowed) {
  void* block = pool.allocate(sizeof(Storage));
  if (block == nullptr) return pool.refusal(sizeof(Storage));
  Tensor t = borrowed;
  t.storage_ = new (block) Storage{1, 0, true};
  return t;
}

void Tensor::move_into(Tensor& home) {
  const bool fits = home.storage_ != nullptr && home.storage_->lodged && home.unique() && bytes() <= home.bytes();
  if (!fits || !unique() || dtype_ == DType::kString || !can_lie_at(home.data_, dtype_)) return;
  std::memcpy(home.data_, data_, static_cast<size_t>(bytes()));
  home.shape_ = shape_;
  home.dtype_ = dtype_;
  home.unpacked_ = unpacked_;
  *this = std::move(home);
}

bool can_lie_at(const void* data, DType dtype) {
#if defined(__wasm__)
  (void)data, (void)dtype;
  return true;
#else
  return reinterpret_cast<uintptr_t>(data) % std::min<size_t>(element_size(dtype), 8) == 0;
#endif
}

Result<Tensor> Tensor::of_ints(Pool& pool, std::span<const int64_t> values) {
  return from<int64_t>(pool, Shape{static_cast<int64_t>(values.size())}, values);
}

uint64_t Tensor::bytes() const {
  const auto n = static_cast<uint64_t>(size());
  return is_sub_byte(dtype_) && !unpacked_ ? packed_bytes(dtype_, n) : n * element_size(dtype_);
}

bool Tensor::borrowed() const { return data_ != nullptr && (storage_ == nullptr || storage_->lodged); }
bool Tensor::unique() const { return storage_ != nullptr && storage_->references == 1; }

Result<Tensor> Tensor::copy(Pool& pool) const {
  OL_ASSIGN(Tensor t, allocate(pool, dtype_, shape_, unpacked_));
  if (trim::keeps_type(DType::kString) && dtype_ == DType::kString)
    std::copy_n(data<std::string>(), size(), t.mutable_data<std::string>());
  else
    std::memcpy(t.data_, data_, static_cast<size_t>(bytes()));
  return t;
}

Result<Tensor> with_valid_bools(Tensor t, Pool& pool) {
  if (!trim::keeps_type(DType::kBool) || t.dtype() != DType::kBool) return t;
  const auto* bytes = t.data<uint8_t>();
  if (std::all_of(bytes, bytes + t.size(), [](uint8_t byte) { return byte <= 1; })) return t;
  OL_ASSIGN(Tensor valid, Tensor::allocate(pool, DType::kBool, t.shape()));
  std::transform(bytes, bytes + t.size(), valid.mutable_data<uint8_t>(), [](uint8_t byte) { return byte != 0; });
  return valid;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::retyped(DType dtype) const {
  types_seen() |= dtype_bit(dtype);
  Tensor t = *this;
  t.dtype_ = dtype;
  t.unpacked_ = unpacked_ && is_sub_byte(dtype);
  return t;
}

Result<Tensor> Tensor::unpack(Pool& pool) const {
  if (!is_sub_byte(dtype_) || unpacked_) return *this;
  OL_ASSIGN(Tensor t, allocate(pool, dtype_, shape_, true));
  const auto* in = data<uint8_t>();
  auto* out = t.mutable_data<uint8_t>();
  const auto bits = static_cast<uint64_t>(dtype_bits(dtype_));
  const auto mask = static_cast<uint8_t>((1u << bits) - 1);
  const auto n = static_cast<uint64_t>(size());
  for (uint64_t i = 0, at = 0; i < n; ++i, at += bits) {
    const uint64_t shift = at % 8;
    unsigned v = in[at / 8] >> shift;
    if (shift + bits > 8) v |= static_cast<unsigned>(in[at / 8 + 1]) << (8 - shift);  // 6-bit elements straddle bytes
    out[i] = static_cast<uint8_t>(v) & mask;
  }
  return t;
}

Result<Tensor> Tensor::pack(Pool& pool) const {
  if (!unpacked_) return *this;
  OL_ASSIGN(Tensor t, allocate(pool, dtype_, shape_, false));
  const auto* in = data<uint8_t>();
  auto* out = t.mutable_data<uint8_t>();
  const auto bits = static_cast<uint64_t>(dtype_bits(dtype_));
  const auto mask = static_cast<uint8_t>((1u << bits) - 1);
  const auto n = static_cast<uint64_t>(size());
  std::memset(out, 0, static_cast<size_t>(t.bytes()));
  for (uint64_t i = 0, at = 0; i < n; ++i, at += bits) {
    const uint64_t shift = at % 8;
    const unsigned v = static_cast<unsigned>(in[i] & mask) << shift;
    out[at / 8] = static_cast<uint8_t>(out[at / 8] | v);
    if (shift + bits > 8) out[at / 8 + 1] = static_cast<uint8_t>(v >> 8);
  }
  return t;
}

}  // namespace onnxlet
