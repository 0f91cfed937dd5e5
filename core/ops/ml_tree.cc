// Tree ensembles of ai.onnx.ml, read into flat arrays of nodes and leaf weights.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/sort.h"
#include "base/trim.h"
#include "kernels/ml.h"
#include "ops/ml_scores.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

// A tensor or list attribute as numbers; *is_double tells whether float would lose some.
Result<std::vector<double>> numbers(Attrs& a, const char* list, const char* tensor, bool* is_double) {
  std::vector<double> out;
  if (list != nullptr) {
    for (const float v : a.floats(list)) out.push_back(static_cast<double>(v));
  }
  OL_ASSIGN(const Tensor t, a.tensor(tensor));
  if (!t.valid() || t.size() == 0) return out;
  if (!out.empty()) return invalid_graph(list, " and ", tensor, " exclude each other");
  if (t.dtype() == DType::kString) return invalid_graph(tensor, " must hold numbers");
  if (is_double != nullptr && t.dtype() == DType::kDouble) *is_double = true;
  out.resize(static_cast<size_t>(t.size()));
  to_double(t.dtype(), t.raw(), out.data(), t.size());
  return out;
}

struct Ensemble {
  std::vector<TreeNode<float>> narrow;  // thresholds as float, or
  std::vector<TreeNode<double>> wide;   // as double where the model gives them so
  std::vector<int32_t> roots, leaf_begin;
  std::vector<TreeLeafWeight> weights;
  bool only_leq = true;
  int64_t features = 0;  // how many X must have
  int64_t targets = 0;
  TreeAggregate aggregate = TreeAggregate::kSum;

  Status check_tree() const;
  void finish(bool keep_double);

  // [rows, targets] sums (or minima ...), NaN where no leaf voted.
  Result<const double*> scores(OpContext& ctx, const Matrix& m) const {
    if (m.columns < features) return run_failed("X has ", m.columns, " features; the trees ask for ", features);
    OL_ASSIGN(double* out, ctx.scratch_of<double>(m.rows * targets));
    if (!trim::keeps_type(DType::kDouble) || (wide.empty() && ctx.in(0).dtype() != DType::kDouble)) {
      OL_ASSIGN(const float* x, values_as<float>(ctx, ctx.in(0)));
      tree_scores<float>({narrow, roots, leaf_begin, weights, only_leq}, x, m.rows, m.columns, targets, aggregate, out);
      return static_cast<const double*>(out);
    }
    std::span<const TreeNode<double>> nodes = wide;
    if (wide.empty()) {  // double input for float thresholds: the comparison is one of doubles
      OL_ASSIGN(TreeNode<double> * copy, ctx.scratch_of<TreeNode<double>>(static_cast<int64_t>(narrow.size())));
      for (size_t i = 0; i < narrow.size(); ++i) {
        copy[i] = {static_cast<double>(narrow[i].value), narrow[i].feature_mode, narrow[i].yes, narrow[i].no};
      }
      nodes = {copy, narrow.size()};
    }
    OL_ASSIGN(const double* x, values_as<double>(ctx, ctx.in(0)));
    tree_scores<double>({nodes, roots, leaf_begin, weights, only_leq}, x, m.rows, m.columns, targets, aggregate, out);
    return static_cast<const double*>(out);
  }
};

// Every child exists, and no walk is endless.
Status Ensemble::check_tree() const {
  const auto count = static_cast<int32_t>(wide.size()), leaves = static_cast<int32_t>(leaf_begin.size()) - 1;
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(wide.size(), kNew);
  std::vector<int32_t> stack = roots;
  while (!stack.empty()) {
    const int32_t at = stack.back();
    if (at >= count || (at < 0 && ~at >= leaves))
      return invalid_graph("a tree leads to node ", at < 0 ? ~at : at, ", which does not exist");
    if (at < 0 || state[static_cast<size_t>(at)] != kNew) {  // back from its children, or seen before
      if (at >= 0) state[static_cast<size_t>(at)] = kDone;
      stack.pop_back();
      continue;
    }
    state[static_cast<size_t>(at)] = kOpen;
    for (const int32_t child : {wide[static_cast<size_t>(at)].yes, wide[static_cast<size_t>(at)].no}) {
      if (child >= 0 && child < count && state[static_cast<size_t>(child)] == kOpen) {
        return invalid_graph("node ", at, " of the trees leads back to node ", child);
      }
      stack.push_back(child);
    }
  }
  return {};
}

void Ensemble::finish(bool keep_double) {
  for (const TreeNode<double>& n : wide) {
    features = std::max<int64_t>(features, (n.feature_mode >> 4) + 1);
    only_leq = only_leq && (n.feature_mode & 15) == static_cast<uint32_t>(TreeMode::kLeq);
  }
  if (keep_double) return;
  narrow.reserve(wide.size());
  for (const TreeNode<double>& n : wide) narrow.push_back({static_cast<float>(n.value), n.feature_mode, n.yes, n.no});
  wide.clear();
  wide.shrink_to_fit();
}

Result<uint32_t> feature_mode(int64_t feature, int64_t mode, bool missing) {
  if (feature < 0 || feature >= 1 << 28) return invalid_graph("nodes_featureids holds ", feature);
  return static_cast<uint32_t>(feature) << 4 | (missing ? 8u : 0u) | static_cast<uint32_t>(mode);
}

// Where (tree, node) pairs are in the nodes_* lists.
class NodeIndex {
 public:
  NodeIndex(const std::vector<int64_t>& trees, const std::vector<int64_t>& nodes) : trees_(trees), nodes_(nodes) {
    for (size_t i = 0; i < trees.size(); ++i) order_.push_back(static_cast<int64_t>(i));
    sort_by(order_.data(), static_cast<int64_t>(order_.size()), [&](int64_t a, int64_t b) {
      const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
      return before(trees[x], nodes[x], trees[y], nodes[y]) ||
             (a < b && !before(trees[y], nodes[y], trees[x], nodes[x]));
    });
  }
  int32_t find(int64_t tree, int64_t node) const {  // the first such node; -1: none
    size_t low = 0, high = order_.size();
    while (low < high) {
      const size_t middle = (low + high) / 2, at = static_cast<size_t>(order_[middle]);
      if (before(trees_[at], nodes_[at], tree, node))
        low = middle + 1;
      else
        high = middle;
    }
    if (low == order_.size()) return -1;
    const auto at = static_cast<size_t>(order_[low]);
    return trees_[at] == tree && nodes_[at] == node ? static_cast<int32_t>(at) : -1;
  }

 private:
  static bool before(int64_t tree_a, int64_t node_a, int64_t tree_b, int64_t node_b) {
    return tree_a != tree_b ? tree_a < tree_b : node_a < node_b;
  }
  const std::vector<int64_t>&trees_, &nodes_;
  std::vector<int64_t> order_;
};

constexpr std::string_view kModeNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                           "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
constexpr size_t kLeafMode = 6;

// The nodes_* attributes of versions 1 to 3. `prefix` names the leaf lists: class_* or target_*.
struct NodeLists {
  std::vector<int64_t> trees, nodes, features, yes, no, missing, weight_trees, weight_nodes, weight_ids;
  std::vector<size_t> modes;
  std::vector<double> values, weights;
  bool is_double = false;

  Status read(Attrs& a, bool classifier) {
    trees = a.ints("nodes_treeids");
    nodes = a.ints("nodes_nodeids");
    features = a.ints("nodes_featureids");
    yes = a.ints("nodes_truenodeids");
    no = a.ints("nodes_falsenodeids");
    missing = a.ints("nodes_missing_value_tracks_true");
    weight_trees = a.ints(classifier ? "class_treeids" : "target_treeids");
    weight_nodes = a.ints(classifier ? "class_nodeids" : "target_nodeids");
    weight_ids = a.ints(classifier ? "class_ids" : "target_ids");
    a.ignore("nodes_hitrates");
    a.ignore("nodes_hitrates_as_tensor");
    OL_ASSIGN(values, numbers(a, "nodes_values", "nodes_values_as_tensor", &is_double));
    OL_ASSIGN(weights, numbers(a, classifier ? "class_weights" : "target_weights",
                               classifier ? "class_weights_as_tensor" : "target_weights_as_tensor", nullptr));
    for (const std::string_view name : a.strings("nodes_modes")) {
      const auto at = std::find(std::begin(kModeNames), std::end(kModeNames), name);
      if (at == std::end(kModeNames)) return invalid_graph("nodes_modes holds the unknown mode ", name);
      modes.push_back(static_cast<size_t>(at - std::begin(kModeNames)));
    }
    const size_t n = trees.size(), w = weights.size();
    if (nodes.size() != n || features.size() != n || yes.size() != n || no.size() != n || modes.size() != n ||
        values.size() != n || (!missing.empty() && missing.size() != n)) {
      return invalid_graph("the nodes_* attributes must have one length; nodes_treeids has ", n, ", nodes_values ",
                           values.size());
    }
    if (weight_trees.size() != w || weight_nodes.size() != w || weight_ids.size() != w) {
      return invalid_graph("the weight attributes must have one length; there are ", w, " weights and ",
                           weight_ids.size(), " ids");
    }
    return {};
  }

  Status build(Ensemble* e) const {
    const NodeIndex index(trees, nodes);
    std::vector<int32_t> place(trees.size());  // of each entry: a node, or ~leaf
    int32_t node_count = 0, leaf_count = 0;
    for (size_t i = 0; i < trees.size(); ++i) {
      if (index.find(trees[i], nodes[i]) != static_cast<int32_t>(i)) {
        return invalid_graph("tree ", trees[i], " has two nodes ", nodes[i]);
      }
      place[i] = modes[i] == kLeafMode ? ~leaf_count++ : node_count++;
    }
    std::vector<int64_t> known;
    for (size_t i = 0; i < trees.size(); ++i) {
      const auto at = std::lower_bound(known.begin(), known.end(), trees[i]);
      if (at == known.end() || *at != trees[i]) {  // a tree starts at the first node that names it
        known.insert(at, trees[i]);
        e->roots.push_back(place[i]);
      }
      if (modes[i] == kLeafMode) continue;
      const int32_t true_at = index.find(trees[i], yes[i]), false_at = index.find(trees[i], no[i]);
      if (true_at < 0 || false_at < 0) {
        return invalid_graph("node ", nodes[i], " of tree ", trees[i], " leads to node ", true_at < 0 ? yes[i] : no[i],
                             ", which does not exist");
      }
      OL_ASSIGN(const uint32_t packed,
                feature_mode(features[i], static_cast<int64_t>(modes[i]), !missing.empty() && missing[i] != 0));
      e->wide.push_back({values[i], packed, place[static_cast<size_t>(true_at)], place[static_cast<size_t>(false_at)]});
    }
    OL_TRY(add_weights(index, place, leaf_count, e));
    OL_TRY(e->check_tree());
    e->finish(is_double);
    return {};
  }

  Status add_weights(const NodeIndex& index, const std::vector<int32_t>& place, int32_t leaf_count, Ensemble* e) const {
    std::vector<int64_t> order;  // leaf << 32 | weight
    for (size_t i = 0; i < weights.size(); ++i) {
      const int32_t at = index.find(weight_trees[i], weight_nodes[i]);
      if (at < 0)
        return invalid_graph("a weight names node ", weight_nodes[i], " of tree ", weight_trees[i],
                             ", which does not exist");
      if (weight_ids[i] < 0 || weight_ids[i] >= e->targets) {
        return invalid_graph("a weight names class or target ", weight_ids[i], " of ", e->targets);
      }
      const int32_t leaf = ~place[static_cast<size_t>(at)];
      if (leaf >= 0)
        order.push_back(static_cast<int64_t>(leaf) << 32 | static_cast<int64_t>(i));  // inner nodes have no say
    }
    sort_by(order.data(), static_cast<int64_t>(order.size()), [](int64_t a, int64_t b) { return a < b; });
    e->leaf_begin.assign(static_cast<size_t>(leaf_count) + 1, 0);
    for (const int64_t entry : order) {
      const auto i = static_cast<size_t>(entry & 0xffffffff);
      ++e->leaf_begin[static_cast<size_t>(entry >> 32) + 1];
      e->weights.push_back({static_cast<int32_t>(weight_ids[i]), weights[i]});
    }
    for (size_t leaf = 0; leaf < static_cast<size_t>(leaf_count); ++leaf)
      e->leaf_begin[leaf + 1] += e->leaf_begin[leaf];
    return {};
  }
};

struct TreeEnsembleClassifier : Op {
  Ensemble ensemble;
  ClassLabels labels;
  PostTransform transform;
  std::vector<double> base;
  bool one_class, all_positive;  // all weights vote for one of two classes; none is negative

  Status init(Attrs& a) {
    labels.read(a, "classlabels_int64s", "classlabels_strings");
    OL_ASSIGN(transform, post_transform_of(a.s("post_transform", "NONE")));
    OL_ASSIGN(base, numbers(a, "base_values", "base_values_as_tensor", nullptr));
    ensemble.targets = std::max<int64_t>(1, labels.size());
    if (base.size() > static_cast<size_t>(ensemble.targets)) {
      return invalid_graph("base_values has ", base.size(), " entries for ", ensemble.targets, " classes");
    }
    NodeLists lists;
    OL_TRY(lists.read(a, true));
    all_positive = std::all_of(lists.weights.begin(), lists.weights.end(), [](double w) { return w >= 0; });
    one_class = labels.size() == 2 && std::all_of(lists.weight_ids.begin(), lists.weight_ids.end(),
                                                  [&](int64_t id) { return id == lists.weight_ids[0]; });
    return lists.build(&ensemble);
  }

  Status run(OpContext& ctx) const override {
    OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
    const int64_t n = ensemble.targets;
    OL_ASSIGN(const double* sums, ensemble.scores(ctx, m));
    OL_ASSIGN(int64_t* winners, ctx.scratch_of<int64_t>(m.rows));
    const int64_t width = n;
    OL_ASSIGN(Tensor * z, ctx.out(1, DType::kFloat, Shape{m.rows, width}));
    for (int64_t r = 0; r < m.rows; ++r) {
      float* to = z->mutable_data<float>() + r * width;
      winners[r] = one_class ? finish_binary(sums + r * n, to) : finish(sums + r * n, to);
    }
    return labels.emit(ctx, winners, m.rows);
  }

  int64_t finish(const double* sums, float* to) const {
    const int64_t n = ensemble.targets;
    for (int64_t i = 0; i < n; ++i) {
      const double score = std::isnan(sums[i]) ? 0 : sums[i];
      to[i] = static_cast<float>(score + (static_cast<size_t>(i) < base.size() ? base[static_cast<size_t>(i)] : 0));
    }
    const int64_t winner = n == 1 ? (to[0] > 0 ? 1 : 0) : std::max_element(to, to + n) - to;
    apply_transform(transform, to, n);
    return winner;
  }

  // Two classes, but all votes are about one of them. About the first: it is the score of being the second, as gradient
  // boosting exports it. About the second: the first one scores 0.
  int64_t finish_binary(const double* sums, float* to) const {
    const bool second = !std::isnan(sums[1]);
    double score = second ? sums[1] : std::isnan(sums[0]) ? 0 : sums[0];
    if (!base.empty()) score += base[second ? base.size() - 1 : 0];
    if (second) {
      to[0] = 0;
      to[1] = static_cast<float>(score);
      apply_transform(transform, to, 2);
    } else {
      write_two_scores(transform, all_positive, static_cast<float>(score), to);
    }
    return score > (all_positive ? 0.5 : 0.0) ? 1 : 0;
  }
};

// Sums of one row to what the operator gives; used by both regressors.
void finish_row(const Ensemble& e, const std::vector<double>& base, PostTransform transform, double* row, float* work) {
  const auto trees = static_cast<double>(std::max<size_t>(1, e.roots.size()));
  for (int64_t i = 0; i < e.targets; ++i) {
    if (std::isnan(row[i])) row[i] = 0;
    if (e.aggregate == TreeAggregate::kAverage) row[i] /= trees;
    if (!base.empty()) row[i] += base[base.size() == 1 ? 0 : static_cast<size_t>(i)];
    work[i] = static_cast<float>(row[i]);
  }
  if (transform == PostTransform::kNone) return;
  apply_transform(transform, work, e.targets);
  for (int64_t i = 0; i < e.targets; ++i) row[i] = static_cast<double>(work[i]);
}

Status emit_rows(OpContext& ctx, const Ensemble& e, const std::vector<double>& base, PostTransform transform,
                 DType type) {
  OL_ASSIGN(const Matrix m, as_matrix(ctx.in(0)));
  OL_ASSIGN(const double* sums, e.scores(ctx, m));
  OL_ASSIGN(Tensor * y, ctx.out(0, type, Shape{m.rows, e.targets}));
  OL_ASSIGN(float* work, ctx.scratch_of<float>(e.targets));
  double* rows = const_cast<double*>(sums);  // our own scratch
  for (int64_t r = 0; r < m.rows; ++r) finish_row(e, base, transform, rows + r * e.targets, work);
  from_double(rows, type, y->mutable_raw(), y->size());
  return {};
}

struct TreeEnsembleRegressor : Op {
  Ensemble ensemble;
  PostTransform transform;
  std::vector<double> base;

  Status init(Attrs& a) {
    OL_ASSIGN(transform, post_transform_of(a.s("post_transform", "NONE")));
    OL_ASSIGN(base, numbers(a, "base_values", "base_values_as_tensor", nullptr));
    const std::string_view how = a.s("aggregate_function", "SUM");
    if (how == "AVERAGE")
      ensemble.aggregate = TreeAggregate::kAverage;
    else if (how == "MIN")
      ensemble.aggregate = TreeAggregate::kMin;
    else if (how == "MAX")
      ensemble.aggregate = TreeAggregate::kMax;
    else if (how != "SUM")
      return invalid_graph("aggregate_function must be AVERAGE, SUM, MIN or MAX; it is ", how);
    ensemble.targets = a.i("n_targets", 1);
    if (ensemble.targets < 1 || (base.size() > 1 && static_cast<int64_t>(base.size()) != ensemble.targets)) {
      return invalid_graph("n_targets is ", ensemble.targets, " but base_values has ", base.size(), " entries");
    }
    NodeLists lists;
    OL_TRY(lists.read(a, false));
    return lists.build(&ensemble);
  }

  Status run(OpContext& ctx) const override { return emit_rows(ctx, ensemble, base, transform, DType::kFloat); }
};

struct TreeEnsemble : Op {
  Ensemble ensemble;
  PostTransform transform;

  Status init(Attrs& a) {
    const int64_t how = a.i("aggregate_function", 1), post = a.i("post_transform", 0);
    if (how < 0 || how > 3 || post < 0 || post > 4) {
      return invalid_graph("aggregate_function must be 0 to 3 and post_transform 0 to 4; they are ", how, " and ",
                           post);
    }
    ensemble.aggregate = static_cast<TreeAggregate>(how);
    transform = static_cast<PostTransform>(post);
    ensemble.targets = a.i("n_targets", 1);
    OL_TRY(read_leaves(a));
    bool is_double = false;
    OL_TRY(read_nodes(a, &is_double));
    for (const int64_t root : a.ints("tree_roots")) {
      if (root < 0 || root > INT32_MAX) return invalid_graph("tree_roots holds ", root);
      ensemble.roots.push_back(static_cast<int32_t>(root));
    }
    OL_TRY(ensemble.check_tree());
    ensemble.finish(is_double);
    return {};
  }

  Status read_leaves(Attrs& a) {
    OL_ASSIGN(const auto weights, numbers(a, nullptr, "leaf_weights", nullptr));
    const std::vector<int64_t> ids = a.ints("leaf_targetids");
    if (ids.size() != weights.size() || ensemble.targets < 1) {
      return invalid_graph("leaf_targetids has ", ids.size(), " entries, leaf_weights ", weights.size(),
                           ", n_targets is ", ensemble.targets);
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || ids[i] >= ensemble.targets)
        return invalid_graph("a leaf names target ", ids[i], " of ", ensemble.targets);
      ensemble.leaf_begin.push_back(static_cast<int32_t>(i));
      ensemble.weights.push_back({static_cast<int32_t>(ids[i]), weights[i]});
    }
    ensemble.leaf_begin.push_back(static_cast<int32_t>(ids.size()));
    return {};
  }

  Status read_nodes(Attrs& a, bool* is_double) {
    OL_ASSIGN(const auto splits, numbers(a, nullptr, "nodes_splits", is_double));
    OL_ASSIGN(const auto modes, numbers(a, nullptr, "nodes_modes", nullptr));
    OL_ASSIGN(const auto members, numbers(a, nullptr, "membership_values", nullptr));
    const std::vector<int64_t> features = a.ints("nodes_featureids"),
                               missing = a.ints("nodes_missing_value_tracks_true");
    const std::vector<int64_t> yes = a.ints("nodes_truenodeids"), no = a.ints("nodes_falsenodeids");
    const std::vector<int64_t> yes_leaf = a.ints("nodes_trueleafs"), no_leaf = a.ints("nodes_falseleafs");
    a.ignore("nodes_hitrates");
    const size_t n = splits.size();
    if (modes.size() != n || features.size() != n || yes.size() != n || no.size() != n || yes_leaf.size() != n ||
        no_leaf.size() != n || (!missing.empty() && missing.size() != n)) {
      return invalid_graph("the nodes_* attributes must have one length; nodes_splits has ", n, ", nodes_modes ",
                           modes.size());
    }
    const auto child = [](int64_t id, int64_t leaf) { return static_cast<int32_t>(leaf != 0 ? ~id : id); };
    std::vector<TreeNode<double>>& nodes = ensemble.wide;
    nodes.resize(n);
    size_t member = 0;
    for (size_t i = 0; i < n; ++i) {
      if (yes[i] < 0 || no[i] < 0 || yes[i] > INT32_MAX || no[i] > INT32_MAX)
        return invalid_graph("node ", i, " leads nowhere");
      const bool is_set = modes[i] == 6, nan_yes = !missing.empty() && missing[i] != 0;
      if (!(modes[i] >= 0 && modes[i] <= 6)) return invalid_graph("nodes_modes holds ", modes[i], "; modes are 0 to 6");
      const int64_t mode = is_set ? static_cast<int64_t>(TreeMode::kEq) : static_cast<int64_t>(modes[i]);
      OL_ASSIGN(const uint32_t packed, feature_mode(features[i], mode, nan_yes));
      nodes[i] = {splits[i], packed, child(yes[i], yes_leaf[i]), child(no[i], no_leaf[i])};
      if (is_set) {
        OL_TRY(expand_set(i, members, &member));
      }
    }
    return {};
  }

  Status run(OpContext& ctx) const override { return emit_rows(ctx, ensemble, {}, transform, ctx.in(0).dtype()); }

  // Membership becomes a chain of comparisons that share the true branch.
  Status expand_set(size_t at, const std::vector<double>& members, size_t* member) {
    std::vector<TreeNode<double>>& nodes = ensemble.wide;
    const TreeNode<double> first = nodes[at];
    std::vector<double> set;
    while (*member < members.size() && !std::isnan(members[*member])) set.push_back(members[(*member)++]);
    if (*member < members.size()) ++*member;
    if (set.empty()) set.push_back(std::nan(""));
    size_t current = at;
    for (size_t i = 0; i < set.size(); ++i) {
      nodes[current].value = set[i];
      if (i + 1 == set.size()) break;
      nodes.push_back(first);
      nodes[current].no = static_cast<int32_t>(nodes.size()) - 1;
      current = nodes.size() - 1;
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"TreeEnsembleClassifier", 1, make<TreeEnsembleClassifier>},
    {"TreeEnsembleRegressor", 1, make<TreeEnsembleRegressor>},
    {"TreeEnsemble", 5, make<TreeEnsemble>},
};

}  // namespace

extern const OpTable kMlTreeOps{"ai.onnx.ml", kRows};

}  // namespace onnxlet
