// RandomNormal, RandomUniform and their Like forms, Bernoulli, Multinomial. With the seed attribute every run gives the
// same numbers, those of numpy's RandomState with that seed, which is what the ONNX reference implementation draws;
// without it the session's generator seeds the node's.
#include <algorithm>
#include <cmath>

#include "kernels/convert.h"
#include "kernels/mt19937.h"
#include "ops/op.h"
#include "ops/shape_util.h"

namespace onnxlet {
namespace {

// Normal deviates in pairs by the polar method (Marsaglia and Bray, 1964), in numpy's order.
class NormalSource {
 public:
  explicit NormalSource(Mt19937& rng) : rng_(rng) {}
  double next() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double x1 = 0, x2 = 0, r2 = 0;
    do {
      x1 = 2 * rng_.uniform() - 1;
      x2 = 2 * rng_.uniform() - 1;
      r2 = x1 * x1 + x2 * x2;
    } while (r2 >= 1 || r2 == 0);
    const double f = std::sqrt(-2 * std::log(r2) / r2);
    spare_ = f * x1;
    has_spare_ = true;
    return f * x2;
  }

 private:
  Mt19937& rng_;
  double spare_ = 0;
  bool has_spare_ = false;
};

struct RandomOp : Op {
  bool seeded = false;
  float seed = 0;

  void read_seed(Attrs& a) {
    seeded = a.has("seed");
    seed = a.f("seed", 0);
  }
  Mt19937 generator(OpContext& ctx) const {
    const uint64_t drawn = seeded ? 0 : ctx.next_random();
    const double whole = std::fmod(std::trunc(static_cast<double>(seed)), 4294967296.0);
    const int64_t wrapped = std::isfinite(whole) ? static_cast<int64_t>(whole) : 0;
    return Mt19937(static_cast<uint32_t>(seeded ? static_cast<uint64_t>(wrapped) : drawn));
  }
};

enum class Distribution : uint8_t { kNormal, kUniform };

// scale * draw + offset of a given or another tensor's shape.
template <Distribution kKind, bool kLike>
struct RandomTensor : RandomOp {
  float scale = 1, offset = 0;
  DType type = DType::kUndefined;  // undefined: the input's
  Shape shape;

  Status init(Attrs& a) {
    read_seed(a);
    type = a.dtype("dtype", kLike ? DType::kUndefined : DType::kFloat);
    if (kKind == Distribution::kNormal) {
      scale = a.f("scale", 1);
      offset = a.f("mean", 0);
    } else {
      offset = a.f("low", 0);
      scale = a.f("high", 1) - offset;
    }
    if (!kLike) {
      OL_ASSIGN(shape, make_shape(a.ints("shape")));
    }
    return {};
  }

  Status run(OpContext& ctx) const override {
    DType t = type;
    if (t == DType::kUndefined && kLike) t = ctx.in(0).dtype();
    if (kLike && !is_float(t))
      return run_failed("no random numbers of type ", t, " can be made; set the dtype attribute");
    OL_ASSIGN(Tensor * y, ctx.out(0, t, kLike ? ctx.in(0).shape() : shape));
    Mt19937 rng = generator(ctx);
    NormalSource normal(rng);
    double chunk[kFloatChunk];
    char* out = static_cast<char*>(y->mutable_raw());
    for (int64_t begin = 0; begin < y->size(); begin += kFloatChunk) {
      const int64_t n = std::min(kFloatChunk, y->size() - begin);
      for (int64_t i = 0; i < n; ++i) {
        const double draw = kKind == Distribution::kNormal ? normal.next() : rng.uniform();
        chunk[i] = t == DType::kDouble ? draw * static_cast<double>(scale) + static_cast<double>(offset)
                                       : static_cast<double>(static_cast<float>(draw) * scale + offset);
      }
      from_double(chunk, t, out + static_cast<size_t>(begin) * element_size(t), n);
    }
    return {};
  }
};

struct Bernoulli : RandomOp {
  DType type = DType::kUndefined;
  Status init(Attrs& a) {
    read_seed(a);
    type = a.dtype("dtype", DType::kUndefined);
    return {};
  }
  // One binomial draw by inversion, as numpy has it: the rarer outcome is the one beyond the threshold.
  static bool draw(Mt19937& rng, double p) {
    const double u = rng.uniform();
    return p <= 0.5 ? u > 1 - p : u <= p;
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    const DType t = type == DType::kUndefined ? x.dtype() : type;
    OL_ASSIGN(Tensor * y, ctx.out(0, t, x.shape()));
    Mt19937 rng = generator(ctx);
    double p[kFloatChunk];
    const char* in = static_cast<const char*>(x.raw());
    char* out = static_cast<char*>(y->mutable_raw());
    for (int64_t begin = 0; begin < x.size(); begin += kFloatChunk) {
      const int64_t n = std::min(kFloatChunk, x.size() - begin);
      to_double(x.dtype(), in + static_cast<size_t>(begin) * element_size(x.dtype()), p, n);
      for (int64_t i = 0; i < n; ++i) {
        if (!(p[i] >= 0 && p[i] <= 1)) {
          return run_failed("a probability must lie in [0, 1]; element ", begin + i, " is ", p[i]);
        }
        p[i] = draw(rng, p[i]) ? 1 : 0;
      }
      from_double(p, t, out + static_cast<size_t>(begin) * element_size(t), n);
    }
    return {};
  }
};

struct Multinomial : RandomOp {
  DType type = DType::kInt32;
  int64_t samples = 1;
  Status init(Attrs& a) {
    read_seed(a);
    type = a.dtype("dtype", DType::kInt32);
    samples = a.i("sample_size", 1);
    if (samples < 1) return invalid_graph("sample_size must be positive; it is ", samples);
    return {};
  }
  Status run(OpContext& ctx) const override {
    const Tensor& x = ctx.in(0);
    if (x.rank() != 2 || x.dim(1) < 1) {
      return run_failed("the input must have shape [batch, classes] with at least one class; its shape is ", x.shape());
    }
    const int64_t batch = x.dim(0), classes = x.dim(1);
    OL_ASSIGN(Tensor * y, ctx.out(0, type, Shape{batch, samples}));
    OL_ASSIGN(double* cumulative, ctx.scratch_of<double>(classes));
    Mt19937 rng = generator(ctx);
    for (int64_t b = 0; b < batch; ++b) {
      const size_t at = static_cast<size_t>(b * classes) * element_size(x.dtype());
      to_double(x.dtype(), static_cast<const char*>(x.raw()) + at, cumulative, classes);
      const double top = *std::max_element(cumulative, cumulative + classes);
      double sum = 0;
      for (int64_t c = 0; c < classes; ++c) cumulative[c] = sum += std::exp(cumulative[c] - top);
      for (int64_t s = 0; s < samples; ++s) {
        const double u = rng.uniform() * sum;
        const int64_t found = std::upper_bound(cumulative, cumulative + classes, u) - cumulative;
        const double chosen = static_cast<double>(std::min(found, classes - 1));
        from_double(&chosen, type,
                    static_cast<char*>(y->mutable_raw()) + static_cast<size_t>(b * samples + s) * element_size(type),
                    1);
      }
    }
    return {};
  }
};

const OpRow kRows[] = {
    {"RandomNormal", 1, make<RandomTensor<Distribution::kNormal, false>>, kImpure},
    {"RandomUniform", 1, make<RandomTensor<Distribution::kUniform, false>>, kImpure},
    {"RandomNormalLike", 1, make<RandomTensor<Distribution::kNormal, true>>, kImpure},
    {"RandomUniformLike", 1, make<RandomTensor<Distribution::kUniform, true>>, kImpure},
    {"Bernoulli", 15, make<Bernoulli>, kImpure},
    {"Multinomial", 7, make<Multinomial>, kImpure},
};

}  // namespace

extern const OpTable kRandomOps{"", kRows};

}  // namespace onnxlet
