#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// Draws `count` different ones of the transforms, in their order; each is applied with probability a half.
TransformRef make_uniform_augment(const Attributes& attributes) {
  const std::vector<TransformRef> all = attributes.transforms("transforms");
  const auto count = attributes.integer("count");
  return of_row([all, count](Row& columns, Random& random) {
    int64_t wanted = count;
    auto left = static_cast<int64_t>(all.size());
    for (const TransformRef& transform : all) {
      const bool chosen = random.integer(0, left-- - 1) < wanted;
      if (!chosen) continue;
      --wanted;
      if (random.chance(0.5)) transform->apply(columns, random);
    }
  });
}

/// Draws one of the subpolicies; each of its transforms is applied with its probability. `ends` are the
/// positions in the one list of transforms where the subpolicies end.
TransformRef make_random_select_subpolicy(const Attributes& attributes) {
  const std::vector<TransformRef> all = attributes.transforms("transforms");
  const std::vector<double> chances = attributes.numbers("chances");
  const std::vector<int64_t> ends = attributes.integers("ends");
  DYAD_ASSERT(all.size() == chances.size() && !ends.empty() &&
              ends.back() == static_cast<int64_t>(all.size()));
  return of_row([all, chances, ends](Row& columns, Random& random) {
    const auto chosen = static_cast<size_t>(random.integer(0, static_cast<int64_t>(ends.size()) - 1));
    const int64_t begin = chosen == 0 ? 0 : ends[chosen - 1];
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(ends[chosen]); ++i)
      if (random.chance(chances[i])) all[i]->apply(columns, random);
  });
}

DYAD_TRANSFORM(uniform_augment, make_uniform_augment);
DYAD_TRANSFORM(random_select_subpolicy, make_random_select_subpolicy);

}  // namespace

}  // namespace dyad::data
