// Connectionist temporal classification: losses of sequences whose alignment with the labels is not known.

#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/loss/alignment_gradient.h"
#include "ops/loss/reduction.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(cast, ctc_label_rows, ctc_log_alpha, ctc_losses, ctc_losses_grad, exp, log_softmax, maximum,
         ones_like, sum);

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

}  // namespace

DYAD_OP(
    "ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Operand, target_lengths: Operand, "
    "blank: int=0, reduction: str='mean', zero_infinity: bool=False) -> (Tensor, Tensor)")
    .doc(
        "Negative log-likelihood of label sequences over all their alignments with the time steps of "
        "log_probs (time, batch, classes), and the logarithms of the probabilities of all beginnings. 'mean' "
        "divides each loss by its number of labels first; `zero_infinity` makes 0 of the infinite losses of "
        "sequences that do not fit.")
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
        "Negative log-likelihoods of label sequences over all their alignments with the time steps of x "
        "(time, batch, classes), which needs no softmax, and their gradients by x. The last class is the "
        "blank. Labels are given as (sequence, place) and values; blanks after them are padding. Labels that "
        "do not fit into the steps have an infinite loss; more labels than steps are an error unless "
        "`ignore_longer_outputs_than_inputs`. Without `ctc_merge_repeated` each step that is not blank is a "
        "label of its own.")
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
