#pragma once

#include "base/error.h"
#include "base/intrusive.h"
#include "tensor/storage.h"
#include "types/scalar.h"
#include "types/value.h"

namespace dyad {

/// A value whose data exists: a strided window on a storage. Several tensors may look at one storage (views).
class TensorImpl final : public ValueImpl {
 public:
  Ref<Storage> storage;
  /// What differentiation knows of this tensor; empty for one that nothing was recorded for.
  Ref<RefCounted> autograd_meta;
  /// Of a symbolic tensor: which part of its storage it shows; empty for all of it.
  Ref<RefCounted> window;

  Builder& builder() const override;
  /// The builder that runs operators at once; eager dispatch announces itself here.
  static void set_builder(Builder* builder);

  static void* operator new(size_t bytes);
  static void operator delete(void* block, size_t bytes);
};

using Tensor = Ref<TensorImpl>;

/// A tensor with memory that is not initialised. Sizes that overflow or exceed memory raise.
Tensor empty(DType dtype, const Shape& shape, Device device = {});
/// A window on `base`'s memory, `offset` elements after its first element.
Tensor make_view(const TensorImpl& base, DType dtype, const Shape& shape, const Strides& strides,
                 int64_t offset);
/// Another tensor over the whole of `base`, without a history.
Tensor alias_of(const TensorImpl& base);
/// A tensor over borrowed memory.
Tensor borrow(void* data, size_t bytes, bool writable, DType dtype, const Shape& shape,
              const Strides& strides, Storage::Release release, Device device = {});
/// Gives a tensor without memory its shape and memory.
void allocate_into(ValueImpl& tensor, const Shape& shape);
/// The tensor behind a value; a node of a graph has none, which is an internal error.
TensorImpl& as_tensor(const Value& value);
/// Raises a capture error, in the name of `reader`, unless the elements are known now.
void require_data(std::string_view reader, const ValueImpl& tensor,
                  BreakKind break_kind = BreakKind::kCondition);
/// The only element.
Scalar item(const ValueImpl& tensor, std::string_view reader = "item");
/// Whether two tensors may touch the same bytes.
bool may_overlap(const TensorImpl& a, const TensorImpl& b);
/// Whether elements of one tensor lie at the same place, as those of a broadcast view do.
bool elements_coincide(const TensorImpl& tensor);

}  // namespace dyad
