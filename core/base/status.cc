#include "base/status.h"

#include "base/text.h"

namespace onnxlet {

const char* code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kInvalidProtobuf:
      return "INVALID_PROTOBUF";
    case Code::kInvalidGraph:
      return "INVALID_GRAPH";
    case Code::kNotImplemented:
      return "NOT_IMPLEMENTED";
    case Code::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case Code::kRunFailed:
      return "RUN_FAILED";
    case Code::kAborted:
      return "ABORTED";
    case Code::kInternal:
      return "INTERNAL";
  }
  return "INTERNAL";
}

struct Status::Failure {
  Code code;
  std::string message;
};

Status::Status(Code code, std::string message) : failure_(new Failure{code, std::move(message)}) {}

void Status::forget() { delete failure_; }

Code Status::code() const { return failure_ != nullptr ? failure_->code : Code::kOk; }

std::string_view Status::message() const { return failure_ != nullptr ? std::string_view(failure_->message) : ""; }

Status Status::with_context(std::string_view prefix) && {
  if (failure_ != nullptr) failure_->message.insert(0, prefix);
  return std::move(*this);
}

}  // namespace onnxlet
