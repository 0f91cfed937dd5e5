#include "schema/schema.h"

#include <algorithm>

#include "schema/schema_table.h"

namespace onnxlet {
namespace {

// The versions of one operator, oldest first.
std::span<const Schema> versions(std::string_view domain, std::string_view op_type) {
  domain = canonical_domain(domain);
  struct Key {
    std::string_view domain, name;
  };
  const auto compare = [](const Schema& s, const Key& k) {
    const int order = std::string_view(s.domain).compare(k.domain);
    return order != 0 ? order : std::string_view(s.name).compare(k.name);
  };
  const std::span<const Schema> table = schema_table();
  const Key key{domain, op_type};
  const auto first = std::lower_bound(table.begin(), table.end(), key,
                                      [&](const Schema& s, const Key& k) { return compare(s, k) < 0; });
  auto last = first;
  while (last != table.end() && compare(*last, key) == 0) ++last;
  return {first, last};
}

}  // namespace

const Schema* find_schema(std::string_view domain, std::string_view op_type, int opset) {
  const Schema* best = nullptr;
  for (const Schema& s : versions(domain, op_type)) {
    if (s.since_version <= opset) best = &s;
  }
  if (best != nullptr) schemas_asked()[static_cast<size_t>(best - schema_table().data())] = true;
  return best;
}

const FunctionBody* function_body(const Schema& schema, int opset) {
  const FunctionBody* best = nullptr;
  for (const FunctionBody& body : schema.function_bodies) {
    if (best == nullptr || body.opset <= opset) best = &body;
  }
  return best;
}

const Schema* first_schema(std::string_view domain, std::string_view op_type) {
  const std::span<const Schema> all = versions(domain, op_type);
  return all.empty() ? nullptr : &all.front();
}

int latest_version(std::string_view domain) {
  domain = canonical_domain(domain);
  for (const DomainVersion& known : domain_versions()) {
    if (domain == known.domain) return known.latest;
  }
  return 0;
}

}  // namespace onnxlet
