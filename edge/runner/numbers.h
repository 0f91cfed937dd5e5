// Elements of tensors as text and back, exactly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace runner {

// A number, "nan", "inf", "Infinity" ..., true or false, written to element `index`. False when the text is nothing
// that the type holds.
bool set_number(std::string_view text, onnxlet::DType dtype, void* data, size_t index);

// As Python prints it: "0.1", "1e-07", "nan", "3", "true".
std::string number_text(onnxlet::DType dtype, const void* data, size_t index);
double number_at(onnxlet::DType dtype, const void* data, size_t index);

}  // namespace runner
