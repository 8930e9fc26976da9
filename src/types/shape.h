#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/small_vector.h"

namespace dyad {

/// A dimension: an integer, or a symbol whose value is known only when the program runs. Arithmetic on
/// symbols builds expressions; equal expressions are the same symbol, so `==` decides whether two dimensions
/// are known to be equal.
class Dim {
 public:
  constexpr Dim() = default;
  /// Integers below the least that is not a symbol count as that: no size or axis is meant by them.
  constexpr Dim(int64_t value)
      : code_(value > kSymbols ? value : kSymbols + 1) {}  // NOLINT: an integer is a dimension
  /// The symbol of that name; the same name gives the same symbol.
  static Dim symbol(std::string_view name);
  /// A symbol unlike any other, for sizes that depend on data.
  static Dim fresh(std::string_view stem);

  constexpr bool known() const { return code_ > kSymbols; }
  /// Whether it is a symbol that was given a name: a symbolic dimension of an argument, which is 2 or more.
  bool open() const;
  /// The integer; what asks a symbol for it works in graphs of known sizes only, which is an error of its
  /// own.
  int64_t value() const {
    if (!known()) [[unlikely]]
      refuse_value();
    return code_;
  }
  constexpr bool operator==(const Dim&) const = default;

  friend Dim operator+(Dim a, Dim b);
  friend Dim operator-(Dim a, Dim b);
  friend Dim operator*(Dim a, Dim b);
  /// Rounds towards minus infinity.
  friend Dim floor_div(Dim a, Dim b);
  friend Dim max(Dim a, Dim b);
  friend Dim min(Dim a, Dim b);
  friend std::string to_text(Dim dim);

 private:
  static constexpr int64_t kSymbols = -(int64_t{1} << 62);
  [[noreturn]] void refuse_value() const;
  static Dim from_code(int64_t code) {
    Dim dim;
    dim.code_ = code;
    return dim;
  }
  friend struct SymbolTable;
  int64_t code_ = 0;
};
static_assert(sizeof(Dim) == sizeof(int64_t));

/// How a symbolic dimension is made: a symbol with a name, or an operation on two dimensions.
struct DimParts {
  enum class Kind : uint8_t { kNamed, kAdd, kMul, kFloorDiv, kMax, kMin };
  Kind kind;
  Dim left;
  Dim right;
};
/// Takes a symbolic dimension apart.
DimParts parts_of(Dim dim);

using Dims = SmallVector<Dim, 6>;
using Shape = Dims;
/// Distance in elements between neighbours along each dimension.
using Strides = SmallVector<int64_t, 6>;
using Ints = SmallVector<int64_t, 6>;

bool all_known(const Shape& shape);
/// Number of elements, the largest integer if there are more; every dimension must be known.
int64_t numel(const Shape& shape);
/// Number of elements, symbolic where a dimension is.
Dim size_of(const Shape& shape);
/// Strides of row-major order.
Strides contiguous_strides(const Shape& shape);
bool is_contiguous(const Shape& shape, const Strides& strides);
/// The known integers of a shape, for kernels.
inline const int64_t* sizes(const Shape& shape) { return reinterpret_cast<const int64_t*>(shape.data()); }

/// "(2, 3)", "(4,)", "()".
std::string to_text(const Shape& shape);
std::string to_text(const Strides& strides);

/// The shape both broadcast to. Error: `op: shapes (2, 3) and (4,) do not broadcast…`.
Shape broadcast(std::string_view op, const Shape& a, const Shape& b);
/// Whether `from` broadcasts to `to` without changing `to`.
bool broadcasts_to(const Shape& from, const Shape& to);
/// Strides that read a value of `from`/`strides` as if it had the shape `to`.
Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to);
/// `axis` counted from the front; out of range is an error naming the operator, the axis and what would do.
int64_t normalize_axis(std::string_view op, int64_t axis, int64_t rank, std::string_view what = "axis");

}  // namespace dyad
