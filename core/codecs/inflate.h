// The zlib format (RFC 1950, RFC 1951), as PNG holds it.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"

namespace onnxlet {

// Unpacks a stream until `out` is full; what the stream holds beyond that is not looked at. An error says at which byte
// of the stream it was noticed.
Status inflate(std::span<const uint8_t> stream, std::span<uint8_t> out);

}  // namespace onnxlet
