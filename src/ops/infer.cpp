#include "ops/infer.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::infer {

size_t operands(const Arguments& args) {
  size_t count = 0;
  while (count < args.size() && (args[count].get<Value>() || args[count].get<Scalar>())) ++count;
  return count;
}

void arithmetic(const Arguments& args, Results& results) {
  const size_t count = operands(args);
  results.add(operand_dtype(args, count), operand_shape(args, count));
}

void floating(const Arguments& args, Results& results) {
  const size_t count = operands(args);
  const DType dtype = operand_dtype(args, count);
  results.add(is_int(dtype) || is_bool(dtype) ? DType::kFloat32 : dtype, operand_shape(args, count));
}

void integral(const Arguments& args, Results& results) {
  const size_t count = operands(args);
  const DType dtype = operand_dtype(args, count);
  if (!is_int(dtype) && !is_bool(dtype)) {
    type_error(args.op(), ": operands meet in ", dtype, "; accepted are integer and bool tensors");
  }
  results.add(dtype, operand_shape(args, count));
}

void comparison(const Arguments& args, Results& results) {
  const size_t count = operands(args);
  operand_dtype(args, count);  // the operands must have a common type
  results.add(DType::kBool, operand_shape(args, count));
}

void logical(const Arguments& args, Results& results) {
  results.add(DType::kBool, operand_shape(args, operands(args)));
}

void same(const Arguments& args, Results& results) { results.add(args.in(0).dtype, args.in(0).shape); }

Ints axes(const Arguments& args, size_t at, int64_t rank) {
  Ints result;
  if (args.has(at)) {
    for (Dim d : args.dims(at)) result.push_back(normalize_axis(args.op(), d.value(), rank));
  }
  if (result.empty()) {
    for (int64_t i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  std::sort(result.begin(), result.end());
  for (size_t i = 1; i < result.size(); ++i) {
    if (result[i] == result[i - 1])
      value_error(args.op(), ": axis ", result[i], " is given twice in ", args.dims(at));
  }
  if (rank == 0) result.clear();
  return result;
}

Shape reduced(const Shape& shape, const Ints& axes, bool keepdims) {
  Shape result;
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (next < axes.size() && axes[next] == static_cast<int64_t>(i)) {
      ++next;
      if (keepdims) result.push_back(1);
    } else {
      result.push_back(shape[i]);
    }
  }
  return result;
}

void require_dtype(const Arguments& args, size_t at, bool accepted, std::string_view what) {
  if (!accepted)
    type_error(args.op(), ": the dtype ", args.in(at).dtype, " is not accepted; accepted are ", what);
}

Dim size(const Arguments& args, size_t at, std::string_view name) {
  const Dim size = args.dim(at);
  if (size.known() && size.value() < 0)
    value_error(args.op(), ": ", name, " is ", size.value(), "; it must be 0 or more");
  return size;
}

void require_rank(const Arguments& args, size_t at, int64_t rank, std::string_view what) {
  if (args.in(at).rank() != rank) {
    value_error(args.op(), ": ", what, " has shape ", args.in(at).shape, "; it must have ", rank,
                " dimensions");
  }
}

void require_like(const Arguments& args, size_t at, std::string_view name, const ValueImpl& other) {
  const Shape& shape = args.in(at).shape;
  bool fits = shape.size() == other.shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    fits = !shape[i].known() || !other.shape[i].known() || shape[i] == other.shape[i];
  }
  if (!fits)
    value_error(args.op(), ": ", name, " has shape ", shape, "; it must have the shape ", other.shape);
}

}  // namespace dyad::infer
