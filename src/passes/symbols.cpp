#include "passes/symbols.h"

#include "ops/number_operator.h"

namespace dyad::passes {

namespace {

void add_symbol(Dim dim, Symbols& symbols) {
  if (dim.known()) return;
  const DimParts parts = parts_of(dim);
  if (parts.kind == DimParts::Kind::kNamed) {
    symbols.insert(sizes(Shape{dim})[0]);
    return;
  }
  add_symbol(parts.left, symbols);
  add_symbol(parts.right, symbols);
}

}  // namespace

bool is_named(Dim dim) { return !dim.known() && parts_of(dim).kind == DimParts::Kind::kNamed; }

void add_symbols(const Dims& dims, Symbols& symbols) {
  for (const Dim dim : dims) add_symbol(dim, symbols);
}

void add_symbols(const ir::Node& node, Symbols& symbols) {
  for (const Arg& arg : node.args) {
    if (auto* dims = arg.get<Dims>()) add_symbols(*dims, symbols);
  }
  if (node.op && node.op == find_intrinsic("define_symbol"))
    add_symbol(Dim::symbol(*node.args[1].get<std::string>()), symbols);
  for (const auto& result : node.results) add_symbols(result->shape, symbols);
}

}  // namespace dyad::passes
