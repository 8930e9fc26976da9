#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"
#include "ops/shape/shape_batch.h"

namespace dyad {

namespace {

DYAD_USE(broadcast_to, sum_to);

/// The shape asked for, -1 standing for the size that is there.
Shape broadcast_target(const Arguments& args) {
  const Shape& from = args.in(0).shape;
  Shape to = args.dims(1);
  if (to.size() < from.size()) {
    value_error(args.op(), ": a tensor of shape ", from, " does not broadcast to ", to,
                ", which has fewer dimensions");
  }
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == Dim(-1) && d >= lead) to[d] = from[d - lead];
    if (to[d].known() && to[d].value() < 0) {
      value_error(args.op(), ": the shape ", args.dims(1), " has a negative size at ", d,
                  "; -1 keeps a size that is there, others must be 0 or more");
    }
  }
  if (!broadcasts_to(from, to)) {
    value_error(args.op(), ": a tensor of shape ", from, " does not broadcast to ", to,
                "; sizes must be equal or 1 in the tensor");
  }
  return to;
}

}  // namespace

DYAD_OP("broadcast_to(input: Tensor, shape: ints) -> Tensor")
    .doc("Broadcast to a shape: repeats dimensions of size 1 and adds leading ones. Shares the memory.")
    .formula("out[p…, i…] = input[j…], jₖ = 0 where input.shape[k] = 1, else iₖ")
    .arg("input", "any dtype and shape.")
    .arg("shape", "shape of the result; −1 keeps a size.")
    .returns("Tensor of shape `shape`, a view of `input`.")
    .see("ops.tile, ops.expand_dims")
    .function("expand(input, size:shape)")
    .method("broadcast_to(*shape)")
    .method("expand(*size:shape)")
    .primitive("BroadcastTo(shape)(input)")
    .primitive("Expand()(x:input, shape)")
    .alias("input_x", "input")
    .alias("x", "input")
    .alias("size", "shape")
    .mint("broadcast_to")
    .infer([](const Arguments& args, Results& results) {
      results.add(args.in(0).dtype, broadcast_target(args));
    })
    .view([](const Arguments& args, const ResultSpec& result, ViewSpec& view) {
      view.strides = broadcast_strides(args.in(0).shape, args.in(0).strides, result.shape);
      return true;
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, sum_to(g.grad(), g.value(0))); })
    .batch(batch::broadcast)
    .moves(Movement::kBroadcast)
    .numpy("ref.broadcast_to(input, shape)")
    .samples("call(T(3), (2, 3), dtypes='all')", "call(T(2, 1), (2, 4))", "call(T(), (2, 2))",
             "call(T(1, 3), (0, 3))", "call(T(2, 1), (5, -1, 3))", "call(T(2, 0), (3, 2, 0))")
    .rejects("ops.broadcast_to(ones(2, 3), (2, 4))", "ValueError",
             "a tensor of shape (2, 3) does not broadcast to (2, 4)")
    .rejects("ops.broadcast_to(ones(2), (-1, 2))", "ValueError", "has a negative size at 0");

DYAD_OP("expand_as(input: Tensor, other: Tensor) -> Tensor")
    .describes(1)
    .doc("Broadcast to the shape of another tensor. Shares the memory.")
    .formula("out[p…, i…] = input[j…], jₖ = 0 where input.shape[k] = 1, else iₖ")
    .arg("input", "any dtype and shape.")
    .arg("other", "its shape is that of the result.")
    .returns("Tensor with the shape of `other`, a view of `input`.")
    .see("ops.broadcast_to")
    .method()
    .alias("x", "other")
    .shares_memory()
    .compose([](const Call& call) { return broadcast_to(call.value(0), call.in(1).shape); })
    .numpy("np.broadcast_to(input, other.shape)")
    .samples("call(T(3), T(2, 3))")
    .rejects("ops.expand_as(ones(2), ones(3))", "ValueError", "does not broadcast to (3,)");

DYAD_OP("broadcast_tensors(tensors: Tensors) -> Tensors")
    .doc("Broadcast of tensors to their common shape. Shares the memory.")
    .formula("out[n] = broadcast_to(tensors[n], common shape)")
    .arg("tensors", "any dtypes, shapes that broadcast.")
    .returns("Tuple of Tensors of the common shape, views of the given ones.")
    .see("ops.broadcast_to")
    .function("broadcast_tensors(*tensors)")
    .shares_memory()
    .compose([](const Call& call) {
      ValueList results;
      Shape shape;
      for (const Value& tensor : call.values(0)) {
        if (!tensor) type_error(call.op(), ": the list of tensors holds None; every entry must be a Tensor");
      }
      for (const Value& tensor : call.values(0)) shape = broadcast(call.op(), shape, tensor->shape);
      for (const Value& tensor : call.values(0)) results.push_back(broadcast_to(tensor, shape));
      return results;
    })
    .numpy("tuple(np.broadcast_arrays(*tensors))")
    .samples("call([T(3), T(2, 1)])")
    .rejects("ops.broadcast_tensors(ones(2), None)", "TypeError",
             "broadcast_tensors: the list of tensors holds None")
    .rejects("ops.broadcast_tensors(ones(2), ones(3))", "ValueError", "do not broadcast");

}  // namespace dyad
