#include "ops/loss/reduction.h"

#include "base/error.h"
#include "ops/call.h"

namespace dyad::loss {

namespace {
DYAD_USE(sum)
DYAD_USE(mean)
}  // namespace

void require_reduction(const Call& call, size_t reduction) {
  const std::string& word = call.text(reduction);
  if (word != "none" && word != "mean" && word != "sum") {
    value_error(call.op(), ": reduction is '", word, "'; accepted are 'none', 'mean' and 'sum'");
  }
}

Value reduce(const Call& call, const Value& loss, size_t reduction) {
  require_reduction(call, reduction);
  const std::string& word = call.text(reduction);
  if (word == "mean") return mean(loss);
  return word == "sum" ? sum(loss) : loss;
}

void require_broadcast(const Call& call, size_t a, size_t b) {
  broadcast(call.op(), call.in(a).shape, call.in(b).shape);
}

void require_same_shape(const Call& call, size_t a, size_t b) {
  if (!(call.in(a).shape == call.in(b).shape)) {
    value_error(call.op(), ": shapes ", call.in(a).shape, " and ", call.in(b).shape,
                " differ; they must be equal");
  }
}

}  // namespace dyad::loss
