#include <algorithm>

#include "base/error.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// Two transforms, one after the other.
class InTurn final : public Transform {
 public:
  InTurn(TransformRef first, TransformRef second) : first_(std::move(first)), second_(std::move(second)) {}
  void apply(Row& columns, Random& random) const override {
    first_->apply(columns, random);
    second_->apply(columns, random);
  }

 private:
  TransformRef first_;
  TransformRef second_;
};

/// One transform for rows of arrays, another one for rows with an image of the host language in them.
class ArraysOrObjects final : public Transform {
 public:
  ArraysOrObjects(TransformRef arrays, TransformRef objects)
      : arrays_(std::move(arrays)), objects_(std::move(objects)) {}

  void apply(Row& columns, Random& random) const override {
    const bool hosted =
        std::any_of(columns.begin(), columns.end(), [](const Item& item) { return item.is_object(); });
    (hosted ? objects_ : arrays_)->apply(columns, random);
  }

  TransformRef followed_by(const Transform& next) const override {
    const auto* other = dynamic_cast<const ArraysOrObjects*>(&next);
    const TransformRef both = other ? arrays_->followed_by(*other->arrays_) : nullptr;
    if (!both) return nullptr;
    return std::make_shared<ArraysOrObjects>(both, std::make_shared<InTurn>(objects_, other->objects_));
  }

 private:
  TransformRef arrays_;
  TransformRef objects_;
};

TransformRef make_arrays_or_objects(const Attributes& attributes) {
  const std::vector<TransformRef> both = attributes.transforms("transforms");
  DYAD_ASSERT(both.size() == 2);
  return std::make_shared<ArraysOrObjects>(both[0], both[1]);
}

DYAD_TRANSFORM(arrays_or_objects, make_arrays_or_objects);

}  // namespace

}  // namespace dyad::data
