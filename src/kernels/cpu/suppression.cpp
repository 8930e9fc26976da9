#include <algorithm>
#include <numeric>

#include "kernels/cpu/contiguous.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kColumns = 5;

/// Shared area of two boxes over the area they cover together.
double overlap(const double* a, const double* b) {
  const double width = std::max(0.0, std::min(a[2], b[2]) - std::max(a[0], b[0]));
  const double height = std::max(0.0, std::min(a[3], b[3]) - std::max(a[1], b[1]));
  const double shared = width * height;
  const double together = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared;
  return together > 0 ? shared / together : 0;
}

/// (bboxes, iou_threshold) -> (order, kept)
void run_suppression(const KernelCall& call) {
  const int64_t count = call.in(0).shape[0].value();
  if (count == 0) return;
  const Contiguous boxes(call.in(0), DType::kFloat64);
  auto box = [&](int64_t i) { return boxes.as<double>() + i * kColumns; };
  auto* order = call.out(0).as<int64_t>();
  std::iota(order, order + count, 0);
  std::stable_sort(order, order + count, [&](int64_t a, int64_t b) { return box(a)[4] > box(b)[4]; });
  bool* kept = call.out(1).as<bool>();
  std::fill(kept, kept + count, true);
  for (int64_t i = 0; i < count; ++i) {
    if (!kept[i]) continue;
    for (int64_t j = i + 1; j < count; ++j) {
      if (overlap(box(order[i]), box(order[j])) > call.real(1)) kept[j] = false;
    }
  }
}

}  // namespace

DYAD_CPU_KERNEL(suppress_overlaps, run_suppression);

}  // namespace dyad::kernels
