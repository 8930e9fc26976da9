#pragma once

#include "kernels/cpu/gemm_task.h"

namespace dyad::kernels {

/// How a window moves over an image of up to three spatial dimensions (depth, height, width; missing ones are
/// 1). The image has its padding in memory. Steps are in elements of the image.
struct KernelWindow {
  int64_t kernel[3];
  int64_t out[3];          ///< positions of the window
  int64_t kernel_step[4];  ///< from one element of the kernel to the next: channel, depth, height, width
  int64_t move_step[3];    ///< from one position to the next
};

/// The positions [first, first + product.n) of one image: product.c = weights (product.a) @ windows of the
/// image.
struct ConvolutionTask {
  GemmTask product;  ///< b is not used
  const void* image;
  const KernelWindow* window;
  int64_t first;
};

/// One channel of one image with one filter; the whole plane of positions, row by row.
struct DepthwiseTask {
  const void* image;
  const void* filter;
  const void* bias;  ///< one number, or null
  void* out;
  const KernelWindow* window;
};

/// The convolutions of one instruction set, and the scratch memory that one needs for a product of these
/// sizes.
struct ConvolutionTable {
  void (*run_float)(const ConvolutionTask& task);
  void (*run_double)(const ConvolutionTask& task);
  void (*depthwise_float)(const DepthwiseTask& task);
  void (*depthwise_double)(const DepthwiseTask& task);
  size_t (*workspace_bytes)(int64_t m, int64_t n, int64_t k);
};

namespace baseline {
extern const ConvolutionTable convolution_table;
}
namespace avx2 {
extern const ConvolutionTable convolution_table;
}
namespace avx512 {
extern const ConvolutionTable convolution_table;
}

}  // namespace dyad::kernels
