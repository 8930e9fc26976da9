#include <limits>

#include "base/error.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/infer.h"
#include "types/visit.h"

namespace dyad {

namespace {

DYAD_USE(arange, broadcast_to, full, gather_elements, index_update, less, reshape, slice_view, where);

/// The least or the greatest finite number of a dtype.
Arg finite_bound(DType dtype, bool least) {
  if (dtype == DType::kFloat16) return Arg(least ? -65504.0 : 65504.0);
  if (dtype == DType::kBFloat16) return Arg(least ? -0x1.fep127 : 0x1.fep127);
  return visit_dtype(dtype, [&]<class T>(Typed<T>) -> Arg {
    if constexpr (std::is_floating_point_v<T>) {
      return Arg(
          static_cast<double>(least ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max()));
    } else if constexpr (std::is_integral_v<T>) {
      return Arg(
          static_cast<int64_t>(least ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max()));
    } else {
      return Arg();
    }
  });
}

/// (input, segment_ids, num_segments): slices joined by a reduction, starting from `start`; slices with a
/// negative id are left out.
Value join_segments(const Call& call, const Arg& start, const char* reduction) {
  const Value& input = call.value(0);
  const Value& ids = call.value(1);
  const int64_t count = call.integer(2);
  if (count < 1) value_error(call.op(), ": num_segments is ", count, "; it must be 1 or more");
  infer::require_dtype(call, 1, is_int(ids->dtype), "integer dtypes");
  bool begins = ids->rank() <= input->rank();
  for (size_t d = 0; begins && d < ids->shape.size(); ++d) begins = ids->shape[d] == input->shape[d];
  if (!begins) {
    value_error(call.op(), ": segment_ids have shape ", ids->shape, "; it must begin the shape of input, ",
                input->shape);
  }
  Shape shape{Dim(count) + Dim(1)};
  for (size_t d = ids->shape.size(); d < input->shape.size(); ++d) shape.push_back(input->shape[d]);
  const Value rows = full(call.builder(), shape, start, input->dtype);
  const Value joined = index_update(rows, index_along(0, where(less(ids, 0), count, ids)), input, reduction);
  return slice_view(joined, Dims{0}, Dims{count}, Dims{1});
}

void require_real(const Call& call) {
  const DType dtype = call.in(0).dtype;
  infer::require_dtype(call, 0, !is_complex(dtype) && !is_bool(dtype), "integer and floating dtypes");
}

}  // namespace

DYAD_OP("unsorted_segment_max(input: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor")
    .doc(
        "Segment maximum: maxima of the slices with the same segment id. Negative ids are left out; a "
        "segment without slices is the lowest number of the dtype.")
    .formula("out[s] = max input[i…] over i with segment_ids[i…] = s")
    .arg("input", "real numbers, at least one dimension.")
    .arg("segment_ids", "integers whose shape is the first dimensions of `input`, below `num_segments`.")
    .arg("num_segments", "number of results, ≥ 1.")
    .returns("Tensor of shape (num_segments, *input.shape[segment_ids.ndim:]).")
    .see("ops.unsorted_segment_min, ops.unsorted_segment_sum")
    .function("unsorted_segment_max(x:input, segment_ids, num_segments)")
    .method("unsorted_segment_max(segment_ids, num_segments)")
    .primitive("UnsortedSegmentMax()(x:input, segment_ids, num_segments)")
    .alias("x", "input")
    .compose([](const Call& call) {
      require_real(call);
      return join_segments(call, finite_bound(call.in(0).dtype, true), "max");
    })
    .numpy("ref.unsorted_segment(np.maximum, -1, input, segment_ids, num_segments)")
    .samples("call(T(5, 3), I(5), 4)", "call(T(2, 3), I(2, 3), 5)", "call(T(3), V([0, -1, 1], 'int64'), 2)",
             "call(I(5), I(5), 4)")
    .rejects("ops.unsorted_segment_max(ones(3), ints(3), 0)", "ValueError", "num_segments is 0")
    .rejects("ops.unsorted_segment_max(ones(3), ints(2), 1)", "ValueError",
             "it must begin the shape of input");

DYAD_OP("unsorted_segment_min(input: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor")
    .doc(
        "Segment minimum: minima of the slices with the same segment id. Negative ids are left out; a "
        "segment without slices is the highest number of the dtype.")
    .formula("out[s] = min input[i…] over i with segment_ids[i…] = s")
    .arg("input", "real numbers, at least one dimension.")
    .arg("segment_ids", "integers whose shape is the first dimensions of `input`, below `num_segments`.")
    .arg("num_segments", "number of results, ≥ 1.")
    .returns("Tensor of shape (num_segments, *input.shape[segment_ids.ndim:]).")
    .see("ops.unsorted_segment_max, ops.unsorted_segment_sum")
    .function("unsorted_segment_min(x:input, segment_ids, num_segments)")
    .method("unsorted_segment_min(segment_ids, num_segments)")
    .primitive("UnsortedSegmentMin()(x:input, segment_ids, num_segments)")
    .alias("x", "input")
    .compose([](const Call& call) {
      require_real(call);
      return join_segments(call, finite_bound(call.in(0).dtype, false), "min");
    })
    .numpy("ref.unsorted_segment(np.minimum, 1, input, segment_ids, num_segments)")
    .samples("call(T(5, 3), I(5), 4)", "call(T(2, 3), I(2, 3), 5)", "call(T(3), V([0, -1, 1], 'int64'), 2)")
    .rejects("ops.unsorted_segment_min(ones(3), ints(3), 0)", "ValueError", "num_segments is 0");

DYAD_OP("unsorted_segment_prod(input: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor")
    .doc(
        "Segment product: products of the slices with the same segment id. Negative ids are left out; a "
        "segment without slices is 1.")
    .formula("out[s] = Π input[i…] over i with segment_ids[i…] = s")
    .arg("input", "numbers, at least one dimension.")
    .arg("segment_ids", "integers whose shape is the first dimensions of `input`, below `num_segments`.")
    .arg("num_segments", "number of results, ≥ 1.")
    .returns("Tensor of shape (num_segments, *input.shape[segment_ids.ndim:]).")
    .see("ops.unsorted_segment_sum")
    .function("unsorted_segment_prod(x:input, segment_ids, num_segments)")
    .method("unsorted_segment_prod(segment_ids, num_segments)")
    .primitive("UnsortedSegmentProd()(x:input, segment_ids, num_segments)")
    .alias("x", "input")
    .compose([](const Call& call) { return join_segments(call, 1, "mul"); })
    .numpy("ref.unsorted_segment(np.multiply, 0, input, segment_ids, num_segments)")
    .samples("call(T(5, 3, lo=1), V([0, 1, 2, 3, 1], 'int64'), 5)",
             "call(T(3, lo=1), V([0, -1, 1], 'int64'), 2)")
    .rejects("ops.unsorted_segment_prod(ones(3), ints(3), 0)", "ValueError", "num_segments is 0");

DYAD_OP("reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int=0) -> Tensor")
    .doc("Reversal of the first elements along `seq_dim`, as many in each batch as its length.")
    .formula("out[b, k] = x[b, seq_lengths[b] − 1 − k]", "k < seq_lengths[b]")
    .formula("out[b, k] = x[b, k]", "otherwise")
    .arg("x", "any dtype, at least 2 dimensions.")
    .arg("seq_lengths", "integers, one for each batch.")
    .arg("seq_dim", "axis that is reversed, the k of the formula.")
    .arg("batch_dim", "axis of the batches, the b of the formula.")
    .returns("Tensor with the shape and dtype of `x`.")
    .see("ops.flip")
    .method("reverse_sequence(seq_lengths, seq_dim, batch_dim=0)")
    .primitive("ReverseSequence(seq_dim, batch_dim=0)(x, seq_lengths)")
    .compose([](const Call& call) -> Value {
      const Value& x = call.value(0);
      const auto along = index_axis(call, x, call.integer(2));
      const auto batch = index_axis(call, x, call.integer(3));
      if (along == batch)
        value_error(call.op(), ": seq_dim and batch_dim are both ", batch, "; they must differ");
      infer::require_rank(call, 1, 1, "seq_lengths");
      infer::require_dtype(call, 1, is_int(call.in(1).dtype), "integer dtypes");
      if (!(call.in(1).shape[0] == x->shape[batch])) {
        value_error(call.op(), ": seq_lengths have shape ", call.in(1).shape,
                    "; there must be one for each of ", x->shape[batch]);
      }
      Dims by_batch(x->shape.size(), Dim(1));
      Dims by_place = by_batch;
      by_batch[batch] = x->shape[batch];
      by_place[along] = x->shape[along];
      const Value lengths = reshape(call.value(1), by_batch);
      const Value place =
          reshape(arange(call.builder(), 0, x->shape[along].value(), 1, call.in(1).dtype), by_place);
      const Value from = where(less(place, lengths), lengths - place - 1, place);
      return gather_elements(x, static_cast<int64_t>(along), broadcast_to(from, x->shape));
    })
    .numpy("ref.reverse_sequence(x, seq_lengths, seq_dim, batch_dim)")
    .samples("call(T(2, 3), V([2, 3], 'int64'), 1)", "call(T(3, 2, 2), V([0, 3], 'int32'), 0, 1)",
             "call(T(2, 4, 3), V([1, 2], 'int64'), 2)")
    .rejects("ops.reverse_sequence(ones(2, 3), Tensor(np.array([2, 4])), 1)", "IndexError", "is out of range")
    .rejects("ops.reverse_sequence(ones(2, 3), ints(3), 1)", "ValueError", "there must be one for each of 2");

}  // namespace dyad
