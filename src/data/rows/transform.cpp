#include "data/rows/transform.h"

#include "base/error.h"

namespace dyad::data {

namespace {

class OfOne final : public Transform {
 public:
  OfOne(std::string name, std::function<Item(const Item&, Random&)> function)
      : name_(std::move(name)), function_(std::move(function)) {}
  void apply(Row& columns, Random& random) const override {
    if (columns.size() != 1)
      runtime_error(name_, ": ", columns.size(), " columns were given; it takes one column");
    columns[0] = function_(columns[0], random);
  }

 private:
  std::string name_;
  std::function<Item(const Item&, Random&)> function_;
};

class OfEach final : public Transform {
 public:
  OfEach(std::string name, std::function<Item(const Item&, Random&)> function)
      : name_(std::move(name)), function_(std::move(function)) {}
  void apply(Row& columns, Random& random) const override {
    if (columns.empty()) runtime_error(name_, ": no column was given; it takes one or more");
    for (Item& item : columns) {
      Random same = random;
      item = function_(item, same);
    }
    random = random.part(0);
  }

 private:
  std::string name_;
  std::function<Item(const Item&, Random&)> function_;
};

class OfRow final : public Transform {
 public:
  explicit OfRow(std::function<void(Row&, Random&)> function) : function_(std::move(function)) {}
  void apply(Row& columns, Random& random) const override { function_(columns, random); }

 private:
  std::function<void(Row&, Random&)> function_;
};

}  // namespace

TransformRef Transform::followed_by(const Transform&) const { return nullptr; }

std::vector<TransformRef> in_fewer_passes(const std::vector<TransformRef>& transforms) {
  std::vector<TransformRef> fewer;
  for (const TransformRef& next : transforms) {
    const TransformRef both = fewer.empty() ? nullptr : fewer.back()->followed_by(*next);
    if (both)
      fewer.back() = both;
    else
      fewer.push_back(next);
  }
  return fewer;
}

TransformRef of_one(std::string name, std::function<Item(const Item&, Random&)> function) {
  return std::make_shared<OfOne>(std::move(name), std::move(function));
}

TransformRef of_each(std::string name, std::function<Item(const Item&, Random&)> function) {
  return std::make_shared<OfEach>(std::move(name), std::move(function));
}

TransformRef of_row(std::function<void(Row&, Random&)> function) {
  return std::make_shared<OfRow>(std::move(function));
}

TransformTable& TransformTable::instance() {
  static TransformTable table;
  return table;
}

void TransformTable::add(std::string_view name, MakeTransform make) {
  DYAD_ASSERT(entries_.emplace(name, make).second);
}

TransformRef TransformTable::make(std::string_view name, const Attributes& attributes) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) raise(ErrorKind::kInternal, cat("there is no transform ", name));
  return found->second(attributes);
}

std::vector<std::string> TransformTable::names() const {
  std::vector<std::string> names;
  for (const auto& [name, make] : entries_) names.push_back(name);
  return names;
}

}  // namespace dyad::data
