// Encrypted models.
#pragma once

#include "arguments.h"
#include "payload.h"

namespace runner {

// Puts the model in the place of its encrypted file: 12 bytes of initialization vector, AES-256-GCM's ciphertext, its
// tag of 16 bytes. The key comes from where the options say, or is asked for.
void decrypt(Payload& payload, const Options& options);

}  // namespace runner
