// The inverse cosine transform of 8 x 8 coefficients, in whole numbers.
#pragma once

#include <cstdint>

namespace onnxlet {

// Samples of one block, `stride` bytes between rows. Loeffler, Ligtenberg and Moschytz (1989) with 13 bits behind the
// point and libjpeg's rounding, so that the samples are libjpeg's ("islow").
void inverse_dct(const int16_t coefficients[64], const uint16_t quantization[64], uint8_t* out, int64_t stride);

}  // namespace onnxlet
