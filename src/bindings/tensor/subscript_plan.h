#pragma once

#include <optional>

#include "bindings/tensor/subscript_key.h"
#include "types/arg.h"

namespace dyad::python {

/// A position along a dimension, counted from the front; one outside of it is an IndexError.
int64_t place_in_dimension(int64_t position, Dim size, size_t dimension);

/// What a key does to a tensor: first views (positions, slices, new dimensions), then picking elements by
/// `indices`, an entry per remaining dimension (a mask stands for several), empty where all of it is taken.
class Plan {
 public:
  Plan(const Tensor& tensor, const Key& key);

  /// Dimensions of what the key chooses.
  int64_t rank() const;
  Tensor read() const;
  void write(Arg value) const;

 private:
  size_t count_left(const Key& key) const;
  void take_whole();
  void add_entry(Value indices);
  void new_axis();
  /// `...`: all of the next `count` dimensions. Standing for none, it still keeps the indices on its two
  /// sides apart, as it does in NumPy: a dimension of size 1 takes its place for a while.
  void skip(size_t count);
  void take(const KeyPart& part);
  void take_position(const KeyPart& part);
  void take_slice(const KeyPart& part);
  /// A slice whose bounds, or the size it is taken of, are known only when a graph runs.
  void take_open_slice(const KeyPart& part);
  void check_mask(const TensorImpl& mask) const;
  void make_view();
  /// The separator matters between two groups of indices only.
  void finish_separator();
  /// Separated indices put their dimensions first, then follow those that are taken whole.
  int64_t separator_in_result() const;

  Shape shape_;
  Tensor view_;
  bool advanced_ = false;
  bool sliced_ = false;
  size_t dimension_ = 0;  ///< next dimension of the tensor
  size_t axes_ = 0;       ///< dimensions of the view so far
  Ints selected_axes_, selected_dimensions_;
  Dims selected_places_;
  Dims starts_, stops_, steps_, new_axes_;
  ValueList indices_;
  int64_t rank_of_index_ = 0;
  std::optional<int64_t> separator_;  ///< entry of the dimension that stands for an empty `...`
  size_t separator_axis_ = 0;
  int64_t separated_after_ = 0;  ///< dimensions of the result behind the separator
};

}  // namespace dyad::python
