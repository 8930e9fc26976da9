// The functions of cuDNN that Dyad calls, as plain loops in the order of the stream.

#include "kernels/cuda/cudnn.h"

#include <vector>

#include "testing/emulated_cuda/libraries/queue.h"

using namespace dyad::cuda;
using namespace dyad::cuda::emulated;
using namespace dyad::cuda::dnn;

namespace dyad::cuda::dnn {
struct cudnnContext {
  StreamHandle stream = nullptr;
};
struct cudnnTensorStruct {
  int format = 0;
  std::vector<int> sizes;
};
struct cudnnFilterStruct {
  int format = 0;
  std::vector<int> sizes;
};
struct cudnnConvolutionStruct {
  std::vector<int> padding;
  std::vector<int> stride;
  std::vector<int> dilation;
  int groups = 1;
  int math = 0;
};
}  // namespace dyad::cuda::dnn

namespace {

constexpr size_t kWorkspace = 512;
constexpr int kAlgorithm = 1;

int number_format(int format) {
  switch (static_cast<Format>(format)) {
    case Format::kFloat16:
      return static_cast<int>(DataFormat::kFloat16);
    case Format::kBFloat16:
      return static_cast<int>(DataFormat::kBFloat16);
    case Format::kFloat32:
      return static_cast<int>(DataFormat::kFloat32);
    case Format::kFloat64:
      return static_cast<int>(DataFormat::kFloat64);
  }
  return -1;
}

double factor(int format, const void* at) {
  return static_cast<Format>(format) == Format::kFloat64 ? *static_cast<const double*>(at)
                                                         : *static_cast<const float*>(at);
}

/// A problem with three spatial dimensions.
struct Problem {
  int format;
  int groups;
  int64_t images, in_channels, out_channels;
  int64_t in[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t padding[3] = {}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};

  int64_t image_at(int64_t image, int64_t channel, const int64_t* p) const {
    return (((image * in_channels + channel) * in[0] + p[0]) * in[1] + p[1]) * in[2] + p[2];
  }
  int64_t filter_at(int64_t out_channel, int64_t channel, const int64_t* k) const {
    const int64_t of_group = in_channels / groups;
    return (((out_channel * of_group + channel) * kernel[0] + k[0]) * kernel[1] + k[1]) * kernel[2] + k[2];
  }
  int64_t position_at(int64_t image, int64_t channel, const int64_t* p) const {
    return (((image * out_channels + channel) * out[0] + p[0]) * out[1] + p[1]) * out[2] + p[2];
  }

  /// Calls `body(image place, filter place, position place)` for every product that there is.
  template <class Body>
  void for_each(const Body& body) const {
    int64_t o[3], k[3], p[3];
    for (int64_t image = 0; image < images; ++image) {
      for (int64_t oc = 0; oc < out_channels; ++oc) {
        const int64_t group = oc / (out_channels / groups);
        for (o[0] = 0; o[0] < out[0]; ++o[0])
          for (o[1] = 0; o[1] < out[1]; ++o[1])
            for (o[2] = 0; o[2] < out[2]; ++o[2])
              for (int64_t c = 0; c < in_channels / groups; ++c)
                for (k[0] = 0; k[0] < kernel[0]; ++k[0])
                  for (k[1] = 0; k[1] < kernel[1]; ++k[1])
                    for (k[2] = 0; k[2] < kernel[2]; ++k[2]) {
                      bool inside = true;
                      for (int d = 0; d < 3; ++d) {
                        p[d] = o[d] * stride[d] + k[d] * dilation[d] - padding[d];
                        inside = inside && p[d] >= 0 && p[d] < in[d];
                      }
                      if (!inside) continue;
                      body(image_at(image, group * (in_channels / groups) + c, p), filter_at(oc, c, k),
                           position_at(image, oc, o));
                    }
      }
    }
  }
};

/// False where the descriptions do not belong together.
bool describe(Tensor x, Filter w, Convolution c, Tensor y, Problem& problem) {
  const size_t rank = x->sizes.size();
  if (rank < 4 || rank > 5 || w->sizes.size() != rank || y->sizes.size() != rank) return false;
  if (c->padding.size() != rank - 2 || x->format != w->format || x->format != y->format) return false;
  problem.format = number_format(x->format);
  problem.groups = c->groups;
  problem.images = x->sizes[0];
  problem.in_channels = x->sizes[1];
  problem.out_channels = y->sizes[1];
  if (y->sizes[0] != x->sizes[0] || w->sizes[0] != y->sizes[1] || w->sizes[1] * c->groups != x->sizes[1])
    return false;
  for (size_t d = 0; d + 2 < rank; ++d) {
    problem.in[d] = x->sizes[d + 2];
    problem.kernel[d] = w->sizes[d + 2];
    problem.out[d] = y->sizes[d + 2];
    problem.padding[d] = c->padding[d];
    problem.stride[d] = c->stride[d];
    problem.dilation[d] = c->dilation[d];
    const int64_t reach = (problem.kernel[d] - 1) * problem.dilation[d] + 1;
    if (1 + (problem.in[d] + 2 * problem.padding[d] - reach) / problem.stride[d] != problem.out[d])
      return false;
  }
  return true;
}

int propose(bool fits, Convolution c, int wanted, int* count, Candidate* found) {
  *count = 0;
  if (!fits || wanted < 2) return kInvalid;
  // The first one is refused when it is run, as happens with the library.
  found[0] = {0, 0, 0.5f, kWorkspace, kDeterministic, static_cast<Math>(c->math), {}};
  found[1] = {kAlgorithm, 0, 1.0f, kWorkspace, kDeterministic, static_cast<Math>(c->math), {}};
  *count = 2;
  return kDone;
}

int room(int algorithm, size_t* bytes) {
  *bytes = kWorkspace;
  return algorithm == kAlgorithm || algorithm == 0 ? kDone : kInvalid;
}

/// One of the three directions: `pick(image, filter, position)` gives what is summed where.
template <class Pick>
int compute(Handle handle, const Problem& problem, int algorithm, void* workspace, size_t bytes, double alpha,
            double beta, int64_t elements, void* result, Pick pick) {
  constexpr int kNotSupported = 3000;
  if (algorithm != kAlgorithm) return kNotSupported;
  if (bytes < kWorkspace) return kInvalid;
  return enqueue(handle->stream, [=] {
    std::memset(workspace, 0x5a, bytes);
    std::vector<double> sums(static_cast<size_t>(elements), 0.0);
    problem.for_each([&](int64_t image, int64_t filter, int64_t position) {
      const auto [at, product] = pick(image, filter, position);
      sums[static_cast<size_t>(at)] += product;
    });
    for (int64_t i = 0; i < elements; ++i) {
      const double before = beta == 0 ? 0 : beta * load(problem.format, result, i).real();
      store(problem.format, result, i, alpha * sums[static_cast<size_t>(i)] + before);
    }
  });
}

int64_t count_of(const std::vector<int>& sizes) {
  int64_t count = 1;
  for (const int size : sizes) count *= size;
  return count;
}

}  // namespace

DYAD_LIBRARY_FUNCTION cudnnCreate(Handle* handle) {
  *handle = new cudnnContext;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnSetStream(Handle handle, StreamHandle stream) {
  handle->stream = stream;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnCreateTensorDescriptor(Tensor* tensor) {
  *tensor = new cudnnTensorStruct;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnDestroyTensorDescriptor(Tensor tensor) {
  delete tensor;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnSetTensorNdDescriptor(Tensor tensor, int format, int rank, const int* sizes,
                                                 const int* strides) {
  int step = 1;
  for (int d = rank - 1; d >= 0; --d) {
    if (sizes[d] <= 0 || strides[d] != step) return kInvalid;
    step *= sizes[d];
  }
  *tensor = {format, std::vector<int>(sizes, sizes + rank)};
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnCreateFilterDescriptor(Filter* filter) {
  *filter = new cudnnFilterStruct;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnDestroyFilterDescriptor(Filter filter) {
  delete filter;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnSetFilterNdDescriptor(Filter filter, int format, int order, int rank,
                                                 const int* sizes) {
  if (order != kChannelsFirst) return kInvalid;
  *filter = {format, std::vector<int>(sizes, sizes + rank)};
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnAddTensor(Handle handle, const void* alpha, Tensor a_layout, const void* a,
                                     const void* beta, Tensor c_layout, void* c) {
  const std::vector<int> sizes = c_layout->sizes;
  if (a_layout->sizes[1] != sizes[1] || count_of(a_layout->sizes) != sizes[1]) return kInvalid;
  const int format = number_format(c_layout->format);
  const double added = factor(c_layout->format, alpha);
  const double kept = factor(c_layout->format, beta);
  const int64_t plane = count_of(sizes) / sizes[0] / sizes[1];
  return enqueue(handle->stream, [=] {
    for (int64_t i = 0; i < count_of(sizes); ++i) {
      store(format, c, i, added * load(format, a, i / plane % sizes[1]) + kept * load(format, c, i));
    }
  });
}
DYAD_LIBRARY_FUNCTION cudnnCreateConvolutionDescriptor(Convolution* convolution) {
  *convolution = new cudnnConvolutionStruct;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnDestroyConvolutionDescriptor(Convolution convolution) {
  delete convolution;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnSetConvolutionNdDescriptor(Convolution convolution, int rank, const int* padding,
                                                      const int* stride, const int* dilation, int mode, int) {
  if (mode != kCrossCorrelation) return kInvalid;
  convolution->padding.assign(padding, padding + rank);
  convolution->stride.assign(stride, stride + rank);
  convolution->dilation.assign(dilation, dilation + rank);
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnSetConvolutionMathType(Convolution convolution, int math) {
  convolution->math = math;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnSetConvolutionGroupCount(Convolution convolution, int groups) {
  convolution->groups = groups;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cudnnGetConvolutionForwardAlgorithm_v7(Handle, Tensor x, Filter w, Convolution c,
                                                             Tensor y, int wanted, int* count,
                                                             Candidate* found) {
  Problem problem;
  return propose(describe(x, w, c, y, problem), c, wanted, count, found);
}
DYAD_LIBRARY_FUNCTION cudnnGetConvolutionForwardWorkspaceSize(Handle, Tensor, Filter, Convolution, Tensor,
                                                              int algorithm, size_t* bytes) {
  return room(algorithm, bytes);
}
DYAD_LIBRARY_FUNCTION cudnnConvolutionForward(Handle handle, const void* alpha, Tensor x_layout,
                                              const void* x, Filter w_layout, const void* w, Convolution c,
                                              int algorithm, void* workspace, size_t bytes, const void* beta,
                                              Tensor y_layout, void* y) {
  Problem p;
  if (!describe(x_layout, w_layout, c, y_layout, p)) return kInvalid;
  return compute(
      handle, p, algorithm, workspace, bytes, factor(x_layout->format, alpha), factor(x_layout->format, beta),
      count_of(y_layout->sizes), y, [=](int64_t image, int64_t filter, int64_t position) {
        return std::pair(position, load(p.format, x, image).real() * load(p.format, w, filter).real());
      });
}
DYAD_LIBRARY_FUNCTION cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle, Filter w, Tensor dy, Convolution c,
                                                                  Tensor dx, int wanted, int* count,
                                                                  Candidate* found) {
  Problem problem;
  return propose(describe(dx, w, c, dy, problem), c, wanted, count, found);
}
DYAD_LIBRARY_FUNCTION cudnnGetConvolutionBackwardDataWorkspaceSize(Handle, Filter, Tensor, Convolution,
                                                                   Tensor, int algorithm, size_t* bytes) {
  return room(algorithm, bytes);
}
DYAD_LIBRARY_FUNCTION cudnnConvolutionBackwardData(Handle handle, const void* alpha, Filter w_layout,
                                                   const void* w, Tensor dy_layout, const void* dy,
                                                   Convolution c, int algorithm, void* workspace,
                                                   size_t bytes, const void* beta, Tensor dx_layout,
                                                   void* dx) {
  Problem p;
  if (!describe(dx_layout, w_layout, c, dy_layout, p)) return kInvalid;
  return compute(handle, p, algorithm, workspace, bytes, factor(dx_layout->format, alpha),
                 factor(dx_layout->format, beta), count_of(dx_layout->sizes), dx,
                 [=](int64_t image, int64_t filter, int64_t position) {
                   return std::pair(image,
                                    load(p.format, dy, position).real() * load(p.format, w, filter).real());
                 });
}
DYAD_LIBRARY_FUNCTION cudnnGetConvolutionBackwardFilterAlgorithm_v7(Handle, Tensor x, Tensor dy,
                                                                    Convolution c, Filter dw, int wanted,
                                                                    int* count, Candidate* found) {
  Problem problem;
  return propose(describe(x, dw, c, dy, problem), c, wanted, count, found);
}
DYAD_LIBRARY_FUNCTION cudnnGetConvolutionBackwardFilterWorkspaceSize(Handle, Tensor, Tensor, Convolution,
                                                                     Filter, int algorithm, size_t* bytes) {
  return room(algorithm, bytes);
}
DYAD_LIBRARY_FUNCTION cudnnConvolutionBackwardFilter(Handle handle, const void* alpha, Tensor x_layout,
                                                     const void* x, Tensor dy_layout, const void* dy,
                                                     Convolution c, int algorithm, void* workspace,
                                                     size_t bytes, const void* beta, Filter dw_layout,
                                                     void* dw) {
  Problem p;
  if (!describe(x_layout, dw_layout, c, dy_layout, p)) return kInvalid;
  return compute(
      handle, p, algorithm, workspace, bytes, factor(x_layout->format, alpha), factor(x_layout->format, beta),
      count_of(dw_layout->sizes), dw, [=](int64_t image, int64_t filter, int64_t position) {
        return std::pair(filter, load(p.format, x, image).real() * load(p.format, dy, position).real());
      });
}

DYAD_CUDNN(DYAD_CHECK_LIBRARY)
