// Attrs: attribute access with the schema's defaults, and a record of what was asked for.
#include "base/trim.h"
#include "ir/ir.h"
#include "ops/op.h"
#include "schema/schema.h"

namespace onnxlet {

Attrs::Attrs(const IrNode& node, int since_version, std::span<const AttributeSpec> specs, Pool& pool)
    : node_(node), since_version_(since_version), specs_(specs), pool_(pool) {}

bool Attrs::channels_last() const { return node_.channels_last; }

bool Attrs::has(std::string_view name) const { return node_.find(name) != nullptr; }

const Attribute* Attrs::take(std::string_view name) {
  for (size_t i = 0; i < node_.attributes.size(); ++i) {
    if (node_.attributes[i].name != name) continue;
    if (i < 64) read_ |= uint64_t{1} << i;
    return &node_.attributes[i];
  }
  return nullptr;
}

const AttributeSpec* Attrs::spec(std::string_view name) const {
  for (const AttributeSpec& s : specs_) {
    if (name == s.name && s.has_default) return &s;
  }
  return nullptr;
}

int64_t Attrs::i(std::string_view name, int64_t fallback) {
  if (const Attribute* a = take(name)) return a->i;
  const AttributeSpec* s = spec(name);
  return s != nullptr ? s->i : fallback;
}

float Attrs::f(std::string_view name, float fallback) {
  if (const Attribute* a = take(name)) return a->f;
  const AttributeSpec* s = spec(name);
  return s != nullptr ? s->f : fallback;
}

std::string_view Attrs::s(std::string_view name, std::string_view fallback) {
  if (const Attribute* a = take(name)) return a->s;
  const AttributeSpec* s = spec(name);
  return s != nullptr && s->s != nullptr ? std::string_view(s->s) : fallback;
}

std::vector<int64_t> Attrs::ints(std::string_view name) {
  if (const Attribute* a = take(name)) return a->ints;
  const AttributeSpec* s = spec(name);
  if (s == nullptr || s->list == nullptr) return {};
  return {s->list, s->list + s->list_size};
}

std::vector<float> Attrs::floats(std::string_view name) {
  const Attribute* a = take(name);
  return a != nullptr ? a->floats : std::vector<float>{};
}

std::vector<std::string_view> Attrs::strings(std::string_view name) {
  const Attribute* a = take(name);
  return a != nullptr ? a->strings : std::vector<std::string_view>{};
}

Result<Tensor> Attrs::tensor(std::string_view name) {
  const Attribute* a = take(name);
  if (trim::kSparse && a != nullptr && a->sparse != nullptr) return densify(*a->sparse, pool_);
  if (a == nullptr || a->t == nullptr) return Tensor();
  OL_ASSIGN(Tensor t, tensor_from(*a->t, pool_));
  return t;
}

DType Attrs::dtype(std::string_view name, DType fallback) {
  const int64_t v = i(name, static_cast<int64_t>(fallback));
  return v >= 0 && v < kDTypeCount ? static_cast<DType>(v) : DType::kUndefined;
}

void Attrs::ignore(std::string_view name) { take(name); }

int Attrs::opset_version() const { return node_.opset; }
int Attrs::input_count() const { return static_cast<int>(node_.inputs.size()); }
int Attrs::output_count() const { return static_cast<int>(node_.outputs.size()); }
bool Attrs::input_given(int i) const { return i < input_count() && node_.inputs[static_cast<size_t>(i)] != kAbsent; }
bool Attrs::output_used(int i) const { return i < output_count() && node_.outputs[static_cast<size_t>(i)] != kAbsent; }
std::string_view Attrs::op_type() const { return node_.op_type; }

std::string_view Attrs::unread() const {
  for (size_t i = 0; i < node_.attributes.size() && i < 64; ++i) {
    if ((read_ >> i & 1) == 0) return node_.attributes[i].name;
  }
  return {};
}

}  // namespace onnxlet
