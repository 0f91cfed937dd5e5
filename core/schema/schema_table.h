// What the generated file defines: every schema, sorted by domain, name and since_version.
#pragma once

#include "schema/schema.h"

namespace onnxlet {

std::span<const Schema> schema_table();
// Beside them: whether find_schema() has answered with this one since the engine was loaded.
std::span<bool> schemas_asked();

struct DomainVersion {
  const char* domain;
  int latest;
};
std::span<const DomainVersion> domain_versions();

}  // namespace onnxlet
