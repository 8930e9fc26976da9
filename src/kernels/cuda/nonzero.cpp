// How many elements are true is known after the device has counted them: the host waits for it.

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/params/nonzero.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/stream.h"
#include "runtime/kernel.h"
#include "tensor/host_route.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kMostBlocks = 4096;

void run_nonzero(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const int64_t rank = input.rank();
  if (rank > cuda::kMostCoordinates) return run_on_host(call);
  const int64_t count = input.size();
  if (count == 0) return call.allocate(0, Shape{0, rank});
  const int device = input.device.index;
  const DeviceContiguous truth(input, DType::kBool);
  const int64_t chunks = (count + cuda::kNonzeroChunk - 1) / cuda::kNonzeroChunk;
  const auto bytes = static_cast<size_t>(chunks) * sizeof(int64_t);
  const cuda::DeviceWorkspace counts(device, bytes);
  cuda::NonzeroParams params{
      truth.as<uint8_t>(), counts.as<int64_t>(), counts.as<int64_t>(), nullptr, count, chunks, rank, {}};
  for (size_t d = 0; d < input.shape.size(); ++d) params.size[d] = input.shape[d].value();
  cuda::Grid grid;
  grid.x = static_cast<unsigned>(std::min(chunks, kMostBlocks));
  cuda::launch(device, "nonzero_count", grid, params);

  std::vector<int64_t> first(static_cast<size_t>(chunks));
  const auto place = reinterpret_cast<cuda::DevicePointer>(counts.as<void>());
  cuda::check(cuda::driver().copy_to_host(first.data(), place, bytes, cuda::current_stream(device)),
              "copying from the device");
  cuda::check(cuda::driver().synchronize_stream(cuda::current_stream(device)), "waiting for the device");
  int64_t total = 0;
  for (int64_t& begin : first) {
    const int64_t here = begin;
    begin = total;
    total += here;
  }
  call.allocate(0, Shape{total, rank});
  if (total == 0 || rank == 0) return;
  cuda::check(cuda::driver().copy_to_device(place, first.data(), bytes, cuda::current_stream(device)),
              "copying to the device");
  params.rows = call.out().as<int64_t>();
  cuda::launch(device, "nonzero_write", grid, params);
}

}  // namespace

DYAD_CUDA_KERNEL(nonzero, run_nonzero);

}  // namespace dyad::kernels
