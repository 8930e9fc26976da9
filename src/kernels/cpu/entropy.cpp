// Cross entropy in one pass over the scores forward and one backward: no logarithms of probabilities are
// stored, only their sum per line.

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "base/error.h"
#include "kernels/cpu/best_table.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "kernels/cpu/entropy_table.h"
#include "kernels/cpu/line_bundles.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/softmax.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

template <class T>
const EntropyLoops<T>& entropy_loops() {
  static const EntropyTable& best =
      best_table(baseline::entropy_table, avx2::entropy_table, avx512::entropy_table);
  return loops_in<T>(best);
}

AxisView class_lines(const ValueImpl& input) { return AxisView(input.shape, input.rank() == 1 ? 0 : 1); }

/// What both directions of a loss against class indices read.
template <class T>
class Classes {
 public:
  /// `at` is the argument that holds the scores; target and weight follow it, and `options` is where
  /// (ignore_index, reduction, label_smoothing, normalize) begin.
  Classes(const KernelCall& call, DType dtype, size_t at, size_t options)
      : lines(class_lines(call.in(at))),
        normalize(call.flag(options + 3)),
        smoothing(static_cast<T>(call.real(options + 2))),
        input_(call.in(at), dtype),
        target_(call.in(at + 1), DType::kInt64),
        ignored_(call.integer(options)) {
    if (call.has(at + 2)) weight_ = std::make_unique<Contiguous>(call.in(at + 2), dtype);
    const int64_t positions = lines.outer * lines.inner;
    for (int64_t i = 0; i < positions; ++i) {
      const int64_t label = target_.template as<int64_t>()[i];
      if ((label < 0 || label >= lines.count) && label != ignored_) {
        index_error(call.op(), ": target holds class ", label, "; accepted are 0 to ", lines.count - 1,
                    " and ignore_index ", ignored_);
      }
    }
  }
  const T* scores() const { return input_.template as<T>(); }
  /// One weight per class; null means that all are 1.
  const T* weights() const { return weight_ ? weight_->template as<T>() : nullptr; }
  T weight_sum() const {
    return weights() ? std::accumulate(weights(), weights() + lines.count, T(0))
                     : static_cast<T>(lines.count);
  }
  bool counts(int64_t position) const { return label(position) != ignored_; }
  int64_t label(int64_t position) const { return target_.template as<int64_t>()[position]; }
  T weight(int64_t position) const { return weights() ? weights()[label(position)] : T(1); }

  AxisView lines;
  bool normalize;
  T smoothing;

 private:
  Contiguous input_;
  Contiguous target_;
  std::unique_ptr<Contiguous> weight_;
  int64_t ignored_;
};

/// The losses of a bundle's positions.
template <class T>
void class_losses(const Classes<T>& classes, int64_t at, int64_t columns, int64_t group, const T* log_sum,
                  T* loss) {
  const AxisView& lines = classes.lines;
  T spread[kSoftmaxColumns] = {};
  if (classes.smoothing > 0) {
    entropy_loops<T>().spread(classes.scores() + at, classes.weights(), lines.count, lines.inner, columns,
                              log_sum + group, spread);
  }
  const T share = classes.smoothing / static_cast<T>(lines.count);
  for (int64_t j = 0; j < columns; ++j) {
    const int64_t position = group + j;
    if (!classes.counts(position)) {
      loss[position] = T(0);
      continue;
    }
    const T score = classes.scores()[at + classes.label(position) * lines.inner + j];
    const T own = classes.weight(position) * (log_sum[position] - score);
    loss[position] = (T(1) - classes.smoothing) * own + (classes.smoothing > 0 ? share * spread[j] : T(0));
  }
}

/// (input, target, weight, ignore_index, reduction, label_smoothing, normalize) → loss, the logarithms of the
/// sums of exponentials, and the total weight of the positions that count.
void run_class_loss(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(0).dtype);
  with_float(dtype, [&]<class T>(T) {
    const Classes<T> classes(call, dtype, 0, 3);
    const AxisView& lines = classes.lines;
    const int64_t positions = lines.outer * lines.inner;
    const std::string& reduction = call.text(4);
    T* log_sum = call.out(1).as<T>();
    Computed out(call.out(0), dtype);
    Workspace scratch(static_cast<size_t>(reduction == "none" ? 1 : positions) * sizeof(T));
    T* loss = reduction == "none" ? out.as<T>() : scratch.as<T>();
    if (!classes.normalize || lines.count == 0) std::fill(log_sum, log_sum + positions, T(0));
    if (lines.count == 0) std::fill(loss, loss + positions, T(0));
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t group) {
      if (classes.normalize) {
        softmax_loops<T>().log_sum(classes.scores() + at, lines.count, lines.inner, columns, log_sum + group);
      }
      class_losses(classes, at, columns, group, log_sum, loss);
    });
    double total = 0;
    double sum = 0;
    for (int64_t i = 0; i < positions; ++i) {
      if (!classes.counts(i)) continue;
      total += static_cast<double>(classes.weight(i));
      sum += static_cast<double>(loss[i]);
    }
    *call.out(2).as<T>() = static_cast<T>(total);
    if (reduction != "none") *out.as<T>() = static_cast<T>(reduction == "mean" ? sum / total : sum);
    out.store();
  });
}

/// Subtracts from a bundle's gradient what the labels and the smoothing take.
template <class T>
void subtract_targets(const Classes<T>& classes, int64_t at, int64_t columns, int64_t group,
                      const T* gradient, T* out) {
  const AxisView& lines = classes.lines;
  if (classes.smoothing > 0) {
    const T share = classes.smoothing / static_cast<T>(lines.count);
    for (int64_t i = 0; i < lines.count; ++i) {
      const T part = share * (classes.weights() ? classes.weights()[i] : T(1));
      for (int64_t j = 0; j < columns; ++j) out[at + i * lines.inner + j] -= part * gradient[j];
    }
  }
  for (int64_t j = 0; j < columns; ++j) {
    if (!classes.counts(group + j)) continue;
    out[at + classes.label(group + j) * lines.inner + j] -=
        (T(1) - classes.smoothing) * classes.weight(group + j) * gradient[j];
  }
}

/// (gradient, input, target, weight, log_sum, total, ignore_index, reduction, label_smoothing, normalize)
void run_class_loss_grad(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(1).dtype);
  with_float(dtype, [&]<class T>(T) {
    const Classes<T> classes(call, dtype, 1, 6);
    const AxisView& lines = classes.lines;
    const Contiguous arrived(call.in(0), dtype);
    const Contiguous log_sum(call.in(4), dtype);
    const Contiguous total(call.in(5), dtype);
    const bool each = call.text(7) == "none";
    const T whole = each ? T(0) : *arrived.as<T>();
    const T joint = call.text(7) == "mean" ? whole / *total.as<T>() : whole;
    const T spread = classes.smoothing * classes.weight_sum() / static_cast<T>(lines.count);
    Computed result(call.out(), dtype);
    T* out = result.as<T>();
    if (!classes.normalize) std::fill(out, out + lines.total(), T(0));
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t group) {
      T gradient[kSoftmaxColumns];
      T scale[kSoftmaxColumns];
      for (int64_t j = 0; j < columns; ++j) {
        const bool counts = classes.counts(group + j);
        gradient[j] = !counts ? T(0) : each ? arrived.as<T>()[group + j] : joint;
        scale[j] =
            counts ? gradient[j] * ((T(1) - classes.smoothing) * classes.weight(group + j) + spread) : T(0);
      }
      if (classes.normalize) {
        entropy_loops<T>().shares(classes.scores() + at, lines.count, lines.inner, columns,
                                  log_sum.as<T>() + group, scale, out + at);
      }
      subtract_targets(classes, at, columns, group, gradient, out);
    });
    result.store();
  });
}

/// (input, target) → loss per line and the logarithms of the sums of exponentials.
void run_distribution_loss(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(0).dtype);
  const Contiguous input(call.in(0), dtype);
  const Contiguous target(call.in(1), dtype);
  const AxisView lines = class_lines(call.in(0));
  Computed out(call.out(0), dtype);
  with_float(dtype, [&]<class T>(T) {
    T* log_sum = call.out(1).as<T>();
    T* loss = out.as<T>();
    if (lines.count == 0) {
      std::fill(loss, loss + call.out().size(), T(0));
      std::fill(log_sum, log_sum + call.out().size(), -std::numeric_limits<T>::infinity());
    }
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t group) {
      const T* from = input.as<T>() + at;
      softmax_loops<T>().log_sum(from, lines.count, lines.inner, columns, log_sum + group);
      entropy_loops<T>().expected(from, target.as<T>() + at, lines.count, lines.inner, columns,
                                  log_sum + group, loss + group);
    });
  });
  out.store();
}

/// (gradient, input, target, log_sum)
void run_distribution_loss_grad(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(1).dtype);
  const Contiguous gradient(call.in(0), dtype);
  const Contiguous input(call.in(1), dtype);
  const Contiguous target(call.in(2), dtype);
  const Contiguous log_sum(call.in(3), dtype);
  const AxisView lines = class_lines(call.in(1));
  Computed out(call.out(), dtype);
  with_float(dtype, [&]<class T>(T) {
    T* to = out.as<T>();
    for_each_bundle(lines, [&](int64_t at, int64_t columns, int64_t group) {
      entropy_loops<T>().expected_grad(input.as<T>() + at, target.as<T>() + at, lines.count, lines.inner,
                                       columns, log_sum.as<T>() + group, gradient.as<T>() + group, to + at);
    });
  });
  out.store();
}

}  // namespace

DYAD_CPU_KERNEL(class_loss, run_class_loss);
DYAD_CPU_KERNEL(class_loss_grad, run_class_loss_grad);
DYAD_CPU_KERNEL(distribution_loss, run_distribution_loss);
DYAD_CPU_KERNEL(distribution_loss_grad, run_distribution_loss_grad);

}  // namespace dyad::kernels
