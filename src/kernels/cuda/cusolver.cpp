#include "kernels/cuda/cusolver.h"

#include <array>

#include "runtime/cuda/stream.h"

namespace dyad::cuda {

namespace {

blas::Api open_cublas() {
  blas::Api api;
  void* library = open_library_for("libcublas", "13 12", api.missing);
  DYAD_CUBLAS(DYAD_LIBRARY_LINK)
  return api;
}

solver::Api open_cusolver() {
  solver::Api api;
  void* library = open_library_for("libcusolver", "12 11", api.missing);
  DYAD_CUSOLVER(DYAD_LIBRARY_LINK)
  return api;
}

}  // namespace

const blas::Api& cublas() {
  static const blas::Api api = open_cublas();
  return api;
}

const solver::Api& cusolver() {
  static const solver::Api api = open_cusolver();
  return api;
}

struct SolverLease::Shared {
  std::mutex lock;
  blas::Handle blas = nullptr;
  solver::Handle solver = nullptr;
  solver::Parameters parameters = nullptr;
};

SolverLease::Shared& SolverLease::shared(int device) {
  constexpr size_t kMostDevices = 64;
  static auto* devices = new std::array<Shared, kMostDevices>;  // outlives the threads that use it
  return (*devices)[static_cast<size_t>(device)];
}

SolverLease::SolverLease(int device) : device_(device), shared_(shared(device)), lock_(shared_.lock) {
  use_device(device);
}

blas::Handle SolverLease::blas() const {
  int status = 0;
  if (!shared_.blas) status = cublas().create(&shared_.blas);
  if (status == 0) status = cublas().set_stream(shared_.blas, current_stream(device_));
  if (status != 0) refuse_status("cuBLAS", "starting", status);
  return shared_.blas;
}

solver::Handle SolverLease::solver() const {
  int status = 0;
  if (!shared_.solver) status = cusolver().create(&shared_.solver);
  if (status == 0 && !shared_.parameters) status = cusolver().create_parameters(&shared_.parameters);
  if (status == 0) status = cusolver().set_stream(shared_.solver, current_stream(device_));
  if (status != 0) refuse_status("cuSOLVER", "starting", status);
  return shared_.solver;
}

solver::Parameters SolverLease::parameters() const { return shared_.parameters; }

}  // namespace dyad::cuda
