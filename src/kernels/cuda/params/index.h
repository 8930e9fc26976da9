#pragma once

#include "kernels/cuda/params/strided.h"
#include "runtime/cuda/fault.h"

namespace dyad::cuda {

inline constexpr int kMostIndices = 8;

/// How a value that is written meets what is there; the order of kernels/cpu/reduction.h.
enum class Meeting : uint32_t { kNone, kAdd, kSub, kMul, kDiv, kMax, kMin };

/// Elements of a tensor that index tensors choose. Arrays of the index: 0 the chosen elements in order, 1 the
/// tensor they belong to, with strides where a dimension is taken whole, then the index tensors. An element
/// lies `step[k]` times the number that index k gives further on.
template <int indices>
struct IndexParams {
  void* chosen;
  void* indexed;
  uint32_t count;
  uint32_t indices_used;
  Meeting meeting;
  uint32_t is_number;  ///< what is written is `number`
  const int64_t* index[indices];
  int64_t size[indices];
  int64_t step[indices];
  Fault* fault;
  uint32_t ticket;
  StridedIndex<indices + 2> walk;
  alignas(16) char number[16];
};

using OneIndexParams = IndexParams<1>;
using ManyIndexParams = IndexParams<kMostIndices>;

}  // namespace dyad::cuda
