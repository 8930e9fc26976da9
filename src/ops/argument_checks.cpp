#include "ops/argument_checks.h"

#include "base/error.h"
#include "ops/call.h"
#include "types/promote.h"

namespace dyad {

namespace {

/// Bool, integer, float, complex: a value may be written into a tensor of its own kind or a later one.
int kind_rank(DType dtype) { return is_bool(dtype) ? 0 : is_int(dtype) ? 1 : is_float(dtype) ? 2 : 3; }

bool fits(std::string_view op, DType from, DType into) {
  if (is_int(from) && is_int(into)) return promote(op, into, from) == into;
  return kind_rank(from) <= kind_rank(into);
}

}  // namespace

void require_fit(const Arguments& args, size_t value, size_t into) {
  const DType wanted = args.in(into).dtype;
  const bool tensor = args.is_value(value);
  const DType given = tensor ? args.in(value).dtype : default_dtype(args.number(value));
  if (tensor ? fits(args.op(), given, wanted) : kind_rank(given) <= kind_rank(wanted)) return;
  type_error(args.op(), ": ", with_article(given), " value does not fit in ", with_article(wanted),
             " variable; cast the value first. Data type conversion is not supported for a 'Parameter'");
}

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
