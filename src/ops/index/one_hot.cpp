#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(one_hot, reshape, sum, where);

DType dtype_of(const Arguments& args, size_t i) {
  return args.is_value(i) ? args.in(i).dtype : default_dtype(args.number(i));
}

void infer_one_hot(const Arguments& args, Results& results) {
  const ValueImpl& indices = args.in(0);
  if (!is_int(indices.dtype))
    type_error(args.op(), ": indices have dtype ", indices.dtype, "; accepted are integers");
  const Dim depth = infer::size(args, 1, "depth");
  for (size_t i : {size_t{2}, size_t{3}}) {
    if (args.is_value(i) && args.in(i).size() != 1) {
      value_error(args.op(), i == 2 ? ": on_value" : ": off_value", " has shape ", args.in(i).shape,
                  "; one element is needed");
    }
  }
  Shape shape = indices.shape;
  const int64_t axis = normalize_axis(args.op(), args.integer(4), indices.rank() + 1);
  shape.insert(static_cast<size_t>(axis), depth);
  results.add(promote(args.op(), dtype_of(args, 2), dtype_of(args, 3)), shape);
}

void hot_slices(const BatchCall& call, ValueList& results) {
  if (!call.mapped(2) && !call.mapped(3)) {
    const int64_t axis = normalize_axis(call.op(), call.integer(4), batch::slice_rank(call, 0) + 1);
    const Arg args[] = {call[0], call[1], call[2], call[3], axis + 1};
    return batch::apply(call, args, results);
  }
  const auto body = [](const Call& slice, ValueList& given) {
    const auto scalar = [&](size_t i) -> Arg {
      return slice.is_value(i) ? Arg(reshape(slice[i], Dims())) : slice[i];
    };
    const Value hot = one_hot(slice[0], slice[1], true, false, slice[4]);
    given.push_back(where(hot, scalar(2), scalar(3)));
  };
  batch::compose(call, body, results);
}

}  // namespace

DYAD_OP(
    "one_hot(indices: Tensor, depth: size, on_value: Operand=1, off_value: Operand=0, axis: int=-1) -> "
    "Tensor")
    .doc("One-hot encoding along a new axis. An index outside 0 … depth − 1 has no `on_value`.")
    .formula("out[…, k] = on_value", "k = indices[…]")
    .formula("out[…, k] = off_value", "otherwise")
    .arg("indices", "integers, any shape.")
    .arg("depth", "size of the new axis.")
    .arg("on_value", "value at the index.")
    .arg("off_value", "value elsewhere.")
    .arg("axis", "position of the new axis.")
    .returns("Tensor with the new axis, in the dtype of the values.")
    .see("nn.OneHot")
    .primitive("OneHot(axis=-1)(indices, depth, on_value, off_value)")
    .infer(infer_one_hot)
    .grad([](GradCall& g) {
      const Value hot = one_hot(g[0], g[1], 1, 0, g[4]);
      const Value on = g.grad() * hot;
      if (g.is_value(2)) g.set(2, reshape(sum(on), g.in(2).shape));
      if (g.is_value(3)) g.set(3, reshape(sum(g.grad() - on), g.in(3).shape));
    })
    .batch(hot_slices)
    .moves(Movement::kOther)
    .numpy("ref.one_hot(indices, depth, on_value, off_value, axis)")
    .samples("call(I(3), 4)", "call(I(2, 3, lo=-1, hi=5), 4, 1.0, 0.0)", "call(I(2, 3), 4, 5, -1, 0)",
             "call(I(2, 3), 4, axis=1)", "call(I(), 3)", "call(I(2), 0)",
             "call(I(3), 4, V(2.5, 'float32'), V(0.5, 'float32'))")
    .rejects("ops.one_hot(ones(2), 3)", "TypeError", "indices have dtype Float32")
    .rejects("ops.one_hot(ints(2), -1)", "ValueError", "depth is -1");

DYAD_OP("sequence_mask(lengths: Tensor, maxlen: int?=None) -> Tensor")
    .doc("Sequence mask: True before each length, along a new last dimension.")
    .formula("out[…, k] = (k < lengths[…])")
    .arg("lengths", "integers, any shape.")
    .arg("maxlen", "size of the new dimension; None: the largest length.")
    .returns("Tensor of bools with the shape (*lengths.shape, maxlen).")
    .compose([](const Call& call) {
      static const OpName arange{"arange"};
      static const OpName less{"less"};
      static const OpName expand_dims{"expand_dims"};
      static const OpName row_of_largest{"length_range"};
      const Value lengths = expand_dims(call.value(0), Dims{-1});
      if (!call.has(1)) return less(row_of_largest(call.value(0)), lengths);
      if (call.integer(1) < 0)
        value_error(call.op(), ": maxlen is ", call.integer(1), "; it must be 0 or more");
      return less(arange(call.builder(), call.integer(1)), lengths);
    })
    .numpy("np.arange(np.max(lengths) if maxlen is None else maxlen) < np.expand_dims(lengths, -1)")
    .samples("call(I(3), 5)", "call(I(2, 3, lo=1))", "call(V(3, 'int64'), 4)")
    .rejects("ops.sequence_mask(ints(2), -1)", "ValueError", "maxlen is -1");

DYAD_OP("length_range(lengths: Tensor) -> Tensor")
    .doc("0, 1, … up to the largest element, which is left out.")
    .hidden()
    .data_shape()
    .infer([](const Arguments& args, Results& results) {
      infer::require_dtype(args, 0, is_int(args.in(0).dtype), "integers");
      results.add(DType::kInt64, Shape{Dim::fresh("length")});
    })
    .no_grad("the result is integers")
    .moves(Movement::kOther)
    .numpy("np.arange(np.max(lengths, initial=0))")
    .samples("call(I(4))", "call(I(0))", "call(V(3, 'int64'))")
    .rejects("dyad._core.named_op('length_range')(ones(2))", "TypeError", "accepted are integers");

}  // namespace dyad
