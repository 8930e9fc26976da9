#include "types/dim_symbols.h"

namespace dyad {

void add_symbols(Dim dim, std::vector<Dim>& symbols) {
  if (dim.known()) return;
  const DimParts parts = parts_of(dim);
  if (parts.kind == DimParts::Kind::kNamed) {
    symbols.push_back(dim);
  } else {
    add_symbols(parts.left, symbols);
    add_symbols(parts.right, symbols);
  }
}

}  // namespace dyad
