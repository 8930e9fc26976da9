#include "types/promote.h"

#include "base/error.h"

namespace dyad {

DType operand_dtype(const Arguments& args, size_t operands) {
  bool any = false;
  DType dtype = DType::kBool;
  for (size_t i = 0; i < operands; ++i) {
    if (!args.is_value(i)) continue;
    dtype = any ? promote(args.op(), dtype, args.in(i).dtype) : args.in(i).dtype;
    any = true;
  }
  for (size_t i = 0; i < operands; ++i) {
    const Scalar* number = args[i].get<Scalar>();
    if (!number) continue;
    dtype = any ? promote(args.op(), dtype, *number) : promote(args.op(), dtype, default_dtype(*number));
  }
  return dtype;
}

namespace {

bool holds(DType dtype, int64_t number) {
  if (itemsize(dtype) == 8) return true;
  const int64_t values = int64_t{1} << (8 * itemsize(dtype));
  const int64_t lowest = is_signed_int(dtype) ? -(values / 2) : 0;
  return number >= lowest && number < lowest + values;
}

}  // namespace

DType comparison_dtype(const Arguments& args, size_t operands) {
  const DType dtype = operand_dtype(args, operands);
  if (!is_int(dtype)) return dtype;
  for (size_t i = 0; i < operands; ++i) {
    const Scalar* number = args[i].get<Scalar>();
    if (number && !holds(dtype, number->to_int())) return DType::kInt64;
  }
  return dtype;
}

Shape operand_shape(const Arguments& args, size_t operands) {
  const Shape* only = nullptr;
  Shape shape;
  for (size_t i = 0; i < operands; ++i) {
    if (!args.is_value(i)) continue;
    const Shape& next = args.in(i).shape;
    if (!only) {
      only = &next;
      shape = next;
    } else if (!(shape == next)) {
      shape = broadcast(args.op(), shape, next);
    }
  }
  return shape;
}

}  // namespace dyad
