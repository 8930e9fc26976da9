#include "ops/loss/arguments.h"

#include "base/error.h"
#include "ops/call.h"
#include "types/agreement.h"

namespace dyad::loss {

namespace {
DYAD_USE(sum, mean);
}  // namespace

void require_reduction(const Arguments& args, size_t reduction) {
  const std::string& word = args.text(reduction);
  if (word != "none" && word != "mean" && word != "sum") {
    value_error(args.op(), ": reduction is '", word, "'; accepted are 'none', 'mean' and 'sum'");
  }
}

Value reduce(const Call& call, const Value& loss, size_t reduction) {
  require_reduction(call, reduction);
  const std::string& word = call.text(reduction);
  if (word == "mean") return mean(loss);
  return word == "sum" ? sum(loss) : loss;
}

void require_broadcast(const Arguments& args, size_t a, size_t b) {
  broadcast(args.op(), args.in(a).shape, args.in(b).shape);
}

void require_same_shape(const Arguments& args, size_t a, size_t b) {
  if (!may_agree(args.in(a).shape, args.in(b).shape)) {
    value_error(args.op(), ": shapes ", args.in(a).shape, " and ", args.in(b).shape,
                " differ; they must be equal");
  }
}

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
