#include "plan/dim_expression.h"

#include <algorithm>

#include "base/error.h"
#include "base/small_vector.h"

namespace dyad::plan {

uint32_t SymbolTable::add(Dim symbol) {
  const int found = find(symbol);
  if (found >= 0) return static_cast<uint32_t>(found);
  symbols_.push_back(symbol);
  return static_cast<uint32_t>(symbols_.size() - 1);
}

void SymbolTable::add_all(Dim expression) {
  if (expression.known()) return;
  const DimParts parts = parts_of(expression);
  if (parts.kind == DimParts::Kind::kNamed) {
    add(expression);
  } else {
    add_all(parts.left);
    add_all(parts.right);
  }
}

int SymbolTable::find(Dim symbol) const {
  const auto found = std::find(symbols_.begin(), symbols_.end(), symbol);
  return found == symbols_.end() ? -1 : static_cast<int>(found - symbols_.begin());
}

DimExpression::DimExpression(Dim dim, const SymbolTable& symbols) : dim_(dim) { append(dim, symbols); }

void DimExpression::append(Dim dim, const SymbolTable& symbols) {
  using Kind = Instruction::Kind;
  if (dim.known()) {
    instructions_.push_back({Kind::kConstant, dim.value()});
    return;
  }
  const DimParts parts = parts_of(dim);
  if (parts.kind == DimParts::Kind::kNamed) {
    const int number = symbols.find(dim);
    DYAD_ASSERT(number >= 0);
    instructions_.push_back({Kind::kSymbol, number});
    return;
  }
  append(parts.left, symbols);
  append(parts.right, symbols);
  switch (parts.kind) {
    case DimParts::Kind::kAdd:
      return instructions_.push_back({Kind::kAdd});
    case DimParts::Kind::kMul:
      return instructions_.push_back({Kind::kMul});
    case DimParts::Kind::kFloorDiv:
      return instructions_.push_back({Kind::kFloorDiv});
    case DimParts::Kind::kMax:
      return instructions_.push_back({Kind::kMax});
    case DimParts::Kind::kMin:
    case DimParts::Kind::kNamed:
      return instructions_.push_back({Kind::kMin});
  }
}

int64_t DimExpression::evaluate(std::span<const int64_t> symbols) const {
  using Kind = Instruction::Kind;
  SmallVector<Dim, 8> stack;  // arithmetic on known dimensions saturates instead of wrapping around
  for (const Instruction& instruction : instructions_) {
    if (instruction.kind == Kind::kConstant) {
      stack.push_back(instruction.operand);
      continue;
    }
    if (instruction.kind == Kind::kSymbol) {
      const int64_t value = symbols[static_cast<size_t>(instruction.operand)];
      if (value == kUnbound) {
        raise(ErrorKind::kInternal,
              cat("internal error: the size ", dim_, " is used before the graph knows it"));
      }
      stack.push_back(value);
      continue;
    }
    const Dim right = stack.back();
    stack.pop_back();
    Dim& left = stack.back();
    switch (instruction.kind) {
      case Kind::kAdd:
        left = left + right;
        break;
      case Kind::kMul:
        left = left * right;
        break;
      case Kind::kFloorDiv:
        if (right == Dim(0)) raise(ErrorKind::kZeroDivision, "integer division or modulo by zero");
        left = floor_div(left, right);
        break;
      case Kind::kMax:
        left = max(left, right);
        break;
      default:
        left = min(left, right);
    }
  }
  return stack.back().value();
}

}  // namespace dyad::plan
