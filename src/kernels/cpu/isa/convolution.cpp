// Convolution as a matrix product whose right side, the windows of the image side by side, is never formed:
// its panels are packed straight from the image.

#include "kernels/cpu/convolution_task.h"
#include "kernels/cpu/isa_gemm.h"

namespace dyad::kernels::DYAD_ISA {

/// Neighbouring positions in one row of the image.
struct Run {
  int64_t from;  ///< of the first position, in elements of the image
  int64_t count;
};

/// The positions [first, first + columns) as runs; returns how many.
static int64_t split_runs(const KernelWindow& window, int64_t first, int64_t columns, Run* runs) {
  int64_t count = 0;
  for (int64_t done = 0; done < columns;) {
    const int64_t position = first + done;
    const int64_t x = position % window.out[2];
    const int64_t row = position / window.out[2];
    const int64_t y = row % window.out[1];
    const int64_t z = row / window.out[1];
    const int64_t length = smaller(window.out[2] - x, columns - done);
    runs[count++] = {z * window.move_step[0] + y * window.move_step[1] + x * window.move_step[2], length};
    done += length;
  }
  return count;
}

/// Walks the elements of a kernel in the order of the weights.
struct KernelWalk {
  const KernelWindow& window;
  int64_t at[4];  ///< channel, depth, height, width

  KernelWalk(const KernelWindow& window, int64_t element) : window(window) {
    for (int d = 3; d > 0; --d) {
      at[d] = element % window.kernel[d - 1];
      element /= window.kernel[d - 1];
    }
    at[0] = element;
  }
  int64_t offset() const {
    return at[0] * window.kernel_step[0] + at[1] * window.kernel_step[1] + at[2] * window.kernel_step[2] +
           at[3] * window.kernel_step[3];
  }
  void next() {
    for (int d = 3; d > 0; --d) {
      if (++at[d] < window.kernel[d - 1]) return;
      at[d] = 0;
    }
    ++at[0];
  }
};

template <class T>
static void pack_windows(const ConvolutionTask& task, int64_t depth, int64_t count, int64_t column,
                         int64_t columns, T* out) {
  using V = Vector<T>;
  constexpr int64_t width = kTileColumns<T>;
  const KernelWindow& window = *task.window;
  const auto* image = static_cast<const T*>(task.image);
  Run runs[width];
  const int64_t run_count = split_runs(window, task.first + column, columns, runs);
  const int64_t step = window.move_step[2];
  KernelWalk walk(window, depth);
  for (int64_t p = 0; p < count; ++p, walk.next(), out += width) {
    const T* from = image + walk.offset();
    if (run_count == 1 && columns == width && step == 1) {
      for (int64_t i = 0; i < width; i += V::kWidth) V::store(out + i, V::load(from + runs[0].from + i));
      continue;
    }
    int64_t j = 0;
    for (int64_t r = 0; r < run_count; ++r) {
      const T* x = from + runs[r].from;
      for (int64_t i = 0; i < runs[r].count; ++i) out[j++] = x[i * step];
    }
    for (; j < width; ++j) out[j] = T(0);
  }
}

template <class T>
static void run_convolution(const ConvolutionTask& task) {
  run_packed<T, T>(task.product, [&](int64_t depth, int64_t count, int64_t column, int64_t columns, T* out) {
    pack_windows<T>(task, depth, count, column, columns, out);
  });
}

template <class T>
static void add_scaled_row(int64_t count, T factor, const T* x, int64_t step, T* out) {
  if (step == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] += factor * x[i];
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] += factor * x[i * step];
  }
}

template <class T>
static void run_depthwise(const DepthwiseTask& task) {
  const KernelWindow& w = *task.window;
  const auto* filter = static_cast<const T*>(task.filter);
  const T start = task.bias ? *static_cast<const T*>(task.bias) : T(0);
  T* out = static_cast<T*>(task.out);
  for (int64_t z = 0; z < w.out[0]; ++z) {
    for (int64_t y = 0; y < w.out[1]; ++y, out += w.out[2]) {
      for (int64_t x = 0; x < w.out[2]; ++x) out[x] = start;
      const T* row = static_cast<const T*>(task.image) + z * w.move_step[0] + y * w.move_step[1];
      KernelWalk walk(w, 0);
      const int64_t elements = w.kernel[0] * w.kernel[1] * w.kernel[2];
      for (int64_t e = 0; e < elements; ++e, walk.next()) {
        add_scaled_row(w.out[2], filter[e], row + walk.offset(), w.move_step[2], out);
      }
    }
  }
}

extern constinit const ConvolutionTable convolution_table = {run_convolution<float>, run_convolution<double>,
                                                             run_depthwise<float>, run_depthwise<double>,
                                                             packing_bytes};

}  // namespace dyad::kernels::DYAD_ISA
