#pragma once

#include "data/rows/attributes.h"
#include "data/rows/item.h"

namespace dyad::data {

/// Rows by number. Any number of threads read at once.
class Source {
 public:
  virtual ~Source() = default;
  virtual int64_t size() const = 0;
  virtual Row read(int64_t index) const = 0;
  /// Several rows, stacked column by column: for sources that can put rows straight into the memory of a
  /// batch. False, with nothing done, where the rows must be read one by one.
  virtual bool read_stacked(const std::vector<int64_t>& /*indices*/, Row& /*columns*/) const { return false; }
  /// Names of the columns, in the order of the rows; empty where the front gives them.
  virtual std::vector<std::string> columns() const { return {}; }
  /// The class of each row, for samplers that count classes; empty where there are none.
  virtual std::vector<int64_t> classes() const { return {}; }
  /// Where a row comes from, for errors: the path of its file; empty where it has none of its own.
  virtual std::string origin(int64_t /*index*/) const { return {}; }
  /// How many rows each of its files has, in order; empty where rows are no parts of files.
  virtual std::vector<int64_t> rows_per_file() const { return {}; }
};
using SourceRef = std::shared_ptr<const Source>;

using OpenSource = SourceRef (*)(const Attributes& attributes);

/// Sources by name. Rooms add theirs while the library loads.
class SourceTable {
 public:
  static SourceTable& instance();
  void add(std::string_view name, OpenSource open);
  /// A name that is not there is a fault of ours.
  SourceRef open(std::string_view name, const Attributes& attributes) const;

 private:
  std::map<std::string, OpenSource, std::less<>> entries_;
};

/// Adds a source when a variable of this type is initialised, while the library loads.
struct RegisterSource {
  RegisterSource(std::string_view name, OpenSource open) { SourceTable::instance().add(name, open); }
};

}  // namespace dyad::data

/// Adds a source to the table: `DYAD_SOURCE(mnist, open_mnist);`
#define DYAD_SOURCE(name, open) \
  [[maybe_unused]] static const ::dyad::data::RegisterSource dyad_source_##name(#name, open)
