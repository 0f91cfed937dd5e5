// A convolution's result cut into blocks of output pixels times output channels of one group: what one task computes.
#pragma once

#include <algorithm>

#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/slots.h"

namespace onnxlet::inline ONNXLET_LEVEL {

struct ConvTask {
  int64_t image, group, pixel0, pixel1, col0, col1;  // columns are channels of the group
};

struct ConvBlocks {
  int64_t pixels, block, pixel_blocks, block_cols, col_blocks;

  // At most `most_pixels` times `most_cols`; columns are halved down to `least_cols` while there are few tasks.
  ConvBlocks(const Conv& c, int64_t most_pixels, int64_t most_cols, int64_t least_cols) : pixels(c.window.pixels()) {
    block = std::min(most_pixels, round_up(pixels, kGemmRows));
    pixel_blocks = blocks(pixels, block);
    block_cols = std::min(most_cols, round_up(c.group_out(), kGemmCols));
    while (block_cols >= 2 * least_cols && c.batch * c.groups * pixel_blocks * blocks(c.group_out(), block_cols) < 16) {
      block_cols = round_up(block_cols / 2, kGemmCols);
    }
    col_blocks = blocks(c.group_out(), block_cols);
  }

  // body(task, slot) for every block, in parallel.
  template <class Body>
  void for_each(const Conv& c, Slots& slots, Body body) const {
    const int64_t tasks = c.batch * c.groups * pixel_blocks * col_blocks;
    const int64_t cost = block * block_cols * std::max<int64_t>(c.group_channels() * c.window.taps(), 8) / 16;
    parallel_for(tasks, grain_for(cost), [&](int64_t begin, int64_t end) {
      Slots::Claim claim(slots);
      for (int64_t i = begin; i < end; ++i) body(task(c, i), claim.as<char>());
    });
  }

 private:
  static int64_t round_up(int64_t v, int64_t to) { return (v + to - 1) / to * to; }
  static int64_t blocks(int64_t n, int64_t size) { return (n + size - 1) / std::max<int64_t>(size, 1); }

  ConvTask task(const Conv& c, int64_t i) const {
    const int64_t outer = i / (pixel_blocks * col_blocks), inner = i % (pixel_blocks * col_blocks);
    const int64_t pixel0 = inner / col_blocks * block, col0 = inner % col_blocks * block_cols;
    return {outer / c.groups,
            outer % c.groups,
            pixel0,
            std::min(pixel0 + block, pixels),
            col0,
            std::min(col0 + block_cols, c.group_out())};
  }
};

}  // namespace onnxlet::inline ONNXLET_LEVEL
