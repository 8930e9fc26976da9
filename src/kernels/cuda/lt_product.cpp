// The library stores matrices column by column. A result by rows is the transpose of one by columns, so that
// it is asked for c^T = b^T a^T: its first operand is b, its second one a, and what lies by rows is not
// transposed.

#include "kernels/cuda/lt_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/measure.h"
#include "kernels/cuda/plan_key.h"
#include "runtime/context.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/precision.h"
#include "runtime/cuda/stream.h"

namespace dyad::cuda {

namespace {

/// What NVIDIA recommends for its devices from Hopper on.
constexpr uint64_t kMostWorkspace = uint64_t{32} << 20;
/// Plans that a thread keeps.
constexpr size_t kMostPlans = 4096;
constexpr uint64_t kMostAlignment = 256;
/// Algorithms that are asked for where they are timed.
constexpr int kMostProposed = 8;
/// Results that leave a device idle unless long sums are split, for which the library's first proposal is
/// often far off.
constexpr int64_t kSmallResult = int64_t{1} << 18;
constexpr int64_t kLongSum = 512;

void require(int status, std::string_view action) {
  if (status != 0) [[unlikely]]
    refuse_status("cuBLASLt", action, status);
}

uint32_t alignment_of(const void* pointer) {
  const auto bits = reinterpret_cast<uint64_t>(pointer) | kMostAlignment;
  return static_cast<uint32_t>(bits & (~bits + 1));
}

using Key = PlanKey<16>;

Key key_of(const LtProducts& p) {
  int64_t flags = static_cast<int64_t>(p.dtype) << 8 | int64_t{p.a.by_rows} << 7 | int64_t{p.b.by_rows} << 6;
  flags |= int64_t{p.bias != nullptr} << 5 | int64_t{allow_tf32().products} << 4;
  flags |= int64_t{Context::process().deterministic()} << 3;
  const int64_t alignments = static_cast<int64_t>(alignment_of(p.a.data)) << 32 |
                             static_cast<int64_t>(alignment_of(p.b.data)) << 16 | alignment_of(p.c.data);
  return {{p.device, flags, p.m, p.n, p.k, p.count, p.a.leading, p.b.leading, p.c.leading, p.a.batch_stride,
           p.b.batch_stride, p.c.batch_stride, alignments}};
}

/// Descriptions of the operands and the algorithm that was chosen for them; of one thread, since the bias is
/// a part of the description.
class Plan {
 public:
  explicit Plan(const LtProducts& p) {
    const lt::Api& api = cublas_lt();
    describe(api, p);
    choose(api, p);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    const lt::Api& api = cublas_lt();
    for (lt::Matrix matrix : {first_, second_, result_}) {
      if (matrix) api.destroy_matrix(matrix);
    }
    if (product_) api.destroy_product(product_);
  }

  bool found() const { return !proposed_.empty(); }

  void run(const LtProducts& p) {
    if (proposed_.size() > 1 && !p.accumulate && worth_measuring(p)) measure(p);
    require(attempt(p, proposed_.front()), "a matrix product");
  }

 private:
  static bool worth_measuring(const LtProducts& p) {
    return p.measured || (p.k >= kLongSum && p.m * p.n * p.count <= kSmallResult);
  }

  int attempt(const LtProducts& p, const lt::Heuristic& by) const {
    const lt::Api& api = cublas_lt();
    if (p.bias) set_bias(api, p.bias);
    std::optional<DeviceWorkspace> workspace;
    if (by.workspace > 0) workspace.emplace(p.device, by.workspace);
    const Scale factor(p.dtype, p.factor);
    const Scale kept(p.dtype, p.accumulate ? 1 : 0);
    return api.multiply(cublas_lt_handle(p.device), product_, factor.bytes, p.b.data, first_, p.a.data,
                        second_, kept.bytes, p.c.data, result_, const_cast<void*>(p.c.data), result_,
                        &by.algorithm, workspace ? workspace->as<void>() : nullptr, by.workspace,
                        current_stream(p.device));
  }

  /// Runs every proposal, which writes the result each time, and keeps the best one.
  void measure(const LtProducts& p) {
    std::vector<Cost> costs;
    std::vector<lt::Heuristic> ran;
    for (const lt::Heuristic& by : proposed_) {
      if (attempt(p, by) != 0) continue;
      costs.push_back(
          {time_of_turn(p.device, [&] { require(attempt(p, by), "a matrix product"); }), by.workspace});
      ran.push_back(by);
    }
    const lt::Heuristic best = ran.empty() ? proposed_.front() : ran[leanest_of_the_fast(costs)];
    proposed_.assign(1, best);
  }

  /// A number in the type in which sums are scaled.
  struct Scale {
    Scale(DType dtype, double value) {
      if (dtype == DType::kFloat64 || dtype == DType::kComplex128) {
        const std::complex<double> number(value, 0);
        std::memcpy(bytes, &number, sizeof(number));
      } else {
        const std::complex<float> number(static_cast<float>(value), 0);
        std::memcpy(bytes, &number, sizeof(number));
      }
    }
    alignas(16) char bytes[16];  // a real number is the first half of a complex one
  };

  static lt::Compute compute_of(DType dtype) {
    if (dtype == DType::kFloat64 || dtype == DType::kComplex128) return lt::Compute::kFloat64;
    const bool single = dtype == DType::kFloat32 || dtype == DType::kComplex64;
    return single && allow_tf32().products ? lt::Compute::kFloat32ByTf32 : lt::Compute::kFloat32;
  }

  template <class T>
  void set(const lt::Api& api, int attribute, T value) const {
    require(api.set_product(product_, attribute, &value, sizeof(value)), "describing a product");
  }
  void set_bias(const lt::Api& api, const void* bias) const { set(api, lt::kBiasPointer, bias); }

  /// A matrix of `rows` by `columns` in our terms.
  static lt::Matrix describe_matrix(const lt::Api& api, const LtProducts& p, const LtMatrix& matrix,
                                    int64_t rows, int64_t columns) {
    lt::Matrix made = nullptr;
    const auto along = static_cast<uint64_t>(matrix.by_rows ? columns : rows);
    const auto across = static_cast<uint64_t>(matrix.by_rows ? rows : columns);
    require(api.create_matrix(&made, static_cast<int>(data_format(p.dtype)), along, across, matrix.leading),
            "describing a matrix");
    if (p.count > 1) {
      const auto count = static_cast<int32_t>(p.count);
      require(api.set_matrix(made, lt::kBatchCount, &count, sizeof(count)), "describing a stack");
      require(api.set_matrix(made, lt::kBatchStride, &matrix.batch_stride, sizeof(matrix.batch_stride)),
              "describing a stack");
    }
    return made;
  }

  void describe(const lt::Api& api, const LtProducts& p) {
    const DType scale = compute_dtype(p.dtype);
    require(api.create_product(&product_, static_cast<int>(compute_of(p.dtype)),
                               static_cast<int>(data_format(scale))),
            "describing a product");
    set(api, lt::kTransposeA, p.b.by_rows ? lt::Transpose::kNo : lt::Transpose::kYes);
    set(api, lt::kTransposeB, p.a.by_rows ? lt::Transpose::kNo : lt::Transpose::kYes);
    if (p.bias) {
      set(api, lt::kEpilogue, lt::Epilogue::kBias);
      set_bias(api, p.bias);
    }
    first_ = describe_matrix(api, p, p.b, p.k, p.n);
    second_ = describe_matrix(api, p, p.a, p.m, p.k);
    result_ = describe_matrix(api, p, p.c, p.m, p.n);
  }

  void choose(const lt::Api& api, const LtProducts& p) {
    lt::Preference preference = nullptr;
    require(api.create_preference(&preference), "choosing an algorithm");
    const auto prefer = [&](int attribute, auto value) {
      require(api.set_preference(preference, attribute, &value, sizeof(value)), "choosing an algorithm");
    };
    prefer(lt::kMostWorkspace, kMostWorkspace);
    prefer(lt::kAlignmentA, alignment_of(p.b.data));
    prefer(lt::kAlignmentB, alignment_of(p.a.data));
    prefer(lt::kAlignmentC, alignment_of(p.c.data));
    prefer(lt::kAlignmentD, alignment_of(p.c.data));
    if (Context::process().deterministic()) prefer(lt::kReductionSchemes, lt::kOrderedReductions);
    // Where order matters to the last bit, the library's own choice stays.
    const int wanted = Context::process().deterministic() ? 1 : kMostProposed;
    std::array<lt::Heuristic, kMostProposed> found{};
    int count = 0;
    const int status = api.find_algorithms(cublas_lt_handle(p.device), product_, first_, second_, result_,
                                           result_, preference, wanted, found.data(), &count);
    api.destroy_preference(preference);
    for (int i = 0; status == 0 && i < count; ++i) {
      if (found[static_cast<size_t>(i)].status == 0) proposed_.push_back(found[static_cast<size_t>(i)]);
    }
  }

  lt::Product product_ = nullptr;
  lt::Matrix first_ = nullptr;
  lt::Matrix second_ = nullptr;
  lt::Matrix result_ = nullptr;
  std::vector<lt::Heuristic> proposed_;  ///< the library's order; one, once they are measured
};

Plan& plan_of(const LtProducts& p) {
  thread_local std::unordered_map<Key, std::unique_ptr<Plan>, PlanKeyHash> plans;
  const Key key = key_of(p);
  if (const auto at = plans.find(key); at != plans.end()) return *at->second;
  if (plans.size() >= kMostPlans) plans.clear();
  return *plans.emplace(key, std::make_unique<Plan>(p)).first->second;
}

}  // namespace

bool multiply_by_lt(const LtProducts& products) {
  use_device(products.device);
  Plan& plan = plan_of(products);
  if (!plan.found()) return false;
  plan.run(products);
  return true;
}

}  // namespace dyad::cuda
