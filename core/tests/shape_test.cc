#include "base/shape.h"

#include <vector>

#include "base/tensor.h"
#include "base/text.h"
#include "tests/check.h"

using namespace onnxlet;

TEST(shape_broadcasts_as_numpy_does) {
  Shape out;
  CHECK(broadcast_shapes(Shape{3, 1, 5}, Shape{4, 1}, &out));
  CHECK(out == (Shape{3, 4, 5}));
  CHECK(broadcast_shapes(Shape{}, Shape{2}, &out));
  CHECK(out == Shape{2});
  CHECK(broadcast_shapes(Shape{0}, Shape{1}, &out));
  CHECK(out == Shape{0});
  CHECK(!broadcast_shapes(Shape{2}, Shape{3}, &out));
}

TEST(collapse_merges_what_is_contiguous) {
  Shape dims{2, 1, 3, 4};
  Shape strides[] = {dims.strides(), broadcast_strides(Shape{3, 4}, dims)};
  collapse_dims(&dims, strides);
  CHECK(dims == (Shape{2, 12}));
  CHECK(strides[0] == (Shape{12, 1}));
  CHECK(strides[1] == (Shape{0, 1}));
}

TEST(strided_iterator_visits_every_row_from_any_start) {
  const Shape dims{2, 3, 4};
  const Shape strides[] = {dims.strides()};
  std::vector<int64_t> offsets;
  for (StridedIterator it(dims, strides); !it.done(); it.next()) offsets.push_back(it.offset(0));
  CHECK_EQ(offsets.size(), size_t{6});
  for (size_t i = 0; i < offsets.size(); ++i) {
    CHECK_EQ(offsets[i], static_cast<int64_t>(i) * 4);
    CHECK_EQ(StridedIterator(dims, strides, static_cast<int64_t>(i)).offset(0), static_cast<int64_t>(i) * 4);
  }
}

TEST(strided_iterator_of_an_empty_shape_is_done) {
  const Shape dims{3, 0};
  const Shape strides[] = {dims.strides()};
  CHECK(StridedIterator(dims, strides).done());
}

TEST(tensor_sizes_are_checked_for_overflow) {
  Result<uint64_t> size = checked_size(Shape{int64_t{1} << 40, int64_t{1} << 40});
  CHECK(!size.ok());
  CHECK_EQ(size.status().message(), "a tensor of shape [1099511627776,1099511627776] has too many elements");
  Result<uint64_t> negative = checked_size(Shape{2, -1});
  CHECK_EQ(negative.status().message(), "a tensor cannot have the shape [2,-1]");
  Result<uint64_t> empty = checked_size(Shape{0, int64_t{1} << 62, int64_t{1} << 62});
  CHECK_EQ(empty.value(), uint64_t{0});
}

TEST(tensor_packs_every_sub_byte_width) {
  for (DType t : {DType::kUint2, DType::kInt4, DType::kFloat6E2M3}) {
    const int bits = dtype_bits(t);
    Result<Tensor> loose = Tensor::allocate(host_pool(), t, Shape{7}, true);
    for (int i = 0; i < 7; ++i)
      loose.value().mutable_data<uint8_t>()[i] = static_cast<uint8_t>((i * 5 + 3) & ((1 << bits) - 1));
    Result<Tensor> packed = loose.value().pack(host_pool());
    CHECK_EQ(packed.value().bytes(), static_cast<uint64_t>((7 * bits + 7) / 8));
    Result<Tensor> again = packed.value().unpack(host_pool());
    for (int i = 0; i < 7; ++i) CHECK_EQ(again.value().data<uint8_t>()[i], loose.value().data<uint8_t>()[i]);
  }
}

TEST(text_of_numbers) {
  CHECK_EQ(text(int64_t{INT64_MIN}), "-9223372036854775808");
  CHECK_EQ(text(0.1), "0.1");
  CHECK_EQ(text(-2.5e-9), "-2.5e-9");
  CHECK_EQ(text(1e20), "1e20");
  CHECK_EQ(text(123456.0), "123456");
  CHECK_EQ(text(1.0 / 3), "0.333333333");
}
