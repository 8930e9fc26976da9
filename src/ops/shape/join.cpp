#include <algorithm>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/layout.h"
#include "ops/shape/shape_batch.h"
#include "types/agreement.h"

namespace dyad {

namespace {

DYAD_USE(concat, slice_view, select_view, cast);

const ValueList& operands(const Arguments& args) {
  const ValueList& list = args.values(0);
  if (list.empty()) value_error(args.op(), ": the list of tensors is empty; at least one is needed");
  for (const Value& value : list) {
    if (!value) type_error(args.op(), ": the list of tensors holds None; every entry must be a Tensor");
  }
  return list;
}

DType joined_dtype(const Arguments& args) {
  const ValueList& list = operands(args);
  DType dtype = list.front()->dtype;
  for (const Value& value : list) dtype = promote(args.op(), dtype, value->dtype);
  return dtype;
}

size_t joined_axis(const Arguments& args) {
  const Shape& first = operands(args).front()->shape;
  if (first.empty())
    value_error(args.op(), ": 0-d tensors have no dimension to join along; stack joins along a new one");
  return static_cast<size_t>(normalize_axis(args.op(), args.integer(1), static_cast<int64_t>(first.size())));
}

void infer_concat(const Arguments& args, Results& results) {
  const ValueList& list = operands(args);
  const size_t axis = joined_axis(args);
  Shape shape = list.front()->shape;
  for (size_t i = 1; i < list.size(); ++i) {
    const Shape& other = list[i]->shape;
    bool fits = other.size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      if (d != axis) fits = other[d] == shape[d] || !other[d].known() || !shape[d].known();
    }
    if (!fits) {
      value_error(args.op(), ": tensor ", i, " has shape ", other, " and tensor 0 has shape ",
                  list.front()->shape, "; they may differ only in dimension ", axis);
    }
    shape[axis] = shape[axis] + other[axis];
  }
  results.add(joined_dtype(args), shape);
}

void grad_concat(GradCall& g) {
  const ValueList& list = g.values(0);
  const size_t axis = joined_axis(g);
  ValueList gradients;
  Dim start = 0;
  for (const Value& operand : list) {
    Dims starts(axis + 1, 0);
    Dims stops(operand->shape.begin(), operand->shape.begin() + axis + 1);
    starts[axis] = start;
    start = start + operand->shape[axis];
    stops[axis] = start;
    Value part = slice_view(g.grad(), starts, stops, Dims(axis + 1, 1));
    gradients.push_back(part->dtype == operand->dtype ? part : cast(part, operand->dtype));
  }
  g.set(0, std::move(gradients));
}

size_t stacked_axis(const Arguments& args) {
  const int64_t rank = operands(args).front()->rank() + 1;
  return static_cast<size_t>(normalize_axis(args.op(), args.integer(1), rank));
}

void infer_stack(const Arguments& args, Results& results) {
  const ValueList& list = operands(args);
  Shape shape = list.front()->shape;
  for (size_t i = 1; i < list.size(); ++i) {
    if (!may_agree(list[i]->shape, shape)) {
      value_error(args.op(), ": tensor ", i, " has shape ", list[i]->shape, " and tensor 0 has shape ", shape,
                  "; all shapes must be equal");
    }
  }
  shape.insert(stacked_axis(args), static_cast<int64_t>(list.size()));
  results.add(joined_dtype(args), shape);
}

void grad_stack(GradCall& g) {
  const ValueList& list = g.values(0);
  const auto axis = static_cast<int64_t>(stacked_axis(g));
  ValueList gradients;
  for (size_t i = 0; i < list.size(); ++i) {
    Value part = select_view(g.grad(), axis, static_cast<int64_t>(i));
    gradients.push_back(part->dtype == list[i]->dtype ? part : cast(part, list[i]->dtype));
  }
  g.set(0, std::move(gradients));
}

bool join_channels_last(LayoutCall& call) {
  const ValueList& list = call.values(0);
  if (!std::ranges::all_of(list, [&](const Value& value) { return call.has_channels_last(value); }))
    return false;
  ValueList members;
  for (const Value& value : list) members.push_back(call.channels_last(value));
  const Dims order = layout::channels_to_end(list.front()->shape.size());
  const auto axis = std::ranges::find(order, Dim(static_cast<int64_t>(joined_axis(call)))) - order.begin();
  call.set_channels_last(0, concat(members, static_cast<int64_t>(axis)));
  return true;
}

}  // namespace

DYAD_OP("concat(tensors: Tensors, axis: int=0) -> Tensor")
    .doc("Concatenation of tensors along an axis.")
    .formula("out[…, n₀ + … + nₖ₋₁ + i, …] = tensors[k][…, i, …], nₖ = size of tensors[k]")
    .arg("tensors", "at least one, of equal sizes but along `axis`.")
    .arg("axis", "axis that is joined.")
    .returns("Tensor with the sum of the sizes along `axis`.")
    .see("ops.stack, ops.split")
    .function("cat")
    .function("concatenate")
    .primitive("Concat(axis=0)(tensors)")
    .alias("input_x", "tensors")
    .alias("dim", "axis")
    .mint("cat", "concat")
    .infer(infer_concat)
    .linear()
    .grad(grad_concat)
    .batch(batch::along<1>)
    .channels_last(join_channels_last)
    .moves(Movement::kJoin)
    .autocast(Autocast::kWidest)
    .numpy("np.concatenate(tensors, axis)")
    .samples("call([T(2, 3), T(1, 3)], dtypes='all')", "call([T(2, 3), T(2, 2)], -1)", "call([T(2)])",
             "call([strided(T(4, 6)), T(4, 2)], 1)", "call([T(0, 3), T(2, 3)])",
             "call([T(2, 3, 4), T(2, 1, 4), T(2, 5, 4)], 1)",
             "call([F(2), V([1, 2], 'int64')], dtypes='float32')")
    .rejects("ops.concat([ones(2, 3), ones(2, 4)])", "ValueError",
             "tensor 1 has shape (2, 4) and tensor 0 has shape (2, 3)")
    .rejects("ops.concat([])", "ValueError", "the list of tensors is empty")
    .rejects("ops.concat([Tensor(1.0), Tensor(2.0)])", "ValueError", "0-d tensors have no dimension")
    .rejects("ops.concat([ones(2)], 1)", "ValueError", "axis 1 is out of range");

DYAD_OP("stack(tensors: Tensors, axis: int=0) -> Tensor")
    .doc("Stack of tensors of one shape along a new axis.")
    .formula("out[…, k, …] = tensors[k][…]")
    .arg("tensors", "at least one, all of one shape.")
    .arg("axis", "position of the new axis.")
    .returns("Tensor with one more dimension.")
    .see("ops.concat, ops.unstack")
    .primitive("Stack(axis=0)(tensors)")
    .primitive("Pack(axis=0)(tensors)")
    .alias("input_x", "tensors")
    .alias("dim", "axis")
    .mint("stack")
    .infer(infer_stack)
    .linear()
    .grad(grad_stack)
    .batch(batch::stacked)
    .moves(Movement::kOther)
    .numpy("np.stack(tensors, axis)")
    .samples("call([T(2, 3), T(2, 3)], dtypes='all')", "call([T(2, 3), T(2, 3)], -1)",
             "call([T(), T(), T()])", "call([strided(T(4, 6)), T(4, 6)], 1)", "call([T(0, 3), T(0, 3)])")
    .rejects("ops.stack([ones(2), ones(3)])", "ValueError", "all shapes must be equal")
    .rejects("ops.stack([ones(2)], 3)", "ValueError", "axis 3 is out of range");

}  // namespace dyad
