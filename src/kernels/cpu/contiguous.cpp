#include "kernels/cpu/contiguous.h"

#include <cstring>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/strided.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 16;

}  // namespace

void copy_elements(DType dtype, const Shape& shape, const void* from, const Strides& from_strides, void* to,
                   const Strides& to_strides) {
  const StridedLoop loop(shape, {to_strides, from_strides});
  const int64_t bytes = itemsize(dtype);
  const int64_t out_step = loop.inner_stride(0);
  const int64_t in_step = loop.inner_stride(1);
  parallel_for(loop.total, kGrain, [&](int64_t begin, int64_t end) {
    alignas(64) char block[kBlock * 16];
    for_each_run(loop, begin, end, [&](int64_t run, const int64_t* at) {
      const char* source = static_cast<const char*>(from) + at[1] * bytes;
      char* target = static_cast<char*>(to) + at[0] * bytes;
      if (out_step == 1) {
        if (in_step == 1) {
          std::memcpy(target, source, static_cast<size_t>(run * bytes));
        } else {
          gather(bytes, run, source, in_step, target);
        }
        return;
      }
      for (int64_t done = 0; done < run; done += kBlock) {
        const int64_t count = std::min(kBlock, run - done);
        gather(bytes, count, source + done * in_step * bytes, in_step, block);
        scatter(bytes, count, block, target + done * out_step * bytes, out_step);
      }
    });
  });
}

Contiguous::Contiguous(const ValueImpl& value, DType dtype) : data_(value.as<char>()) {
  const int64_t count = value.size();
  const bool in_order = value.contiguous();
  if (count == 0 || (in_order && dtype == value.dtype)) return;
  std::unique_ptr<Workspace> gathered;
  const char* source = value.as<char>();
  if (!in_order) {
    gathered = std::make_unique<Workspace>(static_cast<size_t>(count * itemsize(value.dtype)));
    copy_elements(value.dtype, value.shape, source, value.strides, gathered->as<char>(),
                  contiguous_strides(value.shape));
    source = gathered->as<char>();
  }
  if (dtype != value.dtype) {
    copied_ = std::make_unique<Workspace>(static_cast<size_t>(count * itemsize(dtype)));
    char* target = copied_->as<char>();
    const Convert convert = converter(value.dtype, dtype);
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      convert(end - begin, source + begin * itemsize(value.dtype), target + begin * itemsize(dtype));
    });
  } else {
    copied_ = std::move(gathered);
  }
  data_ = copied_->as<char>();
}

}  // namespace dyad::kernels
