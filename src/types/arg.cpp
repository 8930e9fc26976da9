#include "types/arg.h"

#include "base/error.h"

namespace dyad {

namespace {
const Value kNoValue;
}

const Value& Arguments::value(size_t i) const {
  const Value* found = args_[i].get<Value>();
  if (!found && has(i)) refuse(i);
  return found ? *found : kNoValue;
}

Dim Arguments::dim(size_t i) const {
  if (const Scalar* number = args_[i].get<Scalar>()) return number->to_int();
  const Dims& only = need<Dims>(i);
  if (only.size() != 1) refuse(i);
  return only[0];
}

void Arguments::refuse(size_t i) const {
  type_error(op_, ": argument ", i, " is ", args_[i], ", another kind was expected");
}

std::string to_text(const Arg& arg) {
  if (auto* value = arg.get<Value>())
    return cat(with_article((*value)->dtype), " Tensor of shape ", (*value)->shape);
  if (auto* number = arg.get<Scalar>()) return cat("the number ", *number);
  if (auto* dims = arg.get<Dims>()) return to_text(*dims);
  if (auto* dtype = arg.get<DType>()) return cat("the dtype ", *dtype);
  if (auto* text = arg.get<std::string>()) return cat("'", *text, "'");
  if (auto* list = arg.get<ValueList>()) return cat("a list of ", list->size(), " Tensors");
  if (auto* numbers = arg.get<Floats>()) return cat("a list of ", numbers->size(), " numbers");
  return "None";
}

}  // namespace dyad
