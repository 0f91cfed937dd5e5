// What the generated file defines: every schema, sorted by domain, name and since_version.
#pragma once

#include "schema/schema.h"

namespace onnxlet {

std::span<const Schema> schema_table();

}  // namespace onnxlet
