// How windows that slide over images are differentiated: convolutions and pools.
#include <algorithm>

#include "graph/backward.h"

namespace onnxlet {
namespace {

constexpr int64_t kEnd = Backward::kEnd;

// Crops or pads the ends of the axes with zeros until `v` has this shape.
ValueId fit(Backward& b, ValueId v, ValueId shape) {
  const ValueId extra = b.op("Sub", {shape, b.shape(v)});
  const ValueId none = b.op("Sub", {extra, extra});
  return b.op("Pad", {v, b.op("Concat", {none, extra}, {attribute("axis", 0)})});
}

struct Window {
  std::vector<int64_t> strides, dilations, pads;
  int64_t group = 1;

  // False when its places depend on shapes that are not known now.
  bool read(Backward& b) {
    strides = b.ints_of("strides");
    dilations = b.ints_of("dilations");
    pads = b.ints_of("pads");
    group = std::max<int64_t>(b.int_of("group"), 1);
    const std::string_view automatic = b.text_of("auto_pad");
    if (automatic == "VALID") pads.clear();
    return automatic.empty() || automatic == "NOTSET" || automatic == "VALID";
  }
  std::vector<Attribute> attributes(bool with_end_pads) const { return list(strides, dilations, with_end_pads); }
  std::vector<Attribute> exchanged() const { return list(dilations, strides, true); }

 private:
  std::vector<Attribute> list(const std::vector<int64_t>& steps, const std::vector<int64_t>& spread, bool ends) const {
    std::vector<Attribute> out;
    if (!steps.empty()) out.push_back(attribute("strides", steps));
    if (!spread.empty()) out.push_back(attribute("dilations", spread));
    std::vector<int64_t> p = pads;
    if (!ends) std::fill(p.begin() + static_cast<ptrdiff_t>(p.size() / 2), p.end(), 0);
    if (!p.empty()) out.push_back(attribute("pads", std::move(p)));
    if (group > 1) out.push_back(attribute("group", group));
    return out;
  }
};

ValueId swap_first(Backward& b, ValueId v) {
  return b.op("Einsum", {v}, {attribute("equation", std::string_view("ab...->ba..."))});
}

// [n, g c, ...] -> [c, g n, ...]
ValueId channels_as_batch(Backward& b, ValueId v, int64_t groups) {
  if (groups == 1) return swap_first(b, v);
  const ValueId shape = b.shape(v), group = b.ints({groups});
  const ValueId batch = b.dims(shape, 0, 1), rest = b.dims(shape, 2, kEnd);
  const ValueId channels = b.op("Div", {b.dims(shape, 1, 2), group});
  const Attribute axis = attribute("axis", 0);
  const ValueId grouped = b.reshape(v, b.op("Concat", {batch, group, channels, rest}, {axis}));
  const ValueId turned = b.op("Einsum", {grouped}, {attribute("equation", std::string_view("abc...->cba..."))});
  return b.reshape(turned, b.op("Concat", {channels, b.op("Mul", {group, batch}), rest}, {axis}));
}

// The gradient of weights [m, c / group, ...]: `data` is what they slide over, `kernel` what comes of it.
ValueId weight_gradient(Backward& b, const Window& window, ValueId data, ValueId kernel, ValueId weights) {
  const ValueId sums =
      b.op("Conv", {channels_as_batch(b, data, window.group), swap_first(b, kernel)}, window.exchanged());
  return fit(b, swap_first(b, sums), b.shape(weights));
}

void conv(Backward& b) {
  Window window;
  if (!window.read(b)) return b.refuse("auto_pad has no rule");
  if (b.wants(0)) {
    const ValueId spread = b.op("ConvTranspose", {b.g(), b.in(1)}, window.attributes(false));
    b.give(0, fit(b, spread, b.shape(b.in(0))));
  }
  if (b.wants(1)) b.give(1, weight_gradient(b, window, b.in(0), b.g(), b.in(1)));
  if (b.wants(2)) b.give(2, b.per_channel(b.g()));
}

void conv_transpose(Backward& b) {
  Window window;
  if (!window.read(b) || !b.ints_of("output_shape").empty()) return b.refuse("auto_pad and output_shape have no rule");
  if (b.wants(0)) b.give(0, b.op("Conv", {b.g(), b.in(1)}, window.attributes(true)));
  if (b.wants(1)) b.give(1, weight_gradient(b, window, b.g(), b.in(0), b.in(1)));
  if (b.wants(2)) b.give(2, b.per_channel(b.g()));
}

void average_pool(Backward& b) {
  Window window;
  const std::vector<int64_t> kernel = b.ints_of("kernel_shape");
  const bool fixed = window.read(b);
  const bool padded = std::any_of(window.pads.begin(), window.pads.end(), [](int64_t p) { return p != 0; });
  if (!fixed || b.int_of("ceil_mode") != 0 || (padded && b.int_of("count_include_pad") == 0))
    return b.refuse("auto_pad, ceil_mode and padding that is not counted have no rule");
  double count = 1;
  std::vector<int64_t> shape = {1, 1};
  for (int64_t k : kernel) {
    shape.push_back(k);
    count *= static_cast<double>(k);
  }
  const Attribute axis = attribute("axis", 0);
  const ValueId planes = b.ints({-1, 1});
  const auto spatial = [&](ValueId v) { return b.dims(b.shape(v), 2, kEnd); };
  const ValueId g = b.reshape(b.g(), b.op("Concat", {planes, spatial(b.g())}, {axis}));
  const ValueId share = b.op("Expand", {b.number(1 / count, b.dtype(g)), b.ints(shape)});
  const ValueId spread = b.op("ConvTranspose", {g, share}, window.attributes(false));
  const ValueId wanted = b.op("Concat", {b.dims(b.shape(spread), 0, 2), spatial(b.in(0))}, {axis});
  b.give(0, b.as_shape_of(fit(b, spread, wanted), b.in(0)));
}

void max_pool(Backward& b) {
  if (b.node().since_version() < 8 || b.int_of("storage_order") != 0)
    return b.refuse("this version or order has no rule");
  Backward::Inputs outputs = {b.fresh(), b.fresh()};
  b.add("MaxPool", {b.in(0)}, outputs, b.node().attributes);
  b.give(0, b.scatter(b.g(), outputs[1], b.in(0)));
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
