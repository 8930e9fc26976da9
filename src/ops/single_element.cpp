#include "ops/single_element.h"

#include "base/error.h"
#include "ops/call.h"

namespace dyad {

Value single_element(const Call& call, size_t at, std::string_view name) {
  static const OpName reshape{"reshape"};
  const Value& element = call.value(at);
  if (element->rank() == 0) return element;
  for (Dim size : element->shape) {
    if (size.known() && size.value() != 1) {
      type_error(call.op(), ": ", name, " has shape ", element->shape,
                 "; it must be a number or a tensor of one element");
    }
  }
  return reshape(element, Dims{});
}

}  // namespace dyad
