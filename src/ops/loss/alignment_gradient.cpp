// The gradient of a sequence's negative log-likelihood is minus the probability of each label at each step,
// given the labels: the ways to get there times the ways to finish from there. The kernel computes the same;
// this form is what derivatives of higher order are taken of.

#include "ops/loss/alignment_gradient.h"

#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(arange, broadcast_to, cast, clamp, cumsum, equal, exp, expand_dims, full_like, gather_elements,
         greater, index_select, less, logical_and, logical_not, logical_or, logsumexp, not_equal,
         pad_constant, remainder, reshape, scatter_elements, select_view, slice_view, stack, where,
         zeros_like);

/// The logarithm of what cannot happen: finite, so that no difference of two of them is undefined.
constexpr double kImpossible = -1e30;

/// A batch of sequences. A blank stands around every label, so that L labels make 2L + 1 states.
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

/// The states `by` places before each state (after it, if negative); `empty` where there is none.
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

}  // namespace

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

}  // namespace dyad
