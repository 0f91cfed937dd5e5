// The input of a convolution of 8-bit integers as its kernels multiply it: [image][rows][columns][groups][channels],
// the channels of a group side by side. It stays where it is if the machine's dot takes its bytes as they are; else a
// copy has them recoded, the channels of each group filled up to whole vectors, and padding beside each row.
#pragma once

#include "kernels/int_tile.h"

namespace onnxlet::int_tile {

struct Source {
  const IntConv& c;
  int64_t element;  // bytes of one, 1 or 2
  ARecode recode;
  bool copied;
  int64_t groups, given, channels;                // of a group: the model's, with what fills up
  int64_t left = 0, columns, rows, pixel, image;  // columns with the padding of a copy; bytes of a pixel, of an image
  const uint8_t* data;

  // The channels of each of `groups_of` groups are filled up to a multiple of `whole`.
  Source(const IntConv& conv, int64_t groups_of, int64_t whole, int64_t element_bytes, ARecode how);

  int64_t bytes() const { return copied ? (c.batch * image + 63) / 64 * 64 : 0; }
  void make(void* memory);                     // bytes() of it
  void pad(uint8_t* to, int64_t bytes) const;  // as elements outside the input read
  // The row of the input that the kernel's row number `index` lies on, for pixels of output row `row`; nullptr outside.
  const uint8_t* line(int64_t of_image, int64_t row, int64_t index) const;

 private:
  void copy_row(int64_t of_image, int64_t row, uint8_t* to) const;
  void encode(const uint8_t* x, int64_t n, uint8_t* to) const;

  // Signed bytes as unsigned ones, 128 higher, before they are widened.
  uint8_t sign_flip() const { return element == 1 ? recode.flip : c.x_signed ? 0x80 : 0; }
  int16_t shifted_zero() const { return static_cast<int16_t>(element == 1 ? 0 : recode.zero + sign_flip()); }
  int16_t encoded(uint8_t x) const { return static_cast<int16_t>((x ^ sign_flip()) - shifted_zero()); }
  void put(int16_t v, ptrdiff_t i, uint8_t* to) const {
    if (element == 1) {
      to[i] = static_cast<uint8_t>(v);
    } else {
      std::memcpy(to + 2 * i, &v, sizeof(v));
    }
  }
};

}  // namespace onnxlet::int_tile
