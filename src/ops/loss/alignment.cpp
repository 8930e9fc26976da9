// Connectionist temporal classification: losses of sequences whose alignment with the labels is not known.

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/arguments.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(cast, ctc_label_rows, ctc_log_alpha, ctc_losses, ctc_losses_grad, exp, log_softmax, maximum,
         ones_like, sum, arange, broadcast_to, clamp, cumsum, equal, expand_dims, full_like, gather_elements,
         greater, index_select, less, logical_and, logical_not, logical_or, logsumexp, not_equal,
         pad_constant, remainder, reshape, scatter_elements, select_view, slice_view, stack, where,
         zeros_like);

/// (log_probs, targets, input_lengths, target_lengths) from `at` on, and `blank`.
void require_batch(const Arguments& args, size_t at, size_t blank) {
  const ValueImpl& log_probs = args.in(at);
  infer::require_rank(args, at, 3, "log_probs");
  infer::require_dtype(args, at, is_float(log_probs.dtype), "float dtypes");
  const ValueImpl& targets = args.in(at + 1);
  for (size_t i = at + 1; i <= at + 3; ++i)
    infer::require_dtype(args, i, is_int(args.in(i).dtype), "integer dtypes");
  const Dim size = log_probs.shape[1];
  if (targets.rank() != 1 && !(targets.rank() == 2 && may_agree(Shape{targets.shape[0]}, Shape{size}))) {
    value_error(args.op(), ": targets have shape ", targets.shape, "; they must have shape (", size,
                ", longest) or hold all labels in one dimension");
  }
  for (size_t i = at + 2; i <= at + 3; ++i) {
    if (!may_agree(args.in(i).shape, Shape{size})) {
      value_error(args.op(), i == at + 2 ? ": input_lengths" : ": target_lengths", " have shape ",
                  args.in(i).shape, "; one length for each of ", size, " sequences is needed");
    }
  }
  const Dim classes = log_probs.shape[2];
  if (args.integer(blank) < 0 || (classes.known() && args.integer(blank) >= classes.value())) {
    value_error(args.op(), ": blank is ", args.integer(blank), "; it must be one of the ", classes,
                " classes");
  }
}

void infer_losses(const Arguments& args, Results& results) {
  require_batch(args, 0, 4);
  results.add(args.in(0).dtype, Shape{args.in(0).shape[1]});
}

void infer_gradient(const Arguments& args, Results& results) {
  require_batch(args, 1, 5);
  const ValueImpl& log_probs = args.in(1);
  if (!may_agree(args.in(0).shape, Shape{log_probs.shape[1]})) {
    value_error(args.op(), ": gradient has shape ", args.in(0).shape,
                "; it must have one number for each of ", log_probs.shape[1], " sequences");
  }
  results.add(log_probs.dtype, log_probs.shape);
}

/// (x, labels_indices, labels_values, sequence_length) of `aligned_ctc_loss`.
void require_aligned(const Call& call) {
  infer::require_rank(call, 0, 3, "x");
  infer::require_dtype(call, 0, is_float(call.in(0).dtype), "float dtypes");
}

void infer_label_rows(const Arguments& args, Results& results) {
  for (size_t i = 0; i < 3; ++i) infer::require_dtype(args, i, is_int(args.in(i).dtype), "integer dtypes");
  infer::require_rank(args, 0, 2, "labels_indices");
  infer::require_rank(args, 1, 1, "labels_values");
  infer::require_rank(args, 2, 1, "sequence_length");
  const Dim count = args.in(1).shape[0];
  if (!may_agree(args.in(0).shape, Shape{count, 2})) {
    value_error(args.op(), ": labels_indices has shape ", args.in(0).shape, "; need (", count,
                ", 2), a sequence and a place for each label");
  }
  const Dim batch = infer::size(args, 3, "batch");
  if (!may_agree(args.in(2).shape, Shape{batch})) {
    value_error(args.op(), ": sequence_length has shape ", args.in(2).shape, "; need (", batch, ",)");
  }
  results.add(DType::kInt64, Shape{batch, count});
  results.add(DType::kInt64, Shape{batch});
}

/// Losses and their gradients by x, the last class being the blank.
ValueList aligned_losses(const Call& call) {
  require_aligned(call);
  const Value& x = call.value(0);
  const Dims sizes(x->shape.begin(), x->shape.end());
  const ValueList rows =
      ctc_label_rows.all(call[1], call[2], call[3], Dims{sizes[1]}, Dims{sizes[2]}, call[4], call[6]);
  const int64_t blank = sizes[2].value() - 1;
  const Value log = log_softmax(x, -1);
  const Value losses = ctc_losses(log, rows[0], call[3], rows[1], blank, false, call[5]);
  const Value by_log = ctc_losses_grad(ones_like(losses), log, rows[0], call[3], rows[1], blank, call[5]);
  return {losses, by_log - exp(log) * sum(by_log, Dims{-1}, true)};
}

void require_lengths(const Call& call, size_t at, std::string_view name) {
  if (!call.is_value(at)) {
    type_error(call.op(), ": ", name, " is ", to_text(call[at]),
               "; a Tensor or a sequence with one length per sequence is needed");
  }
}

// The gradient of a sequence's negative log-likelihood is minus the probability of each label at each step,
// given the labels: the ways to get there times the ways to finish from there. The kernel computes the same;
// derivatives of higher order are those of this form.

/// The logarithm of an impossible event: finite, so that no difference of two of them is undefined.
constexpr double kImpossible = -1e30;

/// A batch of sequences. There is a blank before and after every label, so that L labels make 2L + 1 states.
struct Batch {
  Value classes;  ///< (batch, states): the class of each state
  Value skips;    ///< (batch, states): whether the blank before the state may be left out
  Value stays;    ///< (states): whether the state may last for several steps
  Value ends;     ///< (batch, states): whether an alignment may end there
  Value emitted;  ///< (time, batch, states): logarithms of the probabilities of the classes
  Value steps;    ///< (batch, 1): how many steps each sequence has
  int64_t time;
};

/// Labels as (batch, longest); where all are given in one dimension, those after the end of a sequence are
/// others'.
Value label_rows(const Value& targets, const Value& counts) {
  if (targets->rank() == 2) return targets;
  const Dim total = targets->shape[0];
  const Value first = expand_dims(cumsum(counts, 0, true), -1);
  const Value places = first + arange(targets->builder(), 0, total.value());
  const Value inside = clamp(places, 0, total.value() - 1);
  const Dims flat{size_of(inside->shape)};
  return reshape(index_select(targets, 0, reshape(inside, flat)), inside->shape);
}

/// The states `by` positions before each state (after it, if negative); `empty` where there is none.
Value shifted(const Value& states, int64_t by, double empty) {
  const Dim count = states->shape[1];
  const Dims before{0, by > 0 ? by : 0};
  const Dims after{0, by > 0 ? 0 : -by};
  const Value padded = pad_constant(states, before, after, empty);
  const Dim start = by > 0 ? Dim(0) : Dim(-by);
  return slice_view(padded, Dims{0, start}, Dims{states->shape[0], start + count}, Dims{1, 1});
}

Batch batch_of(const Call& call, const Value& log_probs) {
  const int64_t blank = call.integer(5);
  const Value counts = cast(call.value(4), DType::kInt64);
  const Value labels =
      clamp(label_rows(cast(call.value(2), DType::kInt64), counts), 0, log_probs->shape[2].value() - 1);
  const Value blanks = full_like(labels, blank);
  const Dim batch = labels->shape[0];
  const Dim states = labels->shape[1] * Dim(2) + Dim(1);
  Batch b;
  const Value pairs = reshape(stack(ValueList{blanks, labels}, -1), Dims{batch, states - Dim(1)});
  b.classes = pad_constant(pairs, Dims{0, 0}, Dims{0, 1}, blank);
  const Value number = arange(call.builder(), 0, states.value());
  const Value odd = equal(remainder(number, 2), 1);
  b.skips = logical_and(odd, greater(number, 1));
  if (call.flag(6)) b.skips = logical_and(b.skips, not_equal(b.classes, shifted(b.classes, 2, -1)));
  b.stays = logical_or(logical_not(odd), call.flag(6));
  const Value last = expand_dims(counts * 2, -1);
  b.ends = logical_or(equal(number, last), equal(number, last - 1));
  b.time = log_probs->shape[0].value();
  const Shape everywhere{log_probs->shape[0], batch, states};
  b.emitted = gather_elements(log_probs, 2, broadcast_to(b.classes, everywhere));
  b.steps = expand_dims(cast(call.value(3), DType::kInt64), -1);
  return b;
}

Value log_sum(const ValueList& terms) { return logsumexp(stack(terms, 0), Dims{0}); }

/// For each step, the logarithms of the probabilities of all ways to be in a state after it.
ValueList ways_there(const Batch& b) {
  ValueList found;
  const Value first = select_view(b.emitted, 0, 0);
  found.push_back(where(less(arange(first->builder(), 0, first->shape[1].value()), 2), first, kImpossible));
  for (int64_t t = 1; t < b.time; ++t) {
    const Value& before = found.back();
    const Value leap = where(b.skips, shifted(before, 2, kImpossible), kImpossible);
    const Value stay = where(b.stays, before, kImpossible);
    found.push_back(log_sum({stay, shifted(before, 1, kImpossible), leap}) + select_view(b.emitted, 0, t));
  }
  return found;
}

/// For each step, the logarithms of the probabilities of all ways to finish from a state after it.
ValueList ways_on(const Batch& b) {
  const Value ended = where(b.ends, zeros_like(select_view(b.emitted, 0, 0)), kImpossible);
  ValueList found(static_cast<size_t>(b.time));
  Value next;
  for (int64_t t = b.time - 1; t >= 0; --t) {
    Value now = ended;
    if (next) {
      const Value onwards = next + select_view(b.emitted, 0, t + 1);
      const Value leap = shifted(where(b.skips, onwards, kImpossible), -2, kImpossible);
      const Value stay = where(b.stays, onwards, kImpossible);
      const Value sum = log_sum({stay, shifted(onwards, -1, kImpossible), leap});
      now = where(greater(b.steps, t + 1), sum, ended);
    }
    found[static_cast<size_t>(t)] = next = now;
  }
  return found;
}

/// The gradient of alignment losses in terms of differentiable operators, as the body of `ctc_losses_grad`.
Value alignment_gradient(const Call& call) {
  const DType dtype = call.in(1).dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const Value log_probs = cast(call.value(1), dtype);
  const Value empty = zeros_like(log_probs);
  if (log_probs->shape[0] == Dim(0)) return cast(empty, call.in(1).dtype);
  const Batch b = batch_of(call, log_probs);
  const ValueList there = ways_there(b);
  const ValueList on = ways_on(b);
  const Value likelihood = logsumexp(there[0] + on[0], Dims{1}, true);
  const Value possible = greater(likelihood, kImpossible / 2);
  const Value gradient = expand_dims(cast(call.value(0), dtype), -1);
  ValueList shares;
  for (int64_t t = 0; t < b.time; ++t) {
    const auto at = static_cast<size_t>(t);
    const Value counts = logical_and(possible, greater(b.steps, t));
    const Value share = exp(where(counts, there[at] + on[at] - likelihood, kImpossible));
    shares.push_back(-(share * gradient));
  }
  const Value classes = broadcast_to(b.classes, b.emitted->shape);
  return cast(scatter_elements(empty, 2, classes, stack(shares, 0), "add"), call.in(1).dtype);
}

}  // namespace

DYAD_OP(
    "ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Operand, target_lengths: Operand, "
    "blank: int=0, reduction: str='mean', zero_infinity: bool=False) -> (Tensor, Tensor)")
    .doc(
        "Connectionist temporal classification (CTC) loss: the negative log-likelihood of label sequences, "
        "summed over all their alignments with the time steps. 'mean' divides each loss by its number of "
        "labels first.")
    .formula("loss = −log Σ over paths π with collapse(π) = labels of Πₜ exp(log_probs[t, π[t]])")
    .arg("log_probs", "logarithms of probabilities, floats of shape (time, batch, classes).")
    .arg("targets", "labels, integers of shape (batch, longest) or all in one row.")
    .arg("input_lengths", "time steps of each sequence, integers of shape (batch,).")
    .arg("target_lengths", "number of labels of each sequence, integers of shape (batch,).")
    .arg("blank", "class of the blank.")
    .arg("zero_infinity", "whether infinite losses, of labels that do not fit, and their gradients become 0.")
    .returns("Tuple of the loss and the logarithms of the forward probabilities α.")
    .see("nn.CTCLoss")
    .primitive(
        "CTCLossV2(blank=0, reduction='none', zero_infinity=False)(log_probs, targets, input_lengths, "
        "target_lengths)")
    .compose([](const Call& call) -> ValueList {
      require_lengths(call, 2, "input_lengths");
      require_lengths(call, 3, "target_lengths");
      loss::require_reduction(call, 5);
      require_batch(call, 0, 4);
      Value losses = ctc_losses(call[0], call[1], call[2], call[3], call[4], call[6]);
      if (call.text(5) == "mean") losses = losses / maximum(cast(call[3], losses->dtype), 1);
      return {loss::reduce(call, losses, 5), ctc_log_alpha(call[0], call[1], call[2], call[3], call[4])};
    })
    .autocast(Autocast::kFloat32)
    .numpy("ref.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)")
    .samples(
        "call(T(5, 2, 4, lo=-3, hi=0), V([[1, 2], [3, 3]], 'int32'), V([5, 4], 'int32'), V([2, 1], 'int32'))",
        "call(T(5, 2, 4, lo=-3, hi=0), V([[1, 2], [3, 3]], 'int32'), (5, 4), (2, 0), 0, 'sum')",
        "call(T(2, 1, 4, lo=-3, hi=0), V([[1, 2, 3]], 'int64'), [2], [3], 0, 'none', True)")
    .rejects("ops.ctc_loss(ones(4, 2, 3), ints(2, 2), 4, 2)", "TypeError", "input_lengths is the number 4")
    .rejects("ops.ctc_loss(ones(4, 2, 3), ints(2, 2), (4, 4), (2, 2), 3)", "ValueError", "blank is 3");

DYAD_OP(
    "aligned_ctc_loss(x: Tensor, labels_indices: Tensor, labels_values: Tensor, sequence_length: Tensor, "
    "preprocess_collapse_repeated: bool=False, ctc_merge_repeated: bool=True, "
    "ignore_longer_outputs_than_inputs: bool=False) -> (Tensor, Tensor)")
    .hidden()
    .doc(
        "Connectionist temporal classification (CTC) loss of unnormalized scores, with its gradient. The "
        "last class is the blank. Labels that do not fit into the steps have an infinite loss.")
    .formula("loss[b] = −log Σ over paths π with collapse(π) = labels of b of Πₜ softmax(x[t, b])[π[t]]")
    .arg("x", "scores, floats of shape (time, batch, classes).")
    .arg("labels_indices", "integers of shape (n, 2): sequence and position of each label.")
    .arg("labels_values", "labels, integers of shape (n,).")
    .arg("sequence_length", "time steps of each sequence, integers of shape (batch,).")
    .arg("preprocess_collapse_repeated", "whether equal neighboring labels are merged first.")
    .arg("ctc_merge_repeated",
         "whether equal neighbors in a path are merged; if not, each step that is not blank is a label of "
         "its own.")
    .arg("ignore_longer_outputs_than_inputs", "whether more labels than steps are allowed.")
    .returns("Tuple of the losses, of shape (batch,), and the gradient with respect to `x`.")
    .see("ops.ctc_loss")
    .primitive(
        "CTCLoss(preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
        "ignore_longer_outputs_than_inputs=False)(x, labels_indices, labels_values, sequence_length)")
    .compose([](const Call& call) { return aligned_losses(call); })
    .autocast(Autocast::kFloat32)
    .numpy(
        "ref.aligned_ctc_loss(x, labels_indices, labels_values, sequence_length, "
        "preprocess_collapse_repeated, ctc_merge_repeated)")
    .samples(
        "call(T(5, 2, 4), V([[0, 0], [0, 1], [1, 0]], 'int64'), V([1, 2, 0], 'int32'), V([5, 4], 'int32'))",
        "call(T(5, 2, 4), V([[0, 0], [0, 1], [1, 0], [1, 1]], 'int64'), V([1, 1, 2, 3], 'int32'), "
        "V([4, 3], 'int32'), True)",
        "call(T(5, 2, 4), V([[0, 0], [0, 1], [1, 0]], 'int64'), V([1, 1, 2], 'int32'), V([3, 5], 'int32'), "
        "False, False)",
        "call(T(2, 2, 4), V([[0, 0], [0, 1], [0, 2], [1, 0]], 'int64'), V([1, 1, 2, 0], 'int32'), V([2, 2], "
        "'int32'), False, True, True)")
    .rejects("ops.CTCLoss()(ones(4, 3), ints(2, 2), ints(2), ints(2))", "ValueError",
             "x has shape (4, 3); it must have 3 dimensions")
    .rejects("ops.CTCLoss()(ones(4, 2, 3), ints(2, 2) + 5, ints(2), ints(2))", "IndexError", "names sequence")
    .rejects("ops.CTCLoss()(ones(4, 2, 3), ints(2, 2) * 0, ints(2) * 0 + 9, ints(2))", "IndexError",
             "class 9");

DYAD_OP(
    "ctc_label_rows(labels_indices: Tensor, labels_values: Tensor, sequence_length: Tensor, batch: size, "
    "classes: size, collapse: bool, ignore_longer: bool) -> (Tensor, Tensor)")
    .hidden()
    .doc(
        "Labels of each sequence as rows (batch, labels), and how many each has: without the blanks, class "
        "`classes` - 1, that pad them, and without repetitions if `collapse`.")
    .infer(infer_label_rows)
    .no_grad("labels and counts are integers")
    .checks_data()
    .cost(2)
    .numpy("ref.ctc_label_rows(labels_indices, labels_values, batch, classes, collapse)")
    .samples(
        "call(V([[0, 0], [0, 1], [1, 0]], 'int64'), V([1, 2, 0], 'int32'), V([5, 4], 'int32'), 2, 4, False, "
        "False)",
        "call(V([[0, 0], [0, 1], [1, 0], [1, 1]], 'int64'), V([1, 1, 2, 3], 'int64'), V([1, 1], 'int64'), 2, "
        "4, True, False)")
    .rejects("dyad._core.named_op('ctc_label_rows')(ints(2, 3), ints(2), ints(2), 2, 3, False, False)",
             "ValueError", "labels_indices has shape (2, 3); need (2, 2)");

DYAD_OP(
    "ctc_losses(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, "
    "blank: int=0, zero_infinity: bool=False, merge_repeated: bool=True) -> Tensor")
    .hidden()
    .doc(
        "Negative log-likelihoods of label sequences over all their alignments with the time steps of "
        "log_probs (time, batch, classes). Without `merge_repeated` each step that is not blank is a label.")
    .infer(infer_losses)
    .grad([](GradCall& g) { g.set(0, ctc_losses_grad(g.grad(), g[0], g[1], g[2], g[3], g[4], g[6])); })
    .cost(12)
    .autocast(Autocast::kFloat32)
    .numpy(
        "ref.ctc_losses(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, "
        "merge_repeated)[0]")
    .samples(
        "call(T(4, 2, 3, lo=-3, hi=0), V([[1, 1], [1, 2]], 'int64'), V([2, 4], 'int64'), V([2, 2], 'int64'), "
        "0, False, False)",
        "call(T(5, 2, 4, lo=-3, hi=0), V([[1, 2], [3, 3]], 'int32'), V([5, 4], 'int32'), V([2, 2], 'int32'))",
        "call(T(4, 2, 3, lo=-3, hi=0), V([0, 1, 0], 'int64'), V([4, 3], 'int64'), V([2, 1], 'int64'), 2)",
        "call(T(2, 2, 3, lo=-3, hi=0), V([[1, 1], [2, 0]], 'int64'), V([2, 2], 'int64'), V([2, 0], "
        "'int64'), 0, True)")
    .rejects("dyad._core.named_op('ctc_losses')(ones(4, 2, 3), ints(3, 2), ints(2), ints(2))", "ValueError",
             "ctc_losses: targets have shape (3, 2)")
    .rejects("dyad._core.named_op('ctc_losses')(ones(4, 2, 3), ints(2, 2), ints(2) + 9, ints(2))",
             "ValueError", "ctc_losses: input_lengths holds");

DYAD_OP(
    "ctc_log_alpha(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, "
    "blank: int=0) -> Tensor")
    .hidden()
    .doc(
        "Logarithms of the probabilities of all beginnings of alignments, (batch, time, 2 * longest + 1): up "
        "to each time step and label or blank between labels.")
    .infer([](const Arguments& args, Results& results) {
      require_batch(args, 0, 4);
      const Shape& shape = args.in(0).shape;
      results.add(args.in(0).dtype, Shape{shape[1], shape[0], args.in(1).shape.back() * Dim(2) + Dim(1)});
    })
    .no_grad("an intermediate result that is shown")
    .cost(12)
    .numpy("ref.ctc_losses(log_probs, targets, input_lengths, target_lengths, blank, False)[1]")
    .samples(
        "call(T(5, 2, 4, lo=-3, hi=0), V([[1, 2], [3, 3]], 'int32'), V([5, 4], 'int32'), V([2, 2], 'int32'))")
    .rejects("dyad._core.named_op('ctc_log_alpha')(ones(4, 2, 3), ints(2, 2), ints(2), ints(2), 7)",
             "ValueError", "ctc_log_alpha: blank is 7");

DYAD_OP(
    "ctc_losses_grad(gradient: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, "
    "target_lengths: Tensor, blank: int=0, merge_repeated: bool=True) -> Tensor")
    .hidden()
    .doc("Gradient of ctc_losses with respect to the log-probabilities.")
    .infer(infer_gradient)
    .compose([](const Call& call) { return alignment_gradient(call); })
    .cost(12)
    .numpy(
        "ref.ctc_losses_grad(gradient, log_probs, targets, input_lengths, target_lengths, blank, "
        "merge_repeated)")
    .samples(
        "call(T(2), T(4, 2, 3, lo=-3, hi=0), V([[1, 1], [1, 2]], 'int64'), V([2, 4], 'int64'), V([2, 2], "
        "'int64'), 0, False)",
        "call(T(2), T(4, 2, 3, lo=-3, hi=0), V([[1, 2], [1, 1]], 'int64'), V([4, 3], 'int64'), V([2, 1], "
        "'int64'))",
        "call(T(2), T(4, 2, 3, lo=-3, hi=0), V([0, 1, 0], 'int64'), V([4, 3], 'int64'), V([2, 1], 'int64'), "
        "2)",
        "call(T(2), T(3, 2, 3, lo=-3, hi=0), V([[1, 1], [2, 0]], 'int64'), V([3, 2], 'int64'), V([2, 0], "
        "'int64'))")
    .rejects("dyad._core.named_op('ctc_losses_grad')(ones(3), ones(4, 2, 3), ints(2, 2), ints(2), ints(2))",
             "ValueError", "ctc_losses_grad: gradient has shape (3,)");

}  // namespace dyad
