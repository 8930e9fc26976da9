#pragma once

#include <span>
#include <vector>

#include "types/shape.h"

namespace dyad::plan {

/// The symbols of a function, numbered, and what they are while it runs.
class SymbolTable {
 public:
  /// The number of a symbol, which is added if it is new.
  uint32_t add(Dim symbol);
  /// Adds every symbol of an expression.
  void add_all(Dim expression);
  /// The number of a symbol, or -1.
  int find(Dim symbol) const;
  const std::vector<Dim>& all() const { return symbols_; }

 private:
  std::vector<Dim> symbols_;
};

/// What a symbol is before it is bound.
inline constexpr int64_t kUnbound = INT64_MIN;

/// A size over numbered symbols, ready to be computed.
class DimExpression {
 public:
  DimExpression(Dim dim, const SymbolTable& symbols);
  /// Its value; a symbol that is not bound is an internal error that names it.
  int64_t evaluate(std::span<const int64_t> symbols) const;

 private:
  /// Of a stack machine.
  struct Instruction {
    enum class Kind : uint8_t { kConstant, kSymbol, kAdd, kMul, kFloorDiv, kMax, kMin };
    Kind kind;
    int64_t operand = 0;  ///< the constant, or the number of the symbol
  };
  void append(Dim dim, const SymbolTable& symbols);

  Dim dim_;                                ///< for messages
  std::vector<Instruction> instructions_;  ///< operands come before their operation
};

}  // namespace dyad::plan
