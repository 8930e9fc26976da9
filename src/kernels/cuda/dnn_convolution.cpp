#include "kernels/cuda/dnn_convolution.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/cuda/column_convolution.h"
#include "kernels/cuda/cudnn.h"
#include "kernels/cuda/measure.h"
#include "kernels/cuda/plan_key.h"
#include "runtime/context.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/precision.h"
#include "runtime/cuda/stream.h"

namespace dyad::cuda {

namespace {

using Direction = DnnConvolution::Direction;

constexpr size_t kMostTried = 4;  ///< algorithms of the library that are measured at the first use
constexpr int kMostCandidates = 10;
constexpr size_t kMostPlans = 4096;
/// Scratch of convolutions by products.
constexpr size_t kMostScratch = size_t{64} << 20;
/// What the cache keeps of the memory that measurements took.
constexpr int64_t kMostLeftBehind = int64_t{64} << 20;
/// The library counts the elements of a tensor in 32 bits.
constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();

using Key = PlanKey<27>;

Key key_of(const DnnConvolution& c) {
  Key key{{static_cast<int64_t>(c.direction), c.device, static_cast<int64_t>(c.dtype), c.spatial, c.groups,
           c.images, c.in_channels, c.out_channels,
           int64_t{allow_tf32().convolutions} << 1 | int64_t{Context::process().deterministic()}}};
  auto next = key.parts.begin() + 9;
  for (const int64_t* list : {c.in, c.kernel, c.out, c.padding, c.stride, c.dilation}) {
    next = std::copy_n(list, 3, next);
  }
  return key;
}

std::vector<int> as_ints(std::initializer_list<int64_t> first, const int64_t* rest, int count) {
  std::vector<int> ints;
  for (const int64_t size : first) ints.push_back(static_cast<int>(size));
  for (int i = 0; i < count; ++i) ints.push_back(static_cast<int>(rest[i]));
  return ints;
}

std::vector<int> row_major(const std::vector<int>& sizes) {
  std::vector<int> strides(sizes.size(), 1);
  for (size_t d = sizes.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * sizes[d + 1];
  return strides;
}

/// The factor of a result, or of what was there before, in the type that the library wants.
struct Factor {
  Factor(DType dtype, int value)
      : single(static_cast<float>(value)), wide(value), is_wide(dtype == DType::kFloat64) {}
  const void* at() const { return is_wide ? static_cast<const void*>(&wide) : &single; }
  float single;
  double wide;
  bool is_wide;
};

/// An algorithm of the library, or products, and the memory that it wants once that is known.
struct Choice {
  dnn::Candidate by{};
  bool by_products = false;
  size_t bytes = 0;
  bool sized = false;
};

/// The descriptions of a convolution's operands, and the algorithms that can compute it.
class Plan {
 public:
  Plan(const DnnConvolution& c, dnn::Handle handle) : limit_(workspace_limit(c.device)) {
    describe(c);
    search(c, handle);
    add_products(c);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    const dnn::Api& api = cudnn();
    for (dnn::Tensor tensor : {image_, positions_, bias_}) {
      if (tensor) api.destroy_tensor(tensor);
    }
    if (filters_) api.destroy_filter(filters_);
    if (convolution_) api.destroy_convolution(convolution_);
  }

  void run(const DnnConvolution& c, dnn::Handle handle, const DnnOperands& operands, bool accumulate) {
    if (!measured_ && !accumulate) measure(c, handle, operands);
    while (!candidates_.empty()) {
      const int status = attempt(candidates_.front(), c, handle, operands, accumulate);
      if (status == 0) return add_bias(c, handle, operands);
      if (candidates_.size() == 1) refuse_status("cuDNN", "a convolution", status);
      candidates_.erase(candidates_.begin());  // refused although it was proposed
    }
    refuse_status("cuDNN", "finding an algorithm for a convolution", 0, "there is none");
  }

 private:
  void describe(const DnnConvolution& c) {
    const dnn::Api& api = cudnn();
    const int format = static_cast<int>(dnn::format_of(c.dtype));
    const auto tensor = [&](dnn::Tensor& made, const std::vector<int>& sizes) {
      dnn::require(api.create_tensor(&made), "describing a tensor");
      dnn::require(
          api.set_tensor(made, format, static_cast<int>(sizes.size()), sizes.data(), row_major(sizes).data()),
          "describing a tensor");
    };
    constexpr int64_t kOnes[3] = {1, 1, 1};
    tensor(image_, as_ints({c.images, c.in_channels}, c.in, c.spatial));
    tensor(positions_, as_ints({c.images, c.out_channels}, c.out, c.spatial));
    tensor(bias_, as_ints({1, c.out_channels}, kOnes, c.spatial));
    const std::vector<int> filters = as_ints({c.out_channels, c.in_channels / c.groups}, c.kernel, c.spatial);
    dnn::require(api.create_filter(&filters_), "describing filters");
    dnn::require(api.set_filter(filters_, format, dnn::kChannelsFirst, static_cast<int>(filters.size()),
                                filters.data()),
                 "describing filters");
    const dnn::Format compute = c.dtype == DType::kFloat64 ? dnn::Format::kFloat64 : dnn::Format::kFloat32;
    dnn::require(api.create_convolution(&convolution_), "describing a convolution");
    dnn::require(api.set_convolution(convolution_, c.spatial, as_ints({}, c.padding, c.spatial).data(),
                                     as_ints({}, c.stride, c.spatial).data(),
                                     as_ints({}, c.dilation, c.spatial).data(), dnn::kCrossCorrelation,
                                     static_cast<int>(compute)),
                 "describing a convolution");
    dnn::require(api.set_groups(convolution_, static_cast<int>(c.groups)), "describing a convolution");
    dnn::require(api.set_math(convolution_, static_cast<int>(wanted_math(c.dtype))),
                 "describing a convolution");
  }

  static dnn::Math wanted_math(DType dtype) {
    if (is_narrow_float(dtype)) return dnn::Math::kTensorCores;
    return dtype == DType::kFloat32 && !allow_tf32().convolutions ? dnn::Math::kFma : dnn::Math::kDefault;
  }

  void search(const DnnConvolution& c, dnn::Handle handle) {
    const dnn::Api& api = cudnn();
    std::array<dnn::Candidate, kMostCandidates> found{};
    int count = 0;
    int status = 0;
    switch (c.direction) {
      case Direction::kForward:
        status = api.find_forward(handle, image_, filters_, convolution_, positions_, kMostCandidates, &count,
                                  found.data());
        break;
      case Direction::kInputGradient:
        status = api.find_input_gradient(handle, filters_, positions_, convolution_, image_, kMostCandidates,
                                         &count, found.data());
        break;
      case Direction::kWeightGradient:
        status = api.find_weight_gradient(handle, image_, positions_, convolution_, filters_, kMostCandidates,
                                          &count, found.data());
    }
    dnn::require(status, "finding an algorithm for a convolution");
    const bool ordered = Context::process().deterministic();
    for (int i = 0; i < count; ++i) {
      dnn::Candidate candidate = found[static_cast<size_t>(i)];
      if (candidate.status != 0 || (ordered && candidate.determinism != dnn::kDeterministic)) continue;
      if (wanted_math(c.dtype) == dnn::Math::kFma) candidate.math = dnn::Math::kFma;
      candidates_.push_back({candidate});
    }
    // Algorithms that need much memory are taken only where there is no other.
    std::stable_partition(candidates_.begin(), candidates_.end(),
                          [this](const Choice& choice) { return choice.by.workspace <= limit_; });
  }

  /// Products of small groups are of no use.
  void add_products(const DnnConvolution& c) {
    const auto bytes = static_cast<size_t>(product_scratch(c));
    if (c.groups > 1 || bytes > std::min(limit_, kMostScratch)) return;
    Choice choice;
    choice.by_products = true;
    choice.by.workspace = bytes;
    candidates_.push_back(choice);
  }

  /// Tries the algorithms that the library proposes first, and products, and puts the best in front: the
  /// library's own order is often far off. Where order matters to the last bit, that order stays.
  void measure(const DnnConvolution& c, dnn::Handle handle, const DnnOperands& operands) {
    measured_ = true;
    if (Context::process().deterministic() || candidates_.size() < 2) return;
    const int64_t reserved = memory_statistics(c.device).reserved;
    std::vector<Cost> costs;
    std::vector<size_t> ran;
    size_t tried = 0;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      Choice& choice = candidates_[i];
      const bool left_out = !choice.by_products && tried++ >= kMostTried;
      if (left_out || choice.by.workspace > limit_) continue;
      if (attempt(choice, c, handle, operands, false) != 0) continue;
      const auto turn = [&] { dnn::require(attempt(choice, c, handle, operands, false), "a convolution"); };
      costs.push_back({time_of_turn(c.device, turn), choice.by.workspace});
      ran.push_back(i);
    }
    if (ran.empty()) return;
    const auto best = candidates_.begin() + static_cast<std::ptrdiff_t>(ran[leanest_of_the_fast(costs)]);
    std::rotate(candidates_.begin(), best, best + 1);
    if (memory_statistics(c.device).reserved > reserved + kMostLeftBehind) empty_memory_cache(c.device);
  }

  int attempt(Choice& choice, const DnnConvolution& c, dnn::Handle handle, const DnnOperands& on,
              bool accumulate) {
    const dnn::Api& api = cudnn();
    const dnn::Candidate& by = choice.by;
    if (choice.by_products) {
      run_by_products(c, on, accumulate, static_cast<int64_t>(by.workspace));
      return 0;
    }
    if (math_ != by.math) {
      if (const int status = api.set_math(convolution_, static_cast<int>(by.math))) return status;
      math_ = by.math;
    }
    const Factor one(c.dtype, 1);
    const Factor kept(c.dtype, accumulate ? 1 : 0);
    if (!choice.sized) {  // asking takes the library longer than many a convolution
      if (const int status = workspace_bytes(by, c, handle, choice.bytes)) return status;
      choice.sized = true;
    }
    const size_t bytes = choice.bytes;
    const DeviceWorkspace memory(c.device, bytes);
    void* workspace = memory.as<void>();
    switch (c.direction) {
      case Direction::kForward:
        return api.run_forward(handle, one.at(), image_, on.image, filters_, on.filters, convolution_,
                               by.algorithm, workspace, bytes, kept.at(), positions_, on.positions);
      case Direction::kInputGradient:
        return api.run_input_gradient(handle, one.at(), filters_, on.filters, positions_, on.positions,
                                      convolution_, by.algorithm, workspace, bytes, kept.at(), image_,
                                      on.image);
      case Direction::kWeightGradient:
        return api.run_weight_gradient(handle, one.at(), image_, on.image, positions_, on.positions,
                                       convolution_, by.algorithm, workspace, bytes, kept.at(), filters_,
                                       on.filters);
    }
    return 0;
  }

  int workspace_bytes(const dnn::Candidate& by, const DnnConvolution& c, dnn::Handle handle,
                      size_t& bytes) const {
    const dnn::Api& api = cudnn();
    switch (c.direction) {
      case Direction::kForward:
        return api.forward_workspace(handle, image_, filters_, convolution_, positions_, by.algorithm,
                                     &bytes);
      case Direction::kInputGradient:
        return api.input_gradient_workspace(handle, filters_, positions_, convolution_, image_, by.algorithm,
                                            &bytes);
      case Direction::kWeightGradient:
        return api.weight_gradient_workspace(handle, image_, positions_, convolution_, filters_, by.algorithm,
                                             &bytes);
    }
    return 0;
  }

  void add_bias(const DnnConvolution& c, dnn::Handle handle, const DnnOperands& on) const {
    if (!on.bias) return;
    const Factor one(c.dtype, 1);
    dnn::require(cudnn().add_tensor(handle, one.at(), bias_, on.bias, one.at(), positions_, on.positions),
                 "adding a bias");
  }

  dnn::Tensor image_ = nullptr;
  dnn::Tensor positions_ = nullptr;
  dnn::Tensor bias_ = nullptr;
  dnn::Filter filters_ = nullptr;
  dnn::Convolution convolution_ = nullptr;
  std::optional<dnn::Math> math_;  ///< that the description asks for now
  std::vector<Choice> candidates_;
  size_t limit_;  ///< of a workspace
  bool measured_ = false;
};

/// Kept by each thread: descriptions are changed while they are used.
Plan& plan_of(const DnnConvolution& c, dnn::Handle handle) {
  thread_local std::unordered_map<Key, std::unique_ptr<Plan>, PlanKeyHash> plans;
  const Key key = key_of(c);
  if (const auto at = plans.find(key); at != plans.end()) return *at->second;
  if (plans.size() >= kMostPlans) plans.clear();
  return *plans.emplace(key, std::make_unique<Plan>(c, handle)).first->second;
}

}  // namespace

void run_by_cudnn(const DnnConvolution& convolution, const DnnOperands& operands) {
  const CudnnLease lease(convolution.device);
  const int64_t larger = std::max(convolution.image_elements(), convolution.position_elements());
  const int64_t at_once = std::max<int64_t>(kMostElements / std::max<int64_t>(larger, 1), 1);
  const bool sums = convolution.direction == Direction::kWeightGradient;
  const int64_t bytes = itemsize(convolution.dtype);
  for (int64_t first = 0; first < convolution.images; first += at_once) {
    DnnConvolution part = convolution;
    part.images = std::min(at_once, convolution.images - first);
    DnnOperands on = operands;
    on.image += first * convolution.image_elements() * bytes;
    on.positions += first * convolution.position_elements() * bytes;
    plan_of(part, lease.handle()).run(part, lease.handle(), on, sums && first > 0);
  }
}

}  // namespace dyad::cuda
