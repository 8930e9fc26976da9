#include "types/shape.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "base/error.h"

namespace dyad {

/// Expressions over symbols, each kept once. Process-wide: a Dim is an index into it, so that shapes stay
/// plain integers to copy and compare.
struct SymbolTable {
  using Kind = DimParts::Kind;
  struct Expression {
    Kind kind;
    std::string name;
    int64_t a = 0;
    int64_t b = 0;
    bool operator<(const Expression& o) const {
      return std::tie(kind, name, a, b) < std::tie(o.kind, o.name, o.a, o.b);
    }
  };

  Dim intern(Expression expression) {
    std::lock_guard lock(guard);
    auto [at, added] = codes.try_emplace(expression, 0);
    if (added) {
      at->second = Dim::kSymbols - static_cast<int64_t>(all.size());
      all.push_back(std::move(expression));
    }
    return Dim::from_code(at->second);
  }
  Dim combine(Kind kind, Dim a, Dim b) {
    const bool commutes = kind != Kind::kFloorDiv;
    if (commutes && a.code_ > b.code_) std::swap(a, b);
    return intern({kind, "", a.code_, b.code_});
  }
  Expression expression(Dim dim) {
    std::lock_guard lock(guard);
    return all[static_cast<size_t>(Dim::kSymbols - dim.code_)];
  }
  DimParts parts(Dim dim) {
    const Expression e = expression(dim);
    return {e.kind, Dim::from_code(e.a), Dim::from_code(e.b)};
  }
  std::string text(Dim dim) {
    if (dim.known()) return std::to_string(dim.code_);
    Expression e = expression(dim);
    auto left = Dim::from_code(e.a);
    auto right = Dim::from_code(e.b);
    switch (e.kind) {
      case Kind::kNamed:
        return e.name;
      case Kind::kAdd:
        return cat("(", text(left), " + ", text(right), ")");
      case Kind::kMul:
        return cat("(", text(left), " * ", text(right), ")");
      case Kind::kFloorDiv:
        return cat("(", text(left), " // ", text(right), ")");
      case Kind::kMax:
        return cat("max(", text(left), ", ", text(right), ")");
      case Kind::kMin:
        return cat("min(", text(left), ", ", text(right), ")");
    }
    return "?";
  }

  std::mutex guard;
  std::map<Expression, int64_t> codes;
  std::vector<Expression> all;
  int64_t fresh = 0;
};

namespace {

SymbolTable& symbols() {
  static SymbolTable table;
  return table;
}

using Kind = SymbolTable::Kind;

// Sizes that a program asks for may be any integers. What is too large stays too large, so that the code that
// makes a tensor of it refuses; a sum that wrapped around would pass as a small size.
int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t product;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

template <class Container>
std::string tuple_text(const Container& items) {
  std::string out = "(";
  for (size_t i = 0; i < items.size(); ++i) out += cat(i ? ", " : "", items[i]);
  return out + (items.size() == 1 ? ",)" : ")");
}

}  // namespace

Dim Dim::symbol(std::string_view name) { return symbols().intern({Kind::kNamed, std::string(name)}); }

Dim Dim::fresh(std::string_view stem) {
  int64_t number;
  {
    std::lock_guard lock(symbols().guard);
    number = symbols().fresh++;
  }
  return symbol(cat(stem, "#", number));
}

bool Dim::open() const {
  return !known() && parts_of(*this).kind == Kind::kNamed && to_text(*this).find('#') == std::string::npos;
}

void Dim::refuse_value() const {
  raise(ErrorKind::kSymbolicDim, BreakKind::kCondition,
        {text::Part("the size "), text::Part(to_text(*this)),
         text::Part(" is known only when the graph runs")});
}

Dim operator+(Dim a, Dim b) {
  if (a.known() && b.known()) return Dim(saturating_add(a.code_, b.code_));
  if (a == Dim(0)) return b;
  if (b == Dim(0)) return a;
  return symbols().combine(Kind::kAdd, a, b);
}

Dim operator*(Dim a, Dim b) {
  if (a.known() && b.known()) return Dim(saturating_multiply(a.code_, b.code_));
  if (a == Dim(0) || b == Dim(0)) return 0;
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  return symbols().combine(Kind::kMul, a, b);
}

Dim operator-(Dim a, Dim b) {
  if (a.known() && b.known()) return Dim(saturating_add(a.code_, -b.code_));
  if (a == b) return 0;
  return a + Dim(-1) * b;
}

Dim floor_div(Dim a, Dim b) {
  if (a.known() && b.known()) {
    const int64_t quotient = a.code_ / b.code_;
    const bool inexact = a.code_ % b.code_ != 0;
    return Dim(quotient - (inexact && ((a.code_ < 0) != (b.code_ < 0)) ? 1 : 0));
  }
  if (b == Dim(1)) return a;
  if (a == b) return 1;
  return symbols().combine(Kind::kFloorDiv, a, b);
}

Dim max(Dim a, Dim b) {
  if (a.known() && b.known()) return Dim(std::max(a.code_, b.code_));
  return a == b ? a : symbols().combine(Kind::kMax, a, b);
}

Dim min(Dim a, Dim b) {
  if (a.known() && b.known()) return Dim(std::min(a.code_, b.code_));
  return a == b ? a : symbols().combine(Kind::kMin, a, b);
}

DimParts parts_of(Dim dim) {
  DYAD_ASSERT(!dim.known());
  return symbols().parts(dim);
}

std::string to_text(Dim dim) { return symbols().text(dim); }
std::string to_text(const Shape& shape) { return tuple_text(shape); }
std::string to_text(const Strides& strides) { return tuple_text(strides); }

bool all_known(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](Dim d) { return d.known(); });
}

int64_t numel(const Shape& shape) {
  int64_t count = 1;
  for (Dim d : shape) {
    if (__builtin_mul_overflow(count, d.value(), &count)) [[unlikely]] {
      return std::find(shape.begin(), shape.end(), Dim(0)) != shape.end() ? 0 : INT64_MAX;
    }
  }
  return count;
}

Dim size_of(const Shape& shape) {
  Dim count = 1;
  for (Dim d : shape) count = count * d;
  return count;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape.size(), 1);
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step = saturating_multiply(step, std::max<int64_t>(1, shape[i].value()));
  }
  return strides;
}

bool is_contiguous(const Shape& shape, const Strides& strides) {
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    const int64_t size = shape[i].value();
    if (size != 1 && strides[i] != step) {
      // Strides do not matter where there is no element.
      return std::find(shape.begin(), shape.end(), Dim(0)) != shape.end();
    }
    step *= size;
  }
  return true;
}

namespace {

/// Of two different symbolic dimensions either may turn out to be 1, unless it is a symbolic dimension of an
/// argument. The run checks that they are equal or one of them 1; of such, the larger one, or 0 if there is a
/// 0.
Dim broadcast_symbolic(Dim a, Dim b) {
  if (a.open()) return a;
  if (b.open()) return b;
  return max(a, b) * min(min(a, b), 1);
}

}  // namespace

Shape broadcast(std::string_view op, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Dim& out = result[lead + i];
    const Dim other = shorter[i];
    if (out == other || other == Dim(1)) continue;
    if (out == Dim(1)) {
      out = other;
    } else if (out.known() && other.known()) {
      value_error(op, ": shapes ", a, " and ", b, " do not broadcast: dimension ", out, " meets ", other,
                  ", sizes must be equal or one of them 1");
    } else if (!out.known() && other.known()) {
      out = other;  // the symbol must turn out to be this size or 1; the run checks it
    } else if (!out.known() && !other.known()) {
      out = broadcast_symbolic(out, other);
    }
  }
  return result;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[lead + i] || from[i] == Dim(1)) continue;
    if (from[i].known() && to[lead + i].known()) return false;
  }
  return true;
}

Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
  Strides result(to.size(), 0);
  const size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    result[lead + i] = from[i] == Dim(1) ? 0 : strides[i];
  }
  return result;
}

int64_t normalize_axis(std::string_view op, int64_t axis, int64_t rank, std::string_view what) {
  const int64_t span = std::max<int64_t>(rank, 1);  // a 0-d value accepts 0 and -1, as a 1-d one does
  if (axis < -span || axis >= span) {
    value_error(op, ": ", what, " ", axis, " is out of range for a tensor of ", rank,
                " dimensions; accepted are ", -span, " to ", span - 1);
  }
  return axis < 0 ? axis + span : axis;
}

}  // namespace dyad
