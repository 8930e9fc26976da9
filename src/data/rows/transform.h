#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "data/rows/attributes.h"
#include "data/rows/item.h"
#include "data/rows/random.h"

namespace dyad::data {

/// A function of columns that a `map` applies to every row. It has no state of its own: any number of threads
/// call it at once, and what is random in it comes from the row's numbers.
class Transform {
 public:
  virtual ~Transform() = default;
  /// Replaces the columns by what it makes of them; their number may change.
  virtual void apply(Row& columns, Random& random) const = 0;
  /// One transform that does this and then `next` in one pass over the data; null where there is none.
  virtual std::shared_ptr<const Transform> followed_by(const Transform& next) const;
};
using TransformRef = std::shared_ptr<const Transform>;

/// The same transforms in the same order, neighbours joined where one pass does what two did.
std::vector<TransformRef> in_fewer_passes(const std::vector<TransformRef>& transforms);

/// A transform of one column, in the name of the public class: any other number of columns is an error.
TransformRef of_one(std::string name, std::function<Item(const Item&, Random&)> function);
/// A transform that does the same to each of its columns, with the same random numbers.
TransformRef of_each(std::string name, std::function<Item(const Item&, Random&)> function);
/// A transform of all columns.
TransformRef of_row(std::function<void(Row&, Random&)> function);

using MakeTransform = TransformRef (*)(const Attributes& attributes);

/// Transforms by name. Rooms add theirs while the library loads.
class TransformTable {
 public:
  static TransformTable& instance();
  void add(std::string_view name, MakeTransform make);
  /// A name that is not there is a fault of ours.
  TransformRef make(std::string_view name, const Attributes& attributes) const;
  std::vector<std::string> names() const;

 private:
  std::map<std::string, MakeTransform, std::less<>> entries_;
};

/// Adds a transform when a variable of this type is initialised, while the library loads.
struct RegisterTransform {
  RegisterTransform(std::string_view name, MakeTransform make) { TransformTable::instance().add(name, make); }
};

}  // namespace dyad::data

/// Adds a transform to the table: `DYAD_TRANSFORM(normalize, make_normalize);`
#define DYAD_TRANSFORM(name, make) \
  [[maybe_unused]] static const ::dyad::data::RegisterTransform dyad_transform_##name(#name, make)
