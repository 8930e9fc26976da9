#include "tensor/truth.h"

#include "base/error.h"

namespace dyad {

void refuse_truth(const Shape& shape) {
  const char* elements = numel(shape) == 0 ? "no" : "more than one";
  value_error("bool: The truth value of an array with ", elements,
              " element is ambiguous. Use any() or all() of the tensor of shape ", shape);
}

}  // namespace dyad
