#include <numeric>

#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// One after the other; each has a random stream of its own.
void apply_all(const std::vector<TransformRef>& steps, Row& columns, const Random& random) {
  for (size_t i = 0; i < steps.size(); ++i) {
    Random own = random.part(i);
    steps[i]->apply(columns, own);
  }
}

TransformRef make_compose(const Attributes& attributes) {
  return of_row([steps = in_fewer_passes(attributes.transforms("transforms"))](Row& columns, Random& random) {
    apply_all(steps, columns, random);
  });
}

TransformRef make_random_apply(const Attributes& attributes) {
  return of_row([steps = in_fewer_passes(attributes.transforms("transforms")),
                 probability = attributes.number("probability")](Row& columns, Random& random) {
    if (random.chance(probability)) apply_all(steps, columns, random);
  });
}

TransformRef make_random_choice(const Attributes& attributes) {
  return of_row([steps = attributes.transforms("transforms")](Row& columns, Random& random) {
    const auto chosen = static_cast<size_t>(random.integer(0, static_cast<int64_t>(steps.size()) - 1));
    Random own = random.part(chosen);
    steps[chosen]->apply(columns, own);
  });
}

TransformRef make_random_order(const Attributes& attributes) {
  return of_row([steps = attributes.transforms("transforms")](Row& columns, Random& random) {
    std::vector<size_t> order(steps.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1],
                order[static_cast<size_t>(random.integer(0, static_cast<int64_t>(left) - 1))]);
    for (const size_t i : order) {
      Random own = random.part(i);
      steps[i]->apply(columns, own);
    }
  });
}

TransformRef make_duplicate(const Attributes&) {
  return of_row([](Row& columns, Random&) {
    if (columns.size() != 1)
      runtime_error("Duplicate: ", columns.size(), " columns were given; it takes one column");
    const Item copy = columns[0];
    columns.push_back(copy);
  });
}

DYAD_TRANSFORM(compose, make_compose);
DYAD_TRANSFORM(random_apply, make_random_apply);
DYAD_TRANSFORM(random_choice, make_random_choice);
DYAD_TRANSFORM(random_order, make_random_order);
DYAD_TRANSFORM(duplicate, make_duplicate);

}  // namespace

}  // namespace dyad::data
