#include <algorithm>
#include <numeric>

#include "base/sort.h"
#include "base/text.h"
#include "base/trim.h"
#include "runtime/session.h"

namespace onnxlet {
namespace {

void visit_external(TensorRef& t, FunctionRef<void(TensorRef&)> f) {
  if (t.external) f(t);
}
void visit_external(SparseTensorRef& t, FunctionRef<void(TensorRef&)> f) {
  visit_external(t.values, f);
  visit_external(t.indices, f);
}

void each_external_in(std::vector<TensorRef>& initializers, std::vector<Node>& nodes, FunctionRef<void(TensorRef&)> f) {
  for (TensorRef& t : initializers) visit_external(t, f);
  for (Node& n : nodes) {
    for (Attribute& a : n.attributes) {
      if (a.t) visit_external(*a.t, f);
      if (trim::kSparse && a.sparse) visit_external(*a.sparse, f);
      for (TensorRef& t : a.tensors) visit_external(t, f);
      if (!trim::kSubgraphs) continue;
      if (a.g) each_external_in(a.g->initializers, a.g->nodes, f);
      for (auto& g : a.graphs) each_external_in(g->initializers, g->nodes, f);
    }
  }
}

}  // namespace

Result<std::unique_ptr<ModelFile>> ModelFile::open(HostBytes bytes) {
  std::unique_ptr<ModelFile> file(new ModelFile(std::move(bytes)));
  OL_TRY(parse_model(file->bytes_.view(), &file->model));
  return file;
}

void ModelFile::each_external(FunctionRef<void(TensorRef&)> f) {
  each_external_in(model.graph.initializers, model.graph.nodes, f);
  for (SparseTensorRef& t : model.graph.sparse_initializers) visit_external(t, f);
  std::vector<TensorRef> none;
  for (Function& fn : model.functions) each_external_in(none, fn.nodes, f);
}

// Tensors of one external file may overlap.
static void mark_shared(std::span<TensorRef* const> tensors) {
  std::vector<int64_t> order(tensors.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto at = [&](int64_t i) { return tensors[static_cast<size_t>(i)]; };
  sort_by(order.data(), static_cast<int64_t>(order.size()),
          [&](int64_t a, int64_t b) { return at(a)->raw.data() < at(b)->raw.data(); });
  TensorRef* furthest = nullptr;
  for (const int64_t i : order) {
    TensorRef* t = at(i);
    if (furthest != nullptr && t->raw.data() < furthest->raw.data() + furthest->raw.size()) {
      t->shared = furthest->shared = true;
    }
    if (furthest == nullptr || t->raw.data() + t->raw.size() > furthest->raw.data() + furthest->raw.size())
      furthest = t;
  }
}

Status ModelFile::provide(std::string_view file, HostBytes bytes) {
  if (!trim::kExternalData) return left_out("external data");
  std::vector<TensorRef*> users;
  Status status;
  each_external([&](TensorRef& t) {
    if (t.external_file != file || !status.ok()) return;
    users.push_back(&t);
    const uint64_t length = t.external_length.value_or(packed_bytes(t.dtype, static_cast<uint64_t>(t.shape.size())));
    if (t.external_offset > bytes.size || length > bytes.size - t.external_offset) {
      status =
          invalid_graph("tensor '", t.name, "' needs bytes ", t.external_offset, " to ", t.external_offset + length,
                        " of external file '", file, "', which has ", static_cast<uint64_t>(bytes.size));
      return;
    }
    t.raw = bytes.view().substr(static_cast<size_t>(t.external_offset), static_cast<size_t>(length));
  });
  OL_TRY(std::move(status));
  if (users.empty()) return invalid_argument("the model has no external data file '", file, "'");
  mark_shared(users);
  external_.push_back(std::move(bytes));
  return {};
}

}  // namespace onnxlet
