#pragma once

#include "ops/op.h"

namespace dyad {

/// A layout rule at work: a call in a graph some of whose tensors are there with their channels innermost in
/// memory, (images, sizes…, channels). Shapes are those of the default layout, (images, channels, sizes…).
/// A rule either returns false and leaves the graph as it is, or gives every result and returns true.
class LayoutCall : public Call {
 public:
  using Call::Call;
  virtual ~LayoutCall() = default;

  /// dtype and shape of a result.
  virtual const ValueImpl& result(size_t i) const = 0;
  /// Whether a tensor is there with its channels innermost already.
  virtual bool has_channels_last(const Value& value) const = 0;
  /// The tensor with its channels innermost, copied where it is not there so.
  virtual Value channels_last(const Value& value) = 0;
  /// Whether an operator that prefers this layout follows near the call.
  virtual bool leads_to_preferring() const = 0;
  /// What a result is, with its channels innermost or in the default layout.
  virtual void set_channels_last(size_t result, const Value& value) = 0;
  virtual void set(size_t result, const Value& value) = 0;
};

namespace layout {

/// The axes of a permutation that moves the channels to the end of `rank` dimensions, and back.
Dims channels_to_end(size_t rank);
Dims channels_to_front(size_t rank);
/// (images, channels, sizes…) as (images, sizes…, channels), and back.
Shape channels_last(const Shape& shape);
Shape channels_first(const Shape& shape);
/// The axis of the channels.
size_t channel_axis(const ValueImpl& tensor, bool channels_last);

/// Whether all floating tensors among the arguments are float32, for which there are kernels, and of known
/// shape.
bool is_float32(const Arguments& args);

/// The arguments with the first `tensors` of them, whose channels are last, described in the default layout.
std::vector<Arg> in_default_layout(const Arguments& args, size_t tensors);
/// Infers as `rule` does for the same arguments with the first `tensors` of them in the default layout, where
/// the attribute at `attribute` says that their channels are last.
void infer_channels_last(const Arguments& args, size_t attribute, size_t tensors, InferRule rule,
                         Results& results);

}  // namespace layout

}  // namespace dyad
