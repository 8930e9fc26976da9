#pragma once

// cuDNN's functions, and its constants as its documentation has them.

#include <cstddef>
#include <mutex>

#include "kernels/cuda/library.h"
#include "runtime/cuda/driver.h"
#include "types/dtype.h"

namespace dyad::cuda {

namespace dnn {

/// How elements are stored.
enum class Format : int { kFloat32 = 0, kFloat64 = 1, kFloat16 = 2, kBFloat16 = 9 };
/// Which units multiply: `kDefault` lets float32 go through TF32, `kFma` does not.
enum class Math : int { kDefault = 0, kTensorCores = 1, kFma = 3 };
inline constexpr int kChannelsFirst = 0;  ///< of filters
inline constexpr int kCrossCorrelation = 1;
inline constexpr int kDeterministic = 1;

using Handle = struct cudnnContext*;
using Tensor = struct cudnnTensorStruct*;
using Filter = struct cudnnFilterStruct*;
using Convolution = struct cudnnConvolutionStruct*;

/// What is known of an algorithm for a problem, the fastest first.
struct Candidate {
  int algorithm;
  int status;
  float milliseconds;
  size_t workspace;
  int determinism;
  Math math;
  int reserved[3];
};
static_assert(sizeof(Candidate) == 48);

// clang-format off
#define DYAD_CUDNN(entry) \
  entry(cudnnCreate, create, (Handle* handle)) \
  entry(cudnnSetStream, set_stream, (Handle handle, StreamHandle stream)) \
  entry(cudnnCreateTensorDescriptor, create_tensor, (Tensor* tensor)) \
  entry(cudnnDestroyTensorDescriptor, destroy_tensor, (Tensor tensor)) \
  entry(cudnnSetTensorNdDescriptor, set_tensor, \
        (Tensor tensor, int format, int rank, const int* sizes, const int* strides)) \
  entry(cudnnCreateFilterDescriptor, create_filter, (Filter* filter)) \
  entry(cudnnDestroyFilterDescriptor, destroy_filter, (Filter filter)) \
  entry(cudnnSetFilterNdDescriptor, set_filter, \
        (Filter filter, int format, int order, int rank, const int* sizes)) \
  entry(cudnnAddTensor, add_tensor, \
        (Handle handle, const void* alpha, Tensor a_layout, const void* a, const void* beta, \
         Tensor c_layout, void* c)) \
  entry(cudnnCreateConvolutionDescriptor, create_convolution, (Convolution* convolution)) \
  entry(cudnnDestroyConvolutionDescriptor, destroy_convolution, (Convolution convolution)) \
  entry(cudnnSetConvolutionNdDescriptor, set_convolution, \
        (Convolution convolution, int rank, const int* padding, const int* stride, const int* dilation, \
         int mode, int compute)) \
  entry(cudnnSetConvolutionMathType, set_math, (Convolution convolution, int math)) \
  entry(cudnnSetConvolutionGroupCount, set_groups, (Convolution convolution, int groups)) \
  entry(cudnnGetConvolutionForwardAlgorithm_v7, find_forward, \
        (Handle handle, Tensor x, Filter w, Convolution convolution, Tensor y, int wanted, int* count, \
         Candidate* found)) \
  entry(cudnnGetConvolutionForwardWorkspaceSize, forward_workspace, \
        (Handle handle, Tensor x, Filter w, Convolution convolution, Tensor y, int algorithm, size_t* bytes)) \
  entry(cudnnConvolutionForward, run_forward, \
        (Handle handle, const void* alpha, Tensor x_layout, const void* x, Filter w_layout, const void* w, \
         Convolution convolution, int algorithm, void* workspace, size_t bytes, const void* beta, \
         Tensor y_layout, void* y)) \
  entry(cudnnGetConvolutionBackwardDataAlgorithm_v7, find_input_gradient, \
        (Handle handle, Filter w, Tensor dy, Convolution convolution, Tensor dx, int wanted, int* count, \
         Candidate* found)) \
  entry(cudnnGetConvolutionBackwardDataWorkspaceSize, input_gradient_workspace, \
        (Handle handle, Filter w, Tensor dy, Convolution convolution, Tensor dx, int algorithm, \
         size_t* bytes)) \
  entry(cudnnConvolutionBackwardData, run_input_gradient, \
        (Handle handle, const void* alpha, Filter w_layout, const void* w, Tensor dy_layout, const void* dy, \
         Convolution convolution, int algorithm, void* workspace, size_t bytes, const void* beta, \
         Tensor dx_layout, void* dx)) \
  entry(cudnnGetConvolutionBackwardFilterAlgorithm_v7, find_weight_gradient, \
        (Handle handle, Tensor x, Tensor dy, Convolution convolution, Filter dw, int wanted, int* count, \
         Candidate* found)) \
  entry(cudnnGetConvolutionBackwardFilterWorkspaceSize, weight_gradient_workspace, \
        (Handle handle, Tensor x, Tensor dy, Convolution convolution, Filter dw, int algorithm, \
         size_t* bytes)) \
  entry(cudnnConvolutionBackwardFilter, run_weight_gradient, \
        (Handle handle, const void* alpha, Tensor x_layout, const void* x, Tensor dy_layout, const void* dy, \
         Convolution convolution, int algorithm, void* workspace, size_t bytes, const void* beta, \
         Filter dw_layout, void* dw))
// clang-format on

/// The functions of the library that are called.
struct Api : Library {
  DYAD_CUDNN(DYAD_LIBRARY_POINTER)
};

/// Raises unless the status is success.
void require(int status, std::string_view action);
Format format_of(DType dtype);

}  // namespace dnn

/// cuDNN, opened at the first call.
const dnn::Api& cudnn();

/// cuDNN's handle on a device, for one thread at a time, set to the current stream.
class CudnnLease {
 public:
  explicit CudnnLease(int device);
  dnn::Handle handle() const { return handle_; }

 private:
  std::unique_lock<std::mutex> lock_;
  dnn::Handle handle_;
};

}  // namespace dyad::cuda
