// Connectionist temporal classification. A sequence of S labels becomes 2S + 1 states, a blank around every
// label; `alpha[t][s]` is the logarithm of the probability of all ways to be in state s after step t.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/contiguous.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

template <class T>
constexpr T kImpossible = -std::numeric_limits<T>::infinity();

template <class T>
T log_add(T a, T b) {
  const T larger = std::max(a, b);
  if (larger == kImpossible<T>) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// One sequence of a batch: its log-probabilities, (time, classes) with a stride between steps, and its
/// labels.
template <class T>
struct Sequence {
  const T* log_probs;
  int64_t stride;  ///< between steps
  int64_t steps;
  const int64_t* labels;
  int64_t label_count;
  int64_t blank;
  bool merge;  ///< whether repetitions of a label between blanks are one label

  int64_t states() const { return 2 * label_count + 1; }
  int64_t class_of(int64_t state) const { return state % 2 == 0 ? blank : labels[state / 2]; }
  T log_prob(int64_t step, int64_t state) const { return log_probs[step * stride + class_of(state)]; }
  /// Whether the blank before a label may be left out: not between equal labels that would be merged.
  bool skips(int64_t state) const {
    return state >= 2 && state % 2 == 1 && !(merge && labels[state / 2] == labels[state / 2 - 1]);
  }
  /// Whether a state may last for several steps.
  bool stays(int64_t state) const { return merge || state % 2 == 0; }
};

/// What both directions read: (log_probs, targets, input_lengths, target_lengths) from argument `at` on.
template <class T>
class Batch {
 public:
  Batch(const KernelCall& call, DType dtype, size_t at, int64_t blank, bool merge = true)
      : log_probs_(call.in(at), dtype),
        targets_(call.in(at + 1), DType::kInt64),
        steps_(call.in(at + 2), DType::kInt64),
        counts_(call.in(at + 3), DType::kInt64),
        blank_(blank),
        merge_(merge) {
    time = call.in(at).shape[0].value();
    size = call.in(at).shape[1].value();
    classes = call.in(at).shape[2].value();
    require_lengths(call, at);
    offsets_.reserve(static_cast<size_t>(size));
    const bool padded = call.in(at + 1).rank() == 2;
    int64_t offset = 0;
    for (int64_t n = 0; n < size; ++n) {
      offsets_.push_back(padded ? n * call.in(at + 1).shape[1].value() : offset);
      offset += label_count(n);
      require_labels(call, n);
    }
  }
  int64_t label_count(int64_t n) const { return counts_.as<int64_t>()[n]; }
  Sequence<T> sequence(int64_t n) const {
    return {log_probs_.as<T>() + n * classes,
            size * classes,
            steps_.as<int64_t>()[n],
            targets_.as<int64_t>() + offsets_[static_cast<size_t>(n)],
            label_count(n),
            blank_,
            merge_};
  }

  int64_t time;
  int64_t size;
  int64_t classes;

 private:
  void require_lengths(const KernelCall& call, size_t at) const {
    const ValueImpl& targets = call.in(at + 1);
    int64_t sum = 0;
    for (int64_t n = 0; n < size; ++n) {
      const int64_t steps = steps_.as<int64_t>()[n];
      if (steps < 0 || steps > time)
        value_error(call.op(), ": input_lengths holds ", steps, "; accepted are 0 to ", time);
      const int64_t longest = targets.rank() == 2 ? targets.shape[1].value() : targets.size();
      if (label_count(n) < 0 || label_count(n) > longest)
        value_error(call.op(), ": target_lengths holds ", label_count(n), "; accepted are 0 to ", longest);
      sum += label_count(n);
    }
    if (targets.rank() == 1 && sum != targets.size()) {
      value_error(call.op(), ": targets have ", targets.size(), " labels but target_lengths sum to ", sum,
                  "; they must agree");
    }
  }
  void require_labels(const KernelCall& call, int64_t n) const {
    const int64_t* labels = targets_.as<int64_t>() + offsets_[static_cast<size_t>(n)];
    for (int64_t i = 0; i < label_count(n); ++i) {
      if (labels[i] < 0 || labels[i] >= classes) {
        index_error(call.op(), ": targets hold class ", labels[i], "; accepted are 0 to ", classes - 1);
      }
    }
  }

  Contiguous log_probs_;
  Contiguous targets_;
  Contiguous steps_;
  Contiguous counts_;
  int64_t blank_;
  bool merge_;
  std::vector<int64_t> offsets_;
};

/// Fills `alpha` (time, width) and returns the negative log-likelihood.
template <class T>
T forward(const Sequence<T>& sequence, T* alpha, int64_t width) {
  const int64_t states = sequence.states();
  if (sequence.steps == 0) return sequence.label_count == 0 ? T(0) : -kImpossible<T>;
  alpha[0] = sequence.log_prob(0, 0);
  if (states > 1) alpha[1] = sequence.log_prob(0, 1);
  for (int64_t t = 1; t < sequence.steps; ++t) {
    const T* before = alpha + (t - 1) * width;
    T* now = alpha + t * width;
    for (int64_t s = 0; s < states; ++s) {
      T sum = sequence.stays(s) ? before[s] : kImpossible<T>;
      if (s >= 1) sum = log_add(sum, before[s - 1]);
      if (sequence.skips(s)) sum = log_add(sum, before[s - 2]);
      now[s] = sum + sequence.log_prob(t, s);
    }
  }
  const T* last = alpha + (sequence.steps - 1) * width;
  return -(states > 1 ? log_add(last[states - 1], last[states - 2]) : last[0]);
}

/// Adds `scale` times the gradient of the negative log-likelihood to `out`, which is laid out as the
/// log-probabilities. Walks back over the steps with the probabilities of all ways to finish from a state.
template <class T>
void backward(const Sequence<T>& sequence, const T* alpha, int64_t width, T loss, T scale, T* out) {
  const int64_t states = sequence.states();
  std::vector<T> finish(static_cast<size_t>(states), kImpossible<T>);
  std::vector<T> next(static_cast<size_t>(states));
  for (int64_t t = sequence.steps - 1; t >= 0; --t) {
    if (t == sequence.steps - 1) {
      finish[static_cast<size_t>(states - 1)] = T(0);
      if (states > 1) finish[static_cast<size_t>(states - 2)] = T(0);
    } else {
      next = finish;
      for (int64_t s = 0; s < states; ++s) {
        auto reach = [&](int64_t to) { return next[static_cast<size_t>(to)] + sequence.log_prob(t + 1, to); };
        T sum = sequence.stays(s) ? reach(s) : kImpossible<T>;
        if (s + 1 < states) sum = log_add(sum, reach(s + 1));
        if (s + 2 < states && sequence.skips(s + 2)) sum = log_add(sum, reach(s + 2));
        finish[static_cast<size_t>(s)] = sum;
      }
    }
    for (int64_t s = 0; s < states; ++s) {
      const T share = alpha[t * width + s] + finish[static_cast<size_t>(s)] + loss;
      if (share > kImpossible<T>) out[t * sequence.stride + sequence.class_of(s)] -= scale * std::exp(share);
    }
  }
}

/// States of the longest label sequence of a batch.
template <class T>
int64_t most_states(const Batch<T>& batch) {
  int64_t most = 0;
  for (int64_t n = 0; n < batch.size; ++n) most = std::max(most, batch.label_count(n));
  return 2 * most + 1;
}

/// States of the longest label sequence that the targets have room for.
int64_t state_count(const ValueImpl& targets) { return 2 * targets.shape.back().value() + 1; }

/// (log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, merge_repeated)
void run_losses(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(0).dtype);
  Computed out(call.out(), dtype);
  with_float(dtype, [&]<class T>(T) {
    const Batch<T> batch(call, dtype, 0, call.integer(4), call.flag(6));
    const int64_t width = most_states(batch);
    T* losses = out.as<T>();
    parallel_for(batch.size, 1, [&](int64_t begin, int64_t end) {
      std::vector<T> alpha(static_cast<size_t>(batch.time * width));
      for (int64_t n = begin; n < end; ++n) {
        std::fill(alpha.begin(), alpha.end(), kImpossible<T>);
        const T loss = forward(batch.sequence(n), alpha.data(), width);
        losses[n] = call.flag(5) && std::isinf(loss) ? T(0) : loss;
      }
    });
  });
  out.store();
}

/// (log_probs, targets, input_lengths, target_lengths, blank)
void run_log_alpha(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(0).dtype);
  Computed out(call.out(), dtype);
  with_float(dtype, [&]<class T>(T) {
    const Batch<T> batch(call, dtype, 0, call.integer(4));
    const int64_t width = state_count(call.in(1));
    T* alpha = out.as<T>();
    std::fill(alpha, alpha + call.out().size(), kImpossible<T>);
    parallel_for(batch.size, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) forward(batch.sequence(n), alpha + n * batch.time * width, width);
    });
  });
  out.store();
}

/// (gradient, log_probs, targets, input_lengths, target_lengths, blank, merge_repeated). The beginnings are
/// computed anew: keeping them since the forward pass would cost more memory than that costs time.
void run_gradient(const KernelCall& call) {
  const DType dtype = compute_dtype(call.in(1).dtype);
  const Contiguous gradient(call.in(0), dtype);
  Computed out(call.out(), dtype);
  with_float(dtype, [&]<class T>(T) {
    const Batch<T> batch(call, dtype, 1, call.integer(5), call.flag(6));
    const int64_t width = most_states(batch);
    T* to = out.as<T>();
    std::fill(to, to + call.out().size(), T(0));
    parallel_for(batch.size, 1, [&](int64_t begin, int64_t end) {
      std::vector<T> alpha(static_cast<size_t>(batch.time * width));
      for (int64_t n = begin; n < end; ++n) {
        std::fill(alpha.begin(), alpha.end(), kImpossible<T>);
        const Sequence<T> sequence = batch.sequence(n);
        const T loss = forward(sequence, alpha.data(), width);
        // The loss of a sequence that does not fit is infinite and has no slope.
        if (std::isinf(loss)) continue;
        backward(sequence, alpha.data(), width, loss, gradient.as<T>()[n], to + n * batch.classes);
      }
    });
  });
  out.store();
}

/// (labels_indices, labels_values, sequence_length, batch, classes, collapse, ignore_longer)
void run_label_rows(const KernelCall& call) {
  constexpr std::string_view name = "CTCLoss";
  const Contiguous places(call.in(0), DType::kInt64);
  const Contiguous values(call.in(1), DType::kInt64);
  const Contiguous steps(call.in(2), DType::kInt64);
  Computed rows(call.out(0), DType::kInt64);
  Computed counts(call.out(1), DType::kInt64);
  const int64_t batch = call.out(1).size();
  const int64_t given = call.in(1).size();
  const int64_t classes = call.integer(4);
  auto* row = rows.as<int64_t>();
  auto* count = counts.as<int64_t>();
  std::fill(row, row + batch * given, 0);
  std::fill(count, count + batch, 0);
  std::vector<int64_t> before(static_cast<size_t>(batch), -1);  // the last label of each sequence, or a blank
  for (int64_t i = 0; i < given; ++i) {
    const int64_t n = places.as<int64_t>()[2 * i];
    const int64_t label = values.as<int64_t>()[i];
    if (n < 0 || n >= batch)
      index_error(name, ": labels_indices names sequence ", n, "; accepted are 0 to ", batch - 1);
    if (label < 0 || label >= classes)
      index_error(name, ": labels_values holds class ", label, "; accepted are 0 to ", classes - 1);
    int64_t& last = before[static_cast<size_t>(n)];
    const bool repeated = last == label && call.flag(5);
    if (label != classes - 1 && last == classes - 1) {
      value_error(name, ": labels_values has class ", label, " after the blank ", classes - 1,
                  " in sequence ", n, "; need blanks only behind the labels");
    }
    last = label;
    if (label != classes - 1 && !repeated) row[n * given + count[n]++] = label;
  }
  for (int64_t n = 0; n < batch && !call.flag(6); ++n) {
    if (count[n] <= steps.as<int64_t>()[n]) continue;
    value_error(name, ": sequence ", n, " has ", count[n], " labels and ", steps.as<int64_t>()[n],
                " steps; need no more labels than steps, or ignore_longer_outputs_than_inputs=True");
  }
  rows.store();
  counts.store();
}

}  // namespace

DYAD_CPU_KERNEL(ctc_label_rows, run_label_rows);
DYAD_CPU_KERNEL(ctc_losses, run_losses);
DYAD_CPU_KERNEL(ctc_log_alpha, run_log_alpha);
DYAD_CPU_KERNEL(ctc_losses_grad, run_gradient);

}  // namespace dyad::kernels
