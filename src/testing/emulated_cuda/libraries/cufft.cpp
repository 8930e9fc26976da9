// The functions of cuFFT that Dyad calls: transforms by their definition, in the order of the stream.

#include "kernels/cuda/cufft.h"

#include <numbers>
#include <vector>

#include "testing/emulated_cuda/libraries/queue.h"

using namespace dyad::cuda;
using namespace dyad::cuda::emulated;
using namespace dyad::cuda::fft;

namespace {

constexpr size_t kWorkspace = 256;

struct PlanState {
  long long length = 0;
  long long stride = 0;
  long long distance = 0;
  long long count = 0;
  int kind = 0;
  StreamHandle stream = nullptr;
  void* memory = nullptr;
};

std::vector<PlanState>& plans() {
  static auto* all = new std::vector<PlanState>;
  return *all;
}

int transform(Plan plan, const void* from, void* to, int direction, Kind kind) {
  const PlanState p = plans()[static_cast<size_t>(plan)];
  if (p.kind != static_cast<int>(kind) || !p.memory) return kInvalid;
  const auto format =
      static_cast<int>(kind == Kind::kComplex64 ? DataFormat::kComplex64 : DataFormat::kComplex128);
  return enqueue(p.stream, [=] {
    std::memset(p.memory, 0x5a, kWorkspace);
    std::vector<Number> line(static_cast<size_t>(p.length));
    for (long long i = 0; i < p.count; ++i) {
      for (long long k = 0; k < p.length; ++k)
        line[static_cast<size_t>(k)] = load(format, from, i * p.distance + k * p.stride);
      for (long long k = 0; k < p.length; ++k) {
        Number sum = 0;
        for (long long j = 0; j < p.length; ++j) {
          const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % p.length) /
                               static_cast<double>(p.length) * direction;
          sum += line[static_cast<size_t>(j)] * std::polar(1.0, angle);
        }
        store(format, to, i * p.distance + k * p.stride, sum);
      }
    }
  });
}

}  // namespace

DYAD_LIBRARY_FUNCTION cufftCreate(Plan* plan) {
  plans().emplace_back();
  *plan = static_cast<int>(plans().size()) - 1;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cufftDestroy(Plan) { return kDone; }
DYAD_LIBRARY_FUNCTION cufftSetAutoAllocation(Plan, int on) { return on == 0 ? kDone : kInvalid; }
DYAD_LIBRARY_FUNCTION cufftMakePlanMany64(Plan plan, int rank, long long* sizes, long long* in_sizes,
                                          long long in_stride, long long in_distance, long long* out_sizes,
                                          long long out_stride, long long out_distance, int kind,
                                          long long count, size_t* bytes) {
  if (rank != 1 || !in_sizes || !out_sizes || in_stride != out_stride || in_distance != out_distance)
    return kInvalid;
  plans()[static_cast<size_t>(plan)] = {sizes[0], in_stride, in_distance, count, kind, nullptr, nullptr};
  *bytes = kWorkspace;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cufftSetStream(Plan plan, StreamHandle stream) {
  plans()[static_cast<size_t>(plan)].stream = stream;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cufftSetWorkArea(Plan plan, void* memory) {
  plans()[static_cast<size_t>(plan)].memory = memory;
  return kDone;
}
DYAD_LIBRARY_FUNCTION cufftExecC2C(Plan plan, void* from, void* to, int direction) {
  return transform(plan, from, to, direction, Kind::kComplex64);
}
DYAD_LIBRARY_FUNCTION cufftExecZ2Z(Plan plan, void* from, void* to, int direction) {
  return transform(plan, from, to, direction, Kind::kComplex128);
}

DYAD_CUFFT(DYAD_CHECK_LIBRARY)
