#include "kernels/cpu/optimizer_step.h"
#include "kernels/cpu/best_table.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/loops.h"

namespace dyad::kernels {

namespace {

// A step reads and writes several streams: this many elements are worth another core.
constexpr int64_t kGrain = 1 << 14;
// Elements that are converted together, so that all streams of a block stay in the first-level cache.
constexpr int64_t kConverted = 256;
// Elements whose sums are taken together; the order of summation does not depend on the number of cores.
constexpr int64_t kSummed = 1 << 12;

}  // namespace

const StepTable& step_table() {
  static const StepTable& best = best_table(baseline::step_table, avx2::step_table, avx512::step_table);
  return best;
}

StepTensors::StepTensors(const KernelCall& call, std::initializer_list<size_t> lists, bool widened)
    : streams_(lists.size()) {
  DYAD_ASSERT(streams_ <= kMaxStreams);
  const ValueList& parameters = call.values(*lists.begin());
  all_.reserve(parameters.size() * streams_);
  offsets_.reserve(parameters.size() + 1);
  offsets_.push_back(0);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const DType computed = parameters[i]->dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
    size_t stream = 0;
    for (size_t list : lists) {
      ValueImpl& value = *call.values(list)[i];
      all_.push_back(stream_of(value, widened ? computed : value.dtype, stream++ != 1));
    }
    offsets_.push_back(offsets_.back() + parameters[i]->size());
  }
}

StepTensors::Stream StepTensors::stream_of(ValueImpl& value, DType dtype, bool written) {
  if (value.contiguous() && value.dtype == dtype) return {value.as<char>(), dtype};
  detours_.push_back({Contiguous(value, dtype), dtype, written ? &value : nullptr});
  return {const_cast<char*>(detours_.back().copied.as()), dtype};
}

void StepTensors::write_back() {
  for (const Detour& detour : detours_) {
    if (!detour.written || detour.written->size() == 0) continue;
    const ValueImpl& target = *detour.written;
    const Workspace narrowed(static_cast<size_t>(target.size() * itemsize(target.dtype)));
    converter(detour.dtype, target.dtype)(target.size(), detour.copied.as(), narrowed.as<char>());
    copy_elements(target.dtype, target.shape, narrowed.as<char>(), contiguous_strides(target.shape),
                  target.data, target.strides);
  }
}

/// Calls `body(count, streams)` with contiguous elements in the dtype that the parameter is computed in.
template <class Body>
void StepTensors::each_block(size_t tensor, int64_t begin, int64_t end, const Body& body) const {
  const std::span<const Stream> streams = streams_of(tensor);
  const DType computed = computed_dtype(tensor);
  std::array<void*, kMaxStreams> at;
  if (std::ranges::all_of(streams, [&](const Stream& stream) { return stream.dtype == computed; })) {
    for (size_t i = 0; i < streams_; ++i) at[i] = streams[i].data + begin * itemsize(computed);
    return body(end - begin, at.data());
  }
  alignas(64) char blocks[kMaxStreams][kConverted * sizeof(double)];
  for (int64_t first = begin; first < end; first += kConverted) {
    const int64_t count = std::min(kConverted, end - first);
    for (size_t i = 0; i < streams_; ++i) {
      at[i] = streams[i].data + first * itemsize(streams[i].dtype);
      if (streams[i].dtype == computed) continue;
      converter(streams[i].dtype, computed)(count, at[i], blocks[i]);
      at[i] = blocks[i];
    }
    body(count, at.data());
    for (size_t i = 0; i < streams_; ++i) {
      if (i == 1 || streams[i].dtype == computed) continue;
      converter(computed, streams[i].dtype)(count, blocks[i],
                                            streams[i].data + first * itemsize(streams[i].dtype));
    }
  }
}

void StepTensors::run(const StepLoops& loops, const char* settings, size_t settings_size) {
  parallel_for(offsets_.back(), kGrain, [&](int64_t begin, int64_t end) {
    size_t tensor =
        static_cast<size_t>(std::upper_bound(offsets_.begin(), offsets_.end(), begin) - offsets_.begin() - 1);
    while (begin < end) {
      const int64_t stop = std::min(end, offsets_[tensor + 1]);
      const StepLoop loop = computed_dtype(tensor) == DType::kFloat64 ? loops.float64 : loops.float32;
      each_block(tensor, begin - offsets_[tensor], stop - offsets_[tensor],
                 [&](int64_t count, void* const* at) { loop(count, at, settings + tensor * settings_size); });
      begin = stop;
      ++tensor;
    }
  });
  write_back();
}

std::vector<StepTensors::Sums> StepTensors::sum(const SumLoops& loops, const char* settings,
                                                size_t settings_size) {
  std::vector<int64_t> chunks{0};  // where each tensor begins among all chunks
  for (size_t i = 0; i < count(); ++i) {
    chunks.push_back(chunks.back() + (offsets_[i + 1] - offsets_[i] + kSummed - 1) / kSummed);
  }
  std::vector<Sums> parts(static_cast<size_t>(chunks.back()));
  // Many chunks of a few elements each are not worth another core.
  const int64_t grain = chunks.back() * kGrain / std::max<int64_t>(offsets_.back(), 1) + 1;
  parallel_for(chunks.back(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const auto tensor =
          static_cast<size_t>(std::upper_bound(chunks.begin(), chunks.end(), chunk) - chunks.begin() - 1);
      const SumLoop loop = computed_dtype(tensor) == DType::kFloat64 ? loops.float64 : loops.float32;
      const int64_t first = (chunk - chunks[tensor]) * kSummed;
      const int64_t last = std::min(first + kSummed, offsets_[tensor + 1] - offsets_[tensor]);
      double* sums = parts[static_cast<size_t>(chunk)].data();
      each_block(tensor, first, last, [&](int64_t count, void* const* at) {
        loop(count, at, settings + tensor * settings_size, sums);
      });
    }
  });
  std::vector<Sums> totals(count());
  for (size_t i = 0; i < count(); ++i) {
    for (int64_t chunk = chunks[i]; chunk < chunks[i + 1]; ++chunk) {
      for (size_t k = 0; k < 2; ++k) totals[i][k] += parts[static_cast<size_t>(chunk)][k];
    }
  }
  return totals;
}

double number_in(const ValueImpl& value) { return load(value.dtype, value.data).to_double(); }

double setting_of(const KernelCall& call, size_t argument, size_t i, double otherwise) {
  const ValueList& list = call.values(argument);
  if (list.empty()) return otherwise;
  return number_in(*list[list.size() == 1 ? 0 : i]);
}

}  // namespace dyad::kernels
