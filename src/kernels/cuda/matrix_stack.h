#pragma once

// Stacks of matrices as solvers and factorisations of cuSOLVER take them.

#include <optional>
#include <vector>

#include "kernels/cuda/cusolver.h"
#include "kernels/cuda/operand.h"
#include "runtime/kernel.h"

namespace dyad::cuda {

/// How many matrices of which size a tensor holds.
struct StackSizes {
  explicit StackSizes(const ValueImpl& value)
      : count(numel(Shape(value.shape.begin(), value.shape.end() - 2))),
        rows(value.shape[value.shape.size() - 2].value()),
        columns(value.shape.back().value()) {}
  int64_t elements() const { return rows * columns; }
  bool empty() const { return count * rows * columns == 0; }
  int64_t count;
  int64_t rows;
  int64_t columns;
};

/// The dtype in which the library computes for tensors of `dtype`.
inline DType solver_dtype(DType dtype) { return compute_dtype(dtype); }

/// One call of the library over a stack: its handles, what it reports of each matrix, and its room.
class StackCall {
 public:
  StackCall(const KernelCall& call, int64_t count);

  const SolverLease& lease() const { return lease_; }
  int* info(int64_t matrix) const { return info_.as<int>() + matrix; }
  const int* infos() const { return info_.as<int>(); }
  /// Waits, and raises for the first matrix of which the library reports a failure: "op: matrix i of the
  /// stack …".
  void require_success(std::string_view fault) const;
  void require(int status, std::string_view action) const;

  /// Asks for the room that a routine needs, `ask(device_bytes, host_bytes)`, and runs
  /// `run(device, device_bytes, host, host_bytes, matrix)` for each matrix.
  template <class Ask, class Run>
  void for_each(std::string_view action, const Ask& ask, const Run& run) const {
    size_t device_bytes = 0;
    size_t host_bytes = 0;
    require(ask(&device_bytes, &host_bytes), action);
    const DeviceWorkspace room(device_, device_bytes);
    std::vector<char> host(host_bytes);
    for (int64_t i = 0; i < count_; ++i) {
      require(run(room.as<void>(), device_bytes, host.data(), host_bytes, i), action);
    }
  }

 private:
  std::string_view op_;
  int device_;
  int64_t count_;
  SolverLease lease_;
  DeviceWorkspace info_;
};

}  // namespace dyad::cuda
