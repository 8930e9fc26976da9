#include "base/error.h"
#include "ops/argument_checks.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/index/index.h"
#include "ops/index/update_gradient.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(scatter_elements, gather_elements, index_update, index_write, embed_index, slice_view, cast, where,
         equal, less);

void infer_scatter_elements(const Arguments& args, Results& results) {
  const ValueImpl& input = args.in(0);
  const ValueImpl& index = args.in(2);
  if (!is_int(index.dtype))
    type_error(args.op(), ": index has dtype ", index.dtype, "; accepted are integers");
  if (args.is_value(3)) require_fit(args, 3, 0);
  const auto axis = static_cast<size_t>(normalize_axis(args.op(), args.integer(1), input.rank()));
  const Shape* source = args.is_value(3) ? &args.in(3).shape : nullptr;
  bool fits = index.rank() == input.rank();
  bool covered = !source || source->empty() || source->size() == index.shape.size();
  for (size_t d = 0; d < index.shape.size(); ++d) {
    const Dim size = index.shape[d];
    if (fits && d != axis && size.known() && input.shape[d].known())
      fits = size.value() <= input.shape[d].value();
    if (covered && source && !source->empty() && size.known() && (*source)[d].known()) {
      covered = size.value() <= (*source)[d].value();
    }
  }
  if (!fits) {
    value_error(args.op(), ": index has shape ", index.shape, " and input has shape ", input.shape,
                "; index may be larger only in dimension ", axis);
  }
  if (!covered) {
    value_error(args.op(), ": src has shape ", *source, " and index has shape ", index.shape,
                "; src must cover it");
  }
  constexpr std::string_view names[] = {"none", "add", "sub", "mul", "div", "max", "min"};
  bool known = false;
  for (std::string_view name : names) known = known || args.text(4) == name;
  if (!known) {
    value_error(args.op(), ": reduction is '", args.text(4),
                "'; accepted are 'none', 'add', 'sub', 'mul', 'div', 'max' and 'min'");
  }
  if (is_complex(input.dtype) && (args.text(4) == "max" || args.text(4) == "min")) {
    type_error(args.op(), ": complex numbers have no order; reduction '", args.text(4),
               "' takes real tensors");
  }
  results.add(input.dtype, input.shape);
}

/// The gradient of `src`, from that of the part that is read: zeros elsewhere.
void set_source(GradCall& g, const Value& gradient) {
  static const OpName embed_slice{"embed_slice"};
  static const OpName sum_to{"sum_to"};
  Value whole = gradient;
  const Shape& shape = g.in(3).shape;
  if (shape.empty()) {
    whole = sum_to(gradient, g.value(3));
  } else if (!(shape == gradient->shape)) {
    const size_t rank = shape.size();
    whole = embed_slice(gradient, shape, Dims(rank, 0), gradient->shape, Dims(rank, 1));
  }
  g.set(3, whole->dtype == g.in(3).dtype ? whole : cast(whole, g.in(3).dtype));
}

/// The part of `src` that is read: as large as the index.
Arg read_source(const GradCall& g) {
  if (!g.is_value(3)) return g[3];
  const Value& source = g.value(3);
  const size_t rank = source->shape.size();
  if (rank == 0 || source->shape == g.in(2).shape) return source;
  return slice_view(source, Dims(rank, 0), g.in(2).shape, Dims(rank, 1));
}

void grad_scatter_elements(GradCall& g) {
  const Arg& axis = g[1];
  const Arg& index = g[2];
  const Places places{[&](const Value& whole) { return gather_elements(whole, axis, index); },
                      [&](const Value& whole, const Arg& value, const char* reduction) {
                        return scatter_elements(whole, axis, index, value, reduction);
                      }};
  const UpdateGradients found = update_gradients(g, g.text(4), read_source(g), places);
  g.set(0, found.input);
  if (g.is_value(3)) set_source(g, found.value);
}

/// A copy of the input with updates at coordinates: int32 or int64 ones, and updates of the input's dtype.
Value scatter_copy(const Call& call) {
  const DType coordinates = call.in(1).dtype;
  if (coordinates != DType::kInt32 && coordinates != DType::kInt64)
    type_error(call.op(), ": indices have dtype ", coordinates, "; accepted are Int32 and Int64");
  if (call.is_value(2) && call.in(2).dtype != call.in(0).dtype) {
    type_error(call.op(), ": updates have dtype ", call.in(2).dtype, " and the input has ", call.in(0).dtype,
               "; both must be the same");
  }
  return index_update(call.value(0), index_columns(call.op(), call.value(1), call.in(0).rank()), call[2],
                      call[3]);
}

}  // namespace

DYAD_OP(
    "scatter_elements(input: Tensor, axis: int, index: Tensor, src: Operand, reduction: str='none') -> "
    "Tensor")
    .doc("Scatter of elements along an axis into a copy of `input`. ∘ is `reduction`.")
    .formula("out[index[i, j, k], j, k] = src[i, j, k]", "axis=0, reduction='none'")
    .formula("out[index[i, j, k], j, k] ∘= src[i, j, k]", "axis=0, other reductions")
    .arg("input", "any dtype, at least one dimension.")
    .arg("axis", "axis of the indices.")
    .arg("index", "integers with as many dimensions as `input`.")
    .arg("src", "a number or a tensor at least as large as `index`.")
    .arg("reduction", "'none' (replace), 'add', 'sub', 'mul', 'div', 'max' or 'min'.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.gather_elements, ops.tensor_scatter_elements")
    .hidden()
    .function("scatter(input, axis, index, src, reduction='none')")
    .function("tensor_scatter_elements(input_x:input, indices:index, updates:src, axis=0, reduction='none')")
    .method("scatter(axis, index, src, reduction='none')")
    .method("scatter_add(dim:axis, index, src, reduction='add')")
    .primitive("TensorScatterElements(axis=0, reduction='none')(data:input, indices:index, updates:src)")
    .primitive("ScatterAddWithAxis(axis=0, reduction='add')(input_x:input, indices:index, update:src)")
    .alias("dim", "axis")
    .alias("value", "src")
    .alias("reduce", "reduction")
    .infer(infer_scatter_elements)
    .grad(grad_scatter_elements)
    .batch(batch::along<1>)
    .cost(1)
    .numpy("ref.scatter_elements(input, axis, index, src, reduction)")
    .samples("call(T(4, 3), 0, V([[1, 0, 2], [3, 2, 0]], 'int64'), T(2, 3), dtypes='all')",
             "call(T(2, 4), 1, I(2, 3), T(2, 3), 'add', dtypes='numeric')",
             "call(T(2, 4), -1, I(1, 3), T(2, 5), 'sub')", "call(T(4), 0, V([2, 0], 'int64'), T(2), 'mul')",
             "call(T(4), 0, V([2, 2, 0], 'int64'), V([2.0, 0.0, 3.0, 1.0], 'float32'), 'mul')",
             "call(T(4), 0, V([2, 2, 0], 'int64'), T(3))",
             "call(T(4), 0, V([2, 2, 0], 'int64'), T(3), 'max')",
             "call(T(4), 0, V([2, 0], 'int64'), T(2, lo=1), 'div')",
             "call(T(4), 0, V([2, 0], 'int64'), T(2), 'max')",
             "call(T(4), 0, V([2, 0], 'int64'), T(2), 'min')", "call(T(4, 3), 0, I(2, 3), 1.5)",
             "call(T(4, 3), 0, I(0, 3), T(0, 3))")
    .rejects("ops.scatter(ones(3), 0, Tensor(np.array([3])), ones(1))", "IndexError",
             "index 3 is out of range")
    .rejects("ops.scatter(ones(3), 0, ints(2), ones(1))", "ValueError", "src must cover it")
    .rejects("ops.scatter(ints(3), 0, ints(2), ones(2))", "TypeError",
             "a Float32 value does not fit in an Int64 variable")
    .rejects("ops.tensor_scatter_elements(ones(3), ints(2), ones(2), 0, 'mean')", "ValueError",
             "reduction is 'mean'");

DYAD_OP(
    "scatter_elements_into(input: Tensor, axis: int, index: Tensor, src: Operand, reduction: str='none') -> "
    "Tensor")
    .doc("In-place scatter of elements along an axis. ∘ is `reduction`.")
    .formula("input[index[i, j, k], j, k] = src[i, j, k]", "axis=0, reduction='none'")
    .formula("input[index[i, j, k], j, k] ∘= src[i, j, k]", "axis=0, other reductions")
    .arg("input", "any dtype, at least one dimension; changed.")
    .arg("axis", "axis of the indices.")
    .arg("index", "integers with as many dimensions as `input`.")
    .arg("src", "a number or a tensor at least as large as `index`.")
    .arg("reduction", "'none' (replace), 'add', 'sub', 'mul', 'div', 'max' or 'min'.")
    .returns("`input`.")
    .see("ops.gather_elements")
    .hidden()
    .method("scatter_(dim:axis, index, src, reduction='none')")
    .method("scatter_add_(dim:axis, index, src, reduction='add')")
    .alias("value", "src")
    .alias("reduce", "reduction")
    .writes(0)
    .infer(infer_scatter_elements)
    .grad(grad_scatter_elements)
    .cost(1)
    .numpy("ref.scatter_elements(input, axis, index, src, reduction)")
    .samples("call(T(4, 3), 0, V([[1, 0, 2], [3, 2, 0]], 'int64'), T(2, 3), dtypes='all')")
    .rejects("ones(3).scatter_(0, ints(2), ones(1))", "ValueError", "src must cover it");

DYAD_OP("tensor_scatter(input: Tensor, indices: Tensor, updates: Operand, reduction: str='none') -> Tensor")
    .doc("Scatter of slices by coordinates into a copy of `input`. ∘ is `reduction`.")
    .formula("out[indices[i…, 0], …, indices[i…, k − 1]] = updates[i…]", "reduction='none'")
    .formula("out[indices[i…, 0], …, indices[i…, k − 1]] ∘= updates[i…]", "other reductions")
    .arg("input", "any dtype, at least one dimension.")
    .arg("indices", "integers of shape (…, k).")
    .arg("updates", "of shape indices.shape[:-1] + input.shape[k:].")
    .arg("reduction", "'none' (replace), 'add', 'sub', 'mul', 'div', 'max' or 'min'.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.gather_nd, ops.scatter_nd")
    .hidden()
    .function("tensor_scatter_update(input_x:input, indices, updates, reduction='none')")
    .function("tensor_scatter_add(input_x:input, indices, updates, reduction='add')")
    .function("tensor_scatter_sub(input_x:input, indices, updates, reduction='sub')")
    .function("tensor_scatter_mul(input_x:input, indices, updates, reduction='mul')")
    .function("tensor_scatter_div(input_x:input, indices, updates, reduction='div')")
    .function("tensor_scatter_max(input_x:input, indices, updates, reduction='max')")
    .function("tensor_scatter_min(input_x:input, indices, updates, reduction='min')")
    .method("scatter_sub(indices, updates, reduction='sub')")
    .method("scatter_mul(indices, updates, reduction='mul')")
    .method("scatter_div(indices, updates, reduction='div')")
    .method("scatter_max(indices, updates, reduction='max')")
    .method("scatter_min(indices, updates, reduction='min')")
    .method("tensor_scatter_update(indices, updates, reduction='none')")
    .method("tensor_scatter_add(indices, updates, reduction='add')")
    .further_method("scatter_add(indices, updates, reduction='add')")
    .primitive("TensorScatterUpdate(reduction='none')(input_x:input, indices, updates)")
    .primitive("TensorScatterAdd(reduction='add')(input_x:input, indices, updates)")
    .primitive("TensorScatterSub(reduction='sub')(input_x:input, indices, updates)")
    .primitive("TensorScatterMul(reduction='mul')(input_x:input, indices, updates)")
    .primitive("TensorScatterDiv(reduction='div')(input_x:input, indices, updates)")
    .primitive("TensorScatterMax(reduction='max')(input_x:input, indices, updates)")
    .primitive("TensorScatterMin(reduction='min')(input_x:input, indices, updates)")
    .primitive("ScatterNonAliasingAdd(reduction='add')(input_x:input, indices, updates)")
    .alias("input_x", "input")
    .compose([](const Call& call) { return scatter_copy(call); })
    .numpy("ref.tensor_scatter(input, indices, updates, reduction)")
    .samples("call(T(4, 3), V([[0, 1], [3, 2]], 'int64'), T(2, lo=1), dtypes='real')",
             "call(T(4, 3), I(5, 1), T(5, 3, lo=1), 'add', dtypes='real')",
             "call(T(4, 3), I(5, 1), T(5, 3), 'max')")
    .rejects("ops.tensor_scatter_add(ones(3), ints(2, 2), ones(2))", "ValueError", "hold 2 coordinates")
    .rejects("ops.tensor_scatter_add(ones(3), Tensor(np.array([[1]], 'int16')), ones(1))", "TypeError",
             "indices have dtype Int16; accepted are Int32 and Int64")
    .rejects("ops.tensor_scatter_add(ints(3), ints(1, 1), ones(1))", "TypeError",
             "updates have dtype Float32 and the input has Int64")
    .rejects("ops.tensor_scatter_add(ones(3), Tensor(np.array([[3]])), ones(1))", "IndexError",
             "index 3 is out of range");

DYAD_OP(
    "scatter_nd_into(input: Tensor, indices: Tensor, updates: Operand, reduction: str='none', use_locking: "
    "bool=False) -> "
    "Tensor")
    .doc("In-place scatter of slices by coordinates. ∘ is `reduction`.")
    .formula("input[indices[i…, 0], …, indices[i…, k − 1]] = updates[i…]", "reduction='none'")
    .formula("input[indices[i…, 0], …, indices[i…, k − 1]] ∘= updates[i…]", "other reductions")
    .arg("input", "any dtype, at least one dimension; changed.")
    .arg("indices", "integers of shape (…, k).")
    .arg("updates", "of shape indices.shape[:-1] + input.shape[k:].")
    .arg("reduction", "'none' (replace), 'add', 'sub', 'mul', 'div', 'max' or 'min'.")
    .returns("`input`.")
    .see("ops.gather_nd, ops.scatter_nd")
    .hidden()
    .function("scatter_nd_update(input_x:input, indices, updates, use_locking=True, reduction='none')")
    .function("scatter_nd_add(input_x:input, indices, updates, use_locking=False, reduction='add')")
    .function("scatter_nd_sub(input_x:input, indices, updates, use_locking=False, reduction='sub')")
    .function("scatter_nd_mul(input_x:input, indices, updates, use_locking=False, reduction='mul')")
    .function("scatter_nd_div(input_x:input, indices, updates, use_locking=False, reduction='div')")
    .function("scatter_nd_max(input_x:input, indices, updates, use_locking=False, reduction='max')")
    .function("scatter_nd_min(input_x:input, indices, updates, use_locking=False, reduction='min')")
    .primitive("ScatterNdUpdate(use_locking=True, reduction='none')(input_x:input, indices, updates)")
    .primitive("ScatterNdAdd(use_locking=False, reduction='add')(input_x:input, indices, updates)")
    .primitive("ScatterNdSub(use_locking=False, reduction='sub')(input_x:input, indices, updates)")
    .primitive("ScatterNdMul(use_locking=False, reduction='mul')(input_x:input, indices, updates)")
    .primitive("ScatterNdDiv(use_locking=False, reduction='div')(input_x:input, indices, updates)")
    .primitive("ScatterNdMax(use_locking=False, reduction='max')(input_x:input, indices, updates)")
    .primitive("ScatterNdMin(use_locking=False, reduction='min')(input_x:input, indices, updates)")
    .alias("input_x", "input")
    .writes(0)
    .compose([](const Call& call) {
      require_fit(call, 2, 0);
      return index_write(call.value(0), index_columns(call.op(), call.value(1), call.in(0).rank()), call[2],
                         call[3]);
    })
    .numpy("ref.tensor_scatter(input, indices, updates, reduction)")
    .samples("call(T(4, 3), V([[0, 1], [3, 2]], 'int64'), T(2))", "call(T(4, 3), I(5, 1), T(5, 3), 'add')")
    .rejects("ops.scatter_nd_add(ones(3), ints(2, 2), ones(2))", "ValueError", "hold 2 coordinates")
    .rejects("ops.scatter_nd_add(ints(3), ints(1, 1), ones(1))", "TypeError",
             "a Float32 value does not fit in an Int64 variable");

DYAD_OP(
    "scatter_into(input: Tensor, indices: Tensor, updates: Operand, reduction: str='none', use_locking: "
    "bool=False) -> "
    "Tensor")
    .doc("In-place scatter of slices along the first dimension. ∘ is `reduction`.")
    .formula("input[indices[i…]] = updates[i…]", "reduction='none'")
    .formula("input[indices[i…]] ∘= updates[i…]", "other reductions")
    .arg("input", "any dtype, at least one dimension; changed.")
    .arg("indices", "integers, any shape.")
    .arg("updates", "of shape indices.shape + input.shape[1:].")
    .arg("reduction", "'none' (replace), 'add', 'sub', 'mul', 'div', 'max' or 'min'.")
    .returns("`input`.")
    .see("ops.gather")
    .hidden()
    .function("scatter_update(input_x:input, indices, updates, reduction='none')")
    .function("scatter_add(input_x:input, indices, updates, reduction='add')")
    .function("scatter_sub(input_x:input, indices, updates, reduction='sub')")
    .function("scatter_mul(input_x:input, indices, updates, reduction='mul')")
    .function("scatter_div(input_x:input, indices, updates, reduction='div')")
    .function("scatter_max(input_x:input, indices, updates, reduction='max')")
    .function("scatter_min(input_x:input, indices, updates, reduction='min')")
    .primitive("ScatterUpdate(use_locking=True, reduction='none')(input_x:input, indices, updates)")
    .primitive("ScatterAdd(use_locking=False, reduction='add')(input_x:input, indices, updates)")
    .primitive("ScatterSub(use_locking=False, reduction='sub')(input_x:input, indices, updates)")
    .primitive("ScatterMul(use_locking=False, reduction='mul')(input_x:input, indices, updates)")
    .primitive("ScatterDiv(use_locking=False, reduction='div')(input_x:input, indices, updates)")
    .primitive("ScatterMax(use_locking=False, reduction='max')(input_x:input, indices, updates)")
    .primitive("ScatterMin(use_locking=False, reduction='min')(input_x:input, indices, updates)")
    .alias("input_x", "input")
    .writes(0)
    .compose([](const Call& call) {
      require_fit(call, 2, 0);
      return index_write(call.value(0), index_along(0, call.value(1)), call[2], call[3]);
    })
    .numpy("ref.index_update(input, [indices], updates, reduction)")
    .samples("call(T(4, 3), V([0, 3], 'int64'), T(2, 3))", "call(T(4, 3), I(5), T(5, 3), 'add')")
    .rejects("ops.scatter_add(ones(3), Tensor(np.array([3])), ones(1))", "IndexError",
             "index 3 is out of range")
    .rejects("ops.scatter_add(ints(3), ints(1), ones(1))", "TypeError",
             "a Float32 value does not fit in an Int64 variable");

DYAD_OP("scatter_nd(indices: Tensor, updates: Tensor, shape: ints) -> Tensor")
    .doc("Scatter of slices by coordinates into zeros. Repeated coordinates add up.")
    .formula("out[q…] = Σ updates[i…] over i with indices[i…] = q")
    .arg("indices", "integers of shape (…, k).")
    .arg("updates", "of shape indices.shape[:-1] + shape[k:].")
    .arg("shape", "shape of the result.")
    .returns("Tensor of shape `shape` with the dtype of `updates`.")
    .see("ops.gather_nd")
    .primitive("ScatterNd()(indices, updates, shape)")
    .compose([](const Call& call) {
      const Dims& shape = call.dims(2);
      return embed_index(call.value(1), shape,
                         index_columns(call.op(), call.value(0), static_cast<int64_t>(shape.size())));
    })
    .numpy("ref.tensor_scatter(np.zeros(shape, updates.dtype), indices, updates, 'add')")
    .samples("call(I(5, 1), T(5, 3), (4, 3), dtypes='numeric')", "call(I(5, 2), T(5), (4, 4))")
    .rejects("ops.scatter_nd(ints(2, 2), ones(2), (3,))", "ValueError", "hold 2 coordinates");

DYAD_OP("unsorted_segment_sum(input: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor")
    .doc("Segment sum: sums of the slices with the same segment id. Negative ids are left out.")
    .formula("out[s] = Σ input[i…] over i with segment_ids[i…] = s")
    .arg("input", "numbers, at least one dimension.")
    .arg("segment_ids", "integers whose shape is the first dimensions of `input`, below `num_segments`.")
    .arg("num_segments", "number of results, ≥ 1.")
    .returns("Tensor of shape (num_segments, *input.shape[segment_ids.ndim:]).")
    .see("ops.unsorted_segment_max, ops.unsorted_segment_prod")
    .function("unsorted_segment_sum(input_x:input, segment_ids, num_segments)")
    .primitive("UnsortedSegmentSum()(input_x:input, segment_ids, num_segments)")
    .compose([](const Call& call) {
      const Value& input = call.value(0);
      const Value& ids = call.value(1);
      const int64_t count = call.integer(2);
      if (count < 1) value_error(call.op(), ": num_segments is ", count, "; it must be 1 or more");
      if (ids->rank() > input->rank()) {
        value_error(call.op(), ": segment_ids have shape ", ids->shape,
                    "; it must begin the shape of input, ", input->shape);
      }
      Shape shape{Dim(count) + Dim(1)};
      for (int64_t d = ids->rank(); d < input->rank(); ++d)
        shape.push_back(input->shape[static_cast<size_t>(d)]);
      Value sums = embed_index(input, shape, index_along(0, where(less(ids, 0), count, ids)));
      return slice_view(sums, Dims{0}, Dims{count}, Dims{1});
    })
    .numpy("ref.unsorted_segment_sum(input, segment_ids, num_segments)")
    .samples("call(T(5, 3), I(5), 4)", "call(T(2, 3), I(2, 3), 4)", "call(T(3), V([0, -1, 1], 'int64'), 2)")
    .rejects("ops.unsorted_segment_sum(ones(3), ints(3), 0)", "ValueError", "num_segments is 0");

}  // namespace dyad
