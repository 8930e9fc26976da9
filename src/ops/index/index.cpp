#include "ops/index/index.h"

#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/index/update_gradient.h"
#include "ops/infer.h"
#include "ops/placeholder.h"
#include "types/index_layout.h"

namespace dyad::batch {

namespace {

DYAD_USE(arange, permute, reshape);

/// Reads all slices of a tensor at once: the indices for all of them, and the order of the dimensions of the
/// result.
struct Plan {
  IndexLayout slice;
  ValueList indices;
  Dims order;  ///< a permutation from what is chosen at once to (slices, what is chosen in one); empty for
               ///< none
};

IndexLayout slice_layout(const BatchCall& call, const Shape& input, size_t at) {
  ValueList indices;
  for (const Value& index : call.values(at)) {
    if (!index) {
      indices.emplace_back();
      continue;
    }
    const size_t skipped = call.mapped(at) ? 1 : 0;
    indices.push_back(placeholder(index->dtype, Shape(index->shape.begin() + skipped, index->shape.end())));
  }
  return index_layout(call.op(), input, indices);
}

int64_t count_of(const Ints& dimensions) { return static_cast<int64_t>(dimensions.size()); }

Plan plan(const BatchCall& call, const Shape& input, size_t at) {
  Plan plan{slice_layout(call, input, at), {}, {}};
  const int64_t rank = static_cast<int64_t>(plan.slice.index_shape.size());
  const int64_t before = count_of(plan.slice.before);
  const int64_t after = count_of(plan.slice.after);
  if (!call.mapped(at)) {
    plan.indices.emplace_back();
    for (const Value& index : call.values(at)) plan.indices.push_back(index);
    const bool neighbors =
        plan.slice.indexed.empty() ||
        plan.slice.indexed.back() - plan.slice.indexed.front() + 1 == count_of(plan.slice.indexed);
    if (neighbors) return plan;
    plan.order.push_back(rank);  // the index shape comes first of all
    for (int64_t d = 0; d < rank; ++d) plan.order.push_back(d);
    for (int64_t d = 0; d < before + after; ++d) plan.order.push_back(rank + 1 + d);
    return plan;
  }
  Shape column{call.count()};
  for (int64_t d = 0; d < rank; ++d) column.push_back(1);
  plan.indices.push_back(reshape(arange(call.builder(), 0, call.count().value(), 1, DType::kInt64), column));
  for (const Value& index : call.values(at)) plan.indices.push_back(index ? padded(index, rank) : Value());
  if (before == 0) return plan;
  plan.order.push_back(0);  // the slices and the index shape come first
  for (int64_t d = 0; d < before; ++d) plan.order.push_back(1 + rank + d);
  for (int64_t d = 0; d < rank; ++d) plan.order.push_back(1 + d);
  for (int64_t d = 0; d < after; ++d) plan.order.push_back(1 + rank + before + d);
  return plan;
}

Dims inverse(const Dims& order) {
  Dims result(order.size(), Dim(0));
  for (size_t i = 0; i < order.size(); ++i)
    result[static_cast<size_t>(order[i].value())] = static_cast<int64_t>(i);
  return result;
}

/// A value for the positions in every slice, as the plan writes it.
Arg arranged(const BatchCall& call, size_t at, const Plan& plan) {
  if (!call.is_value(at)) return call[at];
  const Value value = padded(whole(call, at), static_cast<int64_t>(plan.slice.result.size()));
  return plan.order.empty() ? Arg(value) : Arg(permute(value, inverse(plan.order)));
}

}  // namespace

void index_read(const BatchCall& call, ValueList& results) {
  const Plan found = plan(call, slice_shape(call, 0), 1);
  const Arg args[] = {whole(call, 0), found.indices};
  ValueList read;
  apply(call, args, read);
  results.push_back(found.order.empty() ? read[0] : permute(read[0], found.order));
}

void index_written(const BatchCall& call, ValueList& results) {
  const Plan found = plan(call, slice_shape(call, 0), 1);
  const Arg args[] = {whole(call, 0), found.indices, arranged(call, 2, found), call[3]};
  apply(call, args, results);
}

void index_embedded(const BatchCall& call, ValueList& results) {
  const Plan found = plan(call, call.dims(1), 2);
  const Arg args[] = {arranged(call, 0, found), with_count(call, call.dims(1)), found.indices};
  apply(call, args, results);
}

}  // namespace dyad::batch

namespace dyad {

namespace {

DYAD_USE(index, index_gather, index_write, index_update, embed_index, nonzero, select_view, sum_to, cast,
         where, equal, reshape);

void check_mode(const Arguments& args, const std::string& mode, DType dtype) {
  constexpr std::string_view names[] = {"none", "add", "sub", "mul", "div", "max", "min"};
  bool known = false;
  for (std::string_view name : names) known = known || name == mode;
  if (!known) {
    value_error(args.op(), ": reduction is '", mode,
                "'; accepted are 'none', 'add', 'sub', 'mul', 'div', 'max' and 'min'");
  }
  if (is_complex(dtype) && (mode == "max" || mode == "min")) {
    type_error(args.op(), ": complex numbers have no order; reduction '", mode, "' takes real tensors");
  }
}

/// Inference rule of writing `args[2]` to the positions `args[1]` of `args[0]`.
void infer_update(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const IndexLayout layout = index_layout(args.op(), input.shape, args.values(1));
  check_mode(args, args.text(3), input.dtype);
  if (args.is_value(2) && !broadcasts_to(args.in(2).shape, layout.result)) {
    value_error(args.op(), ": a value of shape ", args.in(2).shape, " does not broadcast to the shape ",
                layout.result, " that the indices choose");
  }
  results.add(input.dtype, input.shape);
}

Value value_gradient(const GradCall& g, const Value& gradient) {
  Value summed = sum_to(gradient, g.value(2));
  return summed->dtype == g.in(2).dtype ? summed : cast(summed, g.in(2).dtype);
}

void grad_update(GradCall& g) {
  const Arg& indices = g[1];
  const Places places{[&](const Value& whole) { return index_gather(whole, indices); },
                      [&](const Value& whole, const Arg& value, const char* reduction) {
                        return index_update(whole, indices, value, reduction);
                      }};
  const UpdateGradients found = update_gradients(g, g.text(3), g[2], places);
  g.set(0, found.input);
  if (g.is_value(2)) g.set(2, value_gradient(g, found.value));
}

bool all_holes(const ValueList& indices) {
  for (const Value& value : indices) {
    if (value) return false;
  }
  return true;
}

}  // namespace

ValueList integer_indices(std::string_view op, const Shape& shape, const ValueList& indices) {
  ValueList result;
  for (const Value& given : indices) {
    if (!given || !is_bool(given->dtype)) {
      result.push_back(given);
      continue;
    }
    const Shape& mask = given->shape;
    if (mask.empty()) index_error(op, ": a 0-d bool tensor is no index; expand it to a dimension first");
    for (size_t d = 0; d < mask.size(); ++d) {
      const size_t at = result.size() + d;
      if (at >= shape.size() || (mask[d].known() && shape[at].known() && mask[d] != shape[at])) {
        index_error(op, ": a bool index of shape ", mask, " does not match the tensor's shape ", shape,
                    " from dimension ", result.size(), " on");
      }
    }
    Value places = nonzero(given);
    for (size_t d = 0; d < mask.size(); ++d)
      result.push_back(select_view(places, 1, static_cast<int64_t>(d)));
  }
  return result;
}

ValueList index_along(size_t axis, const Value& index) {
  ValueList indices(axis);
  indices.push_back(index);
  return indices;
}

ValueList index_columns(std::string_view op, const Value& indices, int64_t rank) {
  if (!is_int(indices->dtype)) {
    type_error(op, ": indices have dtype ", indices->dtype, "; accepted are integers");
  }
  if (indices->rank() == 0)
    value_error(op, ": indices are 0-d; their last dimension must hold the coordinates");
  const int64_t count = indices->shape.back().value();
  if (count < 1 || count > rank) {
    value_error(op, ": indices of shape ", indices->shape, " hold ", count, " coordinates for a tensor of ",
                rank, " dimensions; 1 to ", rank, " are accepted");
  }
  ValueList columns;
  for (int64_t i = 0; i < count; ++i) columns.push_back(select_view(indices, -1, i));
  return columns;
}

size_t index_axis(const Arguments& args, const Value& input, int64_t axis) {
  if (input->rank() == 0) value_error(args.op(), ": a 0-d tensor has no axis to index");
  return static_cast<size_t>(normalize_axis(args.op(), axis, input->rank()));
}

DYAD_OP("index_gather(input: Tensor, indices: Tensors) -> Tensor")
    .doc("The elements that integer index tensors choose, with holes for dimensions that are taken whole.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      results.add(args.in(0).dtype, index_layout(args.op(), args.in(0).shape, args.values(1)).result);
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, embed_index(g.grad(), g.in(0).shape, g[1])); })
    .batch(batch::index_read)
    .moves(Movement::kOther)
    .numpy("ref.index(input, indices)")
    .samples("call(T(4, 3), [I(5)], dtypes='all')", "call(T(4, 4, 2), [I(2, 3), I(3)])",
             "call(T(3, 4), [None, I(2)])", "call(T(4, 3, 4), [I(2), None, I(2)])",
             "call(strided(T(4, 6)), [I(2, 2), I(1)])", "call(T(4, 3), [I()])", "call(T(4, 0), [I(2)])",
             "call(T(4, 3), [I(0)])", "call(T(4, 3), [V([-1, -4], 'int64')])")
    .rejects("dyad._core.named_op('index_gather')(ones(3), [Tensor(np.array([3]))])", "IndexError",
             "index 3 is out of range for dimension 0 of size 3")
    .rejects("dyad._core.named_op('index_gather')(ones(3), [ints(1), ints(1)])", "IndexError",
             "2 indices are given for a tensor of shape (3,)")
    .rejects("dyad._core.named_op('index_gather')(ones(3), [ones(1)])", "IndexError", "has dtype Float32");

DYAD_OP("embed_index(value: Tensor, shape: ints, indices: Tensors) -> Tensor")
    .doc("Zeros of a shape, with value added where `index_gather` of the same indices would read.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      const Shape places = index_layout(args.op(), args.dims(1), args.values(2)).result;
      if (!broadcasts_to(args.in(0).shape, places)) {
        value_error(args.op(), ": a value of shape ", args.in(0).shape, " does not broadcast to the shape ",
                    places);
      }
      results.add(args.in(0).dtype, args.dims(1));
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, sum_to(index_gather(g.grad(), g[2]), g.value(0))); })
    .batch(batch::index_embedded)
    .moves(Movement::kOther)
    .numpy("ref.embed_index(value, shape, indices)")
    .samples("call(T(5, 3), (4, 3), [I(5)], dtypes='numeric')", "call(T(3, 2), (3, 4), [None, I(2)])")
    .rejects("dyad._core.named_op('embed_index')(ones(2), (3,), [ints(3)])", "ValueError",
             "does not broadcast to the shape (3,)");

DYAD_OP("index_update(input: Tensor, indices: Tensors, value: Operand, reduction: str='none') -> Tensor")
    .doc(
        "A copy of input in which value replaces, or is combined with, the elements that integer index "
        "tensors choose.")
    .hidden()
    .infer(infer_update)
    .grad(grad_update)
    .batch(batch::index_written)
    .cost(1)
    .numpy("ref.index_update(input, indices, value, reduction)")
    .samples("call(T(4, 3), [V([2, 0], 'int64')], T(2, 3), dtypes='all')",
             "call(T(4, 3), [I(5)], T(5, 3), 'add', dtypes='numeric')",
             "call(T(4, 3), [I(5)], T(5, 3), 'sub', dtypes='numeric')",
             "call(T(3, 4), [None, V([1, 3], 'int64')], T(2), 'mul')",
             "call(T(4), [V([1, 1, 3, 3, 2], 'int64')], V([2.0, 3.0, 0.0, 2.0, 1.0], 'float32'), 'mul')",
             "call(T(3), [V([1, 1, 2], 'int64')], T(3, lo=1), 'div')",
             "call(T(3), [V([1, 1, 2], 'int64')], T(3))",
             "call(T(4, 3), [V([2, 0], 'int64')], T(2, 3, lo=1), 'div')",
             "call(T(4, 3), [V([2, 0], 'int64')], T(2, 3), 'max')",
             "call(T(4, 3), [V([2, 0], 'int64')], T(2, 3), 'min')", "call(T(4, 3), [I(2)], 2)")
    .rejects("dyad._core.named_op('index_update')(ones(3), [ints(2)], ones(3))", "ValueError",
             "does not broadcast to the shape (2,)")
    .rejects("dyad._core.named_op('index_update')(ones(3), [ints(2)], ones(2), 'mean')", "ValueError",
             "reduction is 'mean'");

DYAD_OP("index_write(input: Tensor, indices: Tensors, value: Operand, reduction: str='none') -> Tensor")
    .doc(
        "Writes value over, or combines it with, the elements of input that integer index tensors choose, in "
        "place.")
    .hidden()
    .writes(0)
    .infer(infer_update)
    .grad(grad_update)
    .moves(Movement::kOther)
    .numpy("ref.index_update(input, indices, value, reduction)")
    .samples("call(T(4, 3), [V([2, 0], 'int64')], T(2, 3), dtypes='all')",
             "call(strided(T(4, 6)), [I(5)], T(5, 6), 'add')")
    .rejects("dyad._core.named_op('index_write')(ones(3), [ints(2)], ones(3))", "ValueError",
             "does not broadcast to the shape (2,)");

DYAD_OP("index(input: Tensor, indices: Tensors) -> Tensor")
    .doc(
        "NumPy's advanced indexing: integer or bool tensors per dimension, None for one that is taken whole.")
    .hidden()
    .compose([](const Call& call) {
      const ValueList indices = integer_indices(call.op(), call.in(0).shape, call.values(1));
      return all_holes(indices) ? call.value(0) : index_gather(call.value(0), indices);
    })
    .numpy("ref.index(input, indices)")
    .samples("call(T(4, 3), [B(4)], dtypes='all')", "call(T(4, 3), [B(4, 3)])", "call(T(4, 3), [None, B(3)])",
             "call(T(4, 3), [I(2, 1), None])")
    .rejects("dyad._core.named_op('index')(ones(3), [Tensor(np.array([True, False]))])", "IndexError",
             "a bool index of shape (2,) does not match the tensor's shape (3,)");

DYAD_OP("index_put(input: Tensor, indices: Tensors, value: Operand, accumulate: bool=False) -> Tensor")
    .doc("In-place write of values at positions given by index tensors.")
    .formula("input[indices[0][i], indices[1][i], …] = value[i]", "accumulate=False")
    .formula("input[indices[0][i], indices[1][i], …] += value[i]", "accumulate=True")
    .arg("input", "any dtype, at least one dimension; changed.")
    .arg("indices", "integer tensors that broadcast, or bool masks.")
    .arg("value", "broadcasts with the indices.")
    .arg("accumulate", "whether values are added; repeated positions add up.")
    .returns("`input`.")
    .see("ops.scatter_nd")
    .hidden()
    .method("index_put_(indices, values:value, accumulate=False)")
    .writes(0)
    .compose([](const Call& call) {
      const ValueList indices = integer_indices(call.op(), call.in(0).shape, call.values(1));
      return index_write(call.value(0), indices, call[2], call.flag(3) ? "add" : "none");
    })
    .numpy("ref.index_put(input, indices, value, accumulate)")
    .samples("call(T(4, 3), [B(4)], 2, dtypes='all')",
             "call(T(4, 3), [V([0, 0, 2], 'int64')], T(3, 3), True)")
    .rejects("ones(3).index_put_([ints(2)], ones(3))", "ValueError", "does not broadcast to the shape (2,)");

DYAD_OP("index_put_copy(input: Tensor, indices: Tensors, value: Operand, accumulate: bool=False) -> Tensor")
    .doc("Copy of `input` with values at positions given by index tensors.")
    .formula("out[indices[0][i], indices[1][i], …] = value[i]", "accumulate=False")
    .formula("out[indices[0][i], indices[1][i], …] += value[i]", "accumulate=True")
    .arg("input", "any dtype, at least one dimension.")
    .arg("indices", "integer tensors that broadcast, or bool masks.")
    .arg("value", "broadcasts with the indices.")
    .arg("accumulate", "whether values are added; repeated positions add up.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.scatter_nd")
    .hidden()
    .function("index_put(input, indices, values:value, accumulate=False)")
    .method("index_put(indices, values:value, accumulate=False)")
    .primitive("IndexPut(accumulate=0)(x1:input, x2:value, indices)")
    .compose([](const Call& call) {
      if (call.is_value(2)) require_fit(call, 2, 0);
      const ValueList indices = integer_indices(call.op(), call.in(0).shape, call.values(1));
      return index_update(call.value(0), indices, call[2], call.flag(3) ? "add" : "none");
    })
    .numpy("ref.index_put(input, indices, value, accumulate)")
    .samples("call(T(4, 3), [B(4)], 2)", "call(T(4, 3), [V([0, 0, 2], 'int64')], T(3, 3), True)")
    .rejects("ops.index_put(ones(3), [ints(2)], ones(3))", "ValueError",
             "does not broadcast to the shape (2,)");

}  // namespace dyad
