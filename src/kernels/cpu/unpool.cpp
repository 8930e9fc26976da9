#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/channels_last.h"
#include "kernels/cpu/prepared.h"
#include "runtime/kernel.h"
#include "types/visit.h"

namespace dyad::kernels {

namespace {

template <class T>
void place_plane(std::string_view op, int64_t count, const T* from, const int64_t* places, bool accumulate,
                 int64_t room, T* to) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = places[i];
    if (at < 0 || at >= room) index_error(op, ": an index is ", at, "; the plane has ", room, " places");
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      to[at] = accumulate ? T(static_cast<float>(to[at]) + static_cast<float>(from[i])) : from[i];
    } else {
      to[at] = accumulate ? static_cast<T>(to[at] + from[i]) : from[i];
    }
  }
}

/// Elements of each plane go to the places that the indices name; other places are zero.
void run_unpool(const KernelCall& call) {
  if (call.flag(4)) return channels_last::unpool(call);
  ValueImpl& out = call.out();
  const Prepared in(call.in(0), out.dtype);
  const Prepared places(call.in(1), DType::kInt64);
  std::memset(out.data, 0, static_cast<size_t>(out.size() * itemsize(out.dtype)));
  if (in->size() == 0) return;
  int64_t room = 1;
  for (Dim size : call.dims(2)) room *= size.value();
  const int64_t planes = room == 0 ? 1 : std::max<int64_t>(1, out.size() / room);
  const int64_t count = in->size() / planes;
  visit_dtype(out.dtype, [&]<class T>(Typed<T>) {
    parallel_for(planes, 1 + (1 << 14) / count, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        place_plane(call.op(), count, in->as<const T>() + plane * count,
                    places->as<const int64_t>() + plane * count, call.flag(3), room,
                    out.as<T>() + plane * room);
      }
    });
  });
}

DYAD_CPU_KERNEL(unpool, run_unpool);

}  // namespace

}  // namespace dyad::kernels
