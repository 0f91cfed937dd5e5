// What the handles of onnxlet.h point to, and how its functions answer.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "abi/onnxlet.h"
#include "runtime/session.h"

struct ol_model {
  std::unique_ptr<onnxlet::ModelFile> file;
};
struct ol_session {
  std::unique_ptr<onnxlet::Session> session;
};
struct ol_run {
  explicit ol_run(onnxlet::Session& session) : run(session) {}
  onnxlet::Run run;
};
struct ol_value {
  onnxlet::Value value;
};

namespace onnxlet::abi {

// Keeps the error for ol_last_code and ol_last_message; minus its code.
int32_t fail(const Status& status);
// A string that is there until the next one.
const char* give(std::string text);
inline ol_value* hand_out(Value value) { return new ol_value{std::move(value)}; }
inline Status no_handle(const char* what) { return invalid_argument(what, " is null"); }

}  // namespace onnxlet::abi
