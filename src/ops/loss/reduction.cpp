#include "ops/loss/reduction.h"

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

}  // namespace dyad::loss
