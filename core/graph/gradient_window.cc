// How windows that slide over images are differentiated: convolutions and pools. Formulas are in the language of
// formula.cc.
#include <algorithm>

#include "graph/backward.h"

namespace onnxlet {
namespace {

// Crops or pads the ends of the axes of `t` with zeros until it has the shape `s`.
constexpr const char* kFit = "more = s - Shape(t); Pad(t, Concat(more - more, more, axis=0))";
constexpr const char* kPerChannel = "ReduceSum(Reshape(g, [0, 0, -1]), [0, 2], keepdims=0)";

class Window {
 public:
  // False when its places depend on shapes that are not known now.
  bool read(Backward& b) {
    strides_ = b.ints_of("strides");
    dilations_ = b.ints_of("dilations");
    pads_ = b.ints_of("pads");
    group_ = std::max<int64_t>(b.int_of("group"), 1);
    const std::string_view automatic = b.text_of("auto_pad");
    if (automatic == "VALID") pads_.clear();
    return automatic.empty() || automatic == "NOTSET" || automatic == "VALID";
  }
  bool padded() const {
    return std::any_of(pads_.begin(), pads_.end(), [](int64_t p) { return p != 0; });
  }
  int64_t group() const { return group_; }
  Backward::Attributes same() const { return list(strides_, dilations_, pads_); }
  Backward::Attributes exchanged() const { return list(dilations_, strides_, pads_); }
  Backward::Attributes without_end_pads() const {
    std::vector<int64_t> pads = pads_;
    std::fill(pads.begin() + static_cast<ptrdiff_t>(pads.size() / 2), pads.end(), 0);
    return list(strides_, dilations_, pads);
  }

 private:
  Backward::Attributes list(const std::vector<int64_t>& strides, const std::vector<int64_t>& dilations,
                            const std::vector<int64_t>& pads) const {
    Backward::Attributes out;
    const auto add = [&](const char* name, const std::vector<int64_t>& values) {
      if (!values.empty()) out.push_back(make_attribute(name, values));
    };
    add("strides", strides);
    add("dilations", dilations);
    add("pads", pads);
    if (group_ > 1) out.push_back(make_attribute("group", group_));
    return out;
  }

  std::vector<int64_t> strides_, dilations_, pads_;
  int64_t group_ = 1;
};

void give_fitted(Backward& b, int i) { b.give(i, b.formula(kFit)); }

// The gradient of weights [m, c / group, ...]: `data` is what they slide over, `kernel` what comes of it. Channels of
// `data` take the place of its batch: [n, group c, ...] becomes [c, group n, ...].
void give_weights(Backward& b, const Window& window, ValueId data, ValueId kernel) {
  b.let("data", data);
  b.let("kernel", kernel);
  b.attributes = window.exchanged();
  b.formula(window.group() == 1 ? "turned = Einsum(data, equation='ab...->ba...')"
                                : "s = Shape(data); n = Slice(s, [0], [1]); rest = Slice(s, [2], [end]);"
                                  "m = Slice(s, [1], [2]) / [group];"
                                  "split = Reshape(data, Concat(n, [group], m, rest, axis=0), allowzero=1);"
                                  "split = Einsum(split, equation='abc...->cba...');"
                                  "turned = Reshape(split, Concat(m, [group] * n, rest, axis=0), allowzero=1)");
  b.formula(
      "t = Einsum(Conv(turned, Einsum(kernel, equation='ab...->ba...'), @), equation='ab...->ba...'); s = Shape(b)");
  give_fitted(b, 1);
}

void conv(Backward& b) {
  Window window;
  if (!window.read(b)) return b.refuse("auto_pad has no rule");
  if (b.wants(0)) {
    b.attributes = window.without_end_pads();
    b.formula("t = ConvTranspose(g, b, @); s = Shape(x)");
    give_fitted(b, 0);
  }
  if (b.wants(1)) give_weights(b, window, b.in(0), b.g());
  if (b.wants(2)) b.give(2, b.formula(kPerChannel));
}

void conv_transpose(Backward& b) {
  Window window;
  if (!window.read(b) || !b.ints_of("output_shape").empty()) return b.refuse("auto_pad and output_shape have no rule");
  b.attributes = window.same();
  if (b.wants(0)) b.give(0, b.formula("Conv(g, b, @)"));
  if (b.wants(1)) give_weights(b, window, b.g(), b.in(0));
  if (b.wants(2)) b.give(2, b.formula(kPerChannel));
}

void average_pool(Backward& b) {
  Window window;
  if (!window.read(b) || b.int_of("ceil_mode") != 0 || (window.padded() && b.int_of("count_include_pad") == 0))
    return b.refuse("auto_pad, ceil_mode and padding that is not counted have no rule");
  double count = 1;
  std::vector<int64_t> shape = {1, 1};
  for (int64_t k : b.ints_of("kernel_shape")) {
    shape.push_back(k);
    count *= static_cast<double>(k);
  }
  b.let("kernel", b.ints(shape));
  b.let("count", b.number(count, b.dtype(b.g())));
  b.attributes = window.without_end_pads();
  b.formula(
      "planes = Reshape(g, Concat([-1, 1], Slice(Shape(g), [2], [end]), axis=0));"
      "t = ConvTranspose(planes, Expand(1, kernel) / count, @);"
      "s = Concat(Slice(Shape(t), [0], [2]), Slice(Shape(x), [2], [end]), axis=0)");
  b.let("t", b.formula(kFit));
  b.give(0, b.formula("Reshape(t, Shape(x), allowzero=1)"));
}

void max_pool(Backward& b) {
  if (b.node().since_version() < 8 || b.int_of("storage_order") != 0)
    return b.refuse("this version or order has no rule");
  b.attributes = Backward::Attributes(b.node().attributes);
  b.give(0, b.formula("zeros = Expand(0, Reshape(Size(x), [-1])); flat = Reshape(g, [-1]);"
                      "sums = ScatterElements(zeros, Reshape(MaxPool:1(x, @), [-1]), flat, axis=0, reduction='add');"
                      "Reshape(sums, Shape(x), allowzero=1)"));
}

constexpr GradientRule kRules[] = {
    {"AveragePool", average_pool},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"MaxPool", max_pool},
};

}  // namespace

std::span<const GradientRule> window_gradients() { return kRules; }

}  // namespace onnxlet
