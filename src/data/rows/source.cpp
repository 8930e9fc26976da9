#include "data/rows/source.h"

#include "base/error.h"

namespace dyad::data {

SourceTable& SourceTable::instance() {
  static SourceTable table;
  return table;
}

void SourceTable::add(std::string_view name, OpenSource open) {
  DYAD_ASSERT(entries_.emplace(name, open).second);
}

SourceRef SourceTable::open(std::string_view name, const Attributes& attributes) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) raise(ErrorKind::kInternal, cat("there is no source ", name));
  return found->second(attributes);
}

}  // namespace dyad::data
