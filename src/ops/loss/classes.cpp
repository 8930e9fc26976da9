#include "ops/loss/classes.h"

#include "base/error.h"
#include "types/agreement.h"

namespace dyad::loss {

Shape positions(const ValueImpl& input) {
  Shape shape = input.shape;
  shape.erase(static_cast<size_t>(class_axis(input)));
  return shape;
}

void require_class_axis(const Arguments& args, size_t input) {
  if (args.in(input).rank() == 0)
    value_error(args.op(), ": input has shape (); it must have at least one dimension of classes");
}

void require_class_indices(const Arguments& args, size_t input, size_t target) {
  require_class_axis(args, input);
  const Shape expected = positions(args.in(input));
  if (!may_agree(args.in(target).shape, expected)) {
    value_error(args.op(), ": input has shape ", args.in(input).shape, " and target ", args.in(target).shape,
                "; class indices must have shape ", expected);
  }
}

void require_class_weight(const Arguments& args, size_t input, size_t weight) {
  const ValueImpl& scores = args.in(input);
  const Dim classes = scores.shape[static_cast<size_t>(class_axis(scores))];
  if (args.has(weight) && !may_agree(args.in(weight).shape, Shape{classes})) {
    value_error(args.op(), ": weight has shape ", args.in(weight).shape,
                "; it must have one number for each of ", classes, " classes");
  }
}

}  // namespace dyad::loss
