// NonMaxSuppression.
#include <algorithm>

#include "kernels/nms.h"
#include "kernels/topk.h"
#include "ops/op.h"

namespace onnxlet {
namespace {

struct NonMaxSuppression : Op {
  bool center_point_box = false;

  Status init(Attrs& a) {
    center_point_box = a.i("center_point_box", 0) != 0;
    return {};
  }

  Box box_at(const float* p) const {
    if (center_point_box) {
      const float half_w = p[2] / 2, half_h = p[3] / 2;
      return {p[1] - half_h, p[0] - half_w, p[1] + half_h, p[0] + half_w};
    }
    return {std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])};
  }

  Status run(OpContext& ctx) const override {
    const Tensor& boxes = ctx.in(0);
    const Tensor& scores = ctx.in(1);
    if (boxes.rank() != 3 || scores.rank() != 3 || boxes.dim(2) != 4 || boxes.dim(0) != scores.dim(0) ||
        boxes.dim(1) != scores.dim(2)) {
      return run_failed("boxes must be [batches, boxes, 4] and scores [batches, classes, boxes]; their shapes are ",
                        boxes.shape(), " and ", scores.shape());
    }
    int64_t limit = 0;
    double iou = 0, lowest = 0;
    if (ctx.has(2)) {
      OL_ASSIGN(limit, to_int(ctx.in(2), "max_output_boxes_per_class"));
    }
    if (ctx.has(3)) {
      OL_ASSIGN(iou, to_double(ctx.in(3), "iou_threshold"));
    }
    if (!(iou >= 0 && iou <= 1)) return run_failed("iou_threshold must lie in [0, 1]; it is ", iou);
    const bool has_lowest = ctx.has(4);
    if (has_lowest) {
      OL_ASSIGN(lowest, to_double(ctx.in(4), "score_threshold"));
    }
    const int64_t n = boxes.dim(1), classes = scores.dim(1);
    std::vector<Box> corners(static_cast<size_t>(n));
    const int64_t most = (std::min(limit, n) + 3) / 4 * 4;
    std::vector<float> fields;
    std::vector<int64_t> order, selected;
    for (int64_t b = 0; b < boxes.dim(0) && limit > 0; ++b) {
      for (int64_t i = 0; i < n; ++i) corners[static_cast<size_t>(i)] = box_at(boxes.data<float>() + (b * n + i) * 4);
      for (int64_t c = 0; c < classes; ++c) {
        const float* score = scores.data<float>() + (b * classes + c) * n;
        order.clear();
        for (int64_t i = 0; i < n; ++i) {
          if (!has_lowest || score[i] > static_cast<float>(lowest))
            order.push_back(descending_rank(score[i], i, false));
        }
        make_rank_heap(order.data(), static_cast<int64_t>(order.size()));
        fields.assign(static_cast<size_t>(kBoxFields * most), 0.0f);
        KeptBoxes kept{fields.data(), most};
        for (auto left = static_cast<int64_t>(order.size()); left > 0 && kept.n < limit; --left) {
          const int64_t i = index_of_rank(pop_rank(order.data(), left));
          const Box& box = corners[static_cast<size_t>(i)];
          if (overlaps_any(box, kept, static_cast<float>(iou))) continue;
          kept.add(box);
          selected.insert(selected.end(), {b, c, i});
        }
      }
    }
    OL_ASSIGN(Tensor * y, ctx.out(0, DType::kInt64, Shape{static_cast<int64_t>(selected.size() / 3), 3}));
    std::copy(selected.begin(), selected.end(), y->mutable_data<int64_t>());
    return {};
  }
};

const OpRow kRows[] = {
    {"NonMaxSuppression", 10, make<NonMaxSuppression>},
};

}  // namespace

extern const OpTable kDetectionOps{"", kRows};

}  // namespace onnxlet
