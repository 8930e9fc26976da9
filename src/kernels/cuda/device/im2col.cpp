// Images as the columns of a matrix, for convolutions by products, and the sum of such columns back into the
// images. A thread has one position of the window in one channel, or one element of an image.

#include "kernels/cuda/params/im2col.h"

#include "kernels/cuda/device/storage.h"

namespace dyad::cuda::device {

/// A place in three dimensions by its number.
template <class Index>
struct Place {
  Index at[3];
  DYAD_DEVICE_INLINE Place(Index number, const int64_t* sizes) {
    const auto second = static_cast<Index>(sizes[1]);
    const auto third = static_cast<Index>(sizes[2]);
    at[2] = number % third;
    at[1] = number / third % second;
    at[0] = number / third / second;
  }
};

DYAD_DEVICE_INLINE int64_t product_of(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

template <class E, class Index>
DYAD_DEVICE_INLINE void gather_columns(const Im2colParams& p) {
  const auto places = static_cast<Index>(product_of(p.out));
  const auto area = static_cast<Index>(product_of(p.in));
  const auto images = static_cast<Index>(p.images);
  const auto channels = static_cast<Index>(p.channels);
  const auto window = static_cast<Index>(product_of(p.kernel));
  DYAD_FOR_EACH(item, p.channels * p.images * static_cast<int64_t>(places)) {
    const auto number = static_cast<Index>(item);
    const Index place = number % places;
    const Index image = number / places % images;
    const Index channel = number / places / images;
    const Place<Index> o(place, p.out);
    Index first[3];
    for (int d = 0; d < 3; ++d)
      first[d] = o.at[d] * static_cast<Index>(p.stride[d]) - static_cast<Index>(p.padding[d]);
    const E* from = static_cast<const E*>(p.from) + (image * channels + channel) * area;
    E* to = static_cast<E*>(p.to) + channel * window * static_cast<Index>(p.row_stride) +
            image * static_cast<Index>(p.image_stride) + place;
    Index at[3];
    for (int64_t a = 0; a < p.kernel[0]; ++a) {
      at[0] = first[0] + static_cast<Index>(a * p.dilation[0]);
      for (int64_t b = 0; b < p.kernel[1]; ++b) {
        at[1] = first[1] + static_cast<Index>(b * p.dilation[1]);
        for (int64_t c = 0; c < p.kernel[2]; ++c) {
          at[2] = first[2] + static_cast<Index>(c * p.dilation[2]);
          bool inside = true;
          for (int d = 0; d < 3; ++d) inside = inside && at[d] >= 0 && at[d] < p.in[d];
          *to =
              inside
                  ? from[(at[0] * static_cast<Index>(p.in[1]) + at[1]) * static_cast<Index>(p.in[2]) + at[2]]
                  : E{};
          to += p.row_stride;
        }
      }
    }
  }
}

/// The position of the window whose element `k` lies on `at`; -1 where there is none.
template <class Index>
DYAD_DEVICE_INLINE Index position_on(const Im2colParams& p, int d, Index at, int64_t k) {
  const Index shifted = at + static_cast<Index>(p.padding[d] - k * p.dilation[d]);
  const auto stride = static_cast<Index>(p.stride[d]);
  if (shifted < 0) return -1;
  const Index position = stride == 1 ? shifted : shifted / stride;
  return position < p.out[d] && position * stride == shifted ? position : -1;
}

template <class S, class Index>
DYAD_DEVICE_INLINE void add_columns(const Im2colParams& p) {
  using T = Computed<S>;
  const auto area = static_cast<Index>(product_of(p.in));
  const auto channels = static_cast<Index>(p.channels);
  const auto row_stride = static_cast<Index>(p.row_stride);
  const auto window = static_cast<Index>(product_of(p.kernel));
  DYAD_FOR_EACH(item, p.images * p.channels * static_cast<int64_t>(area)) {
    const auto number = static_cast<Index>(item);
    const Place<Index> at(number % area, p.in);
    const Index channel = number / area % channels;
    const Index image = number / area / channels;
    const S* from = static_cast<const S*>(p.from) + channel * window * row_stride +
                    image * static_cast<Index>(p.image_stride);
    T sum = 0;
    for (int64_t a = 0; a < p.kernel[0]; ++a) {
      const Index first = position_on(p, 0, at.at[0], a);
      for (int64_t b = 0; b < p.kernel[1]; ++b) {
        const Index second = position_on(p, 1, at.at[1], b);
        for (int64_t c = 0; c < p.kernel[2]; ++c, from += row_stride) {
          const Index third = position_on(p, 2, at.at[2], c);
          if (first < 0 || second < 0 || third < 0) continue;
          sum += static_cast<T>(
              from[(first * static_cast<Index>(p.out[1]) + second) * static_cast<Index>(p.out[2]) + third]);
        }
      }
    }
    static_cast<S*>(p.to)[item] = S(sum);
  }
}

template <class S>
DYAD_DEVICE_INLINE void add_columns_near(const Im2colParams& p) {
  add_columns<S, int32_t>(p);
}
template <class S>
DYAD_DEVICE_INLINE void add_columns_far(const Im2colParams& p) {
  add_columns<S, int64_t>(p);
}

// Elements are moved as they are: a kernel for each size, and for numbers of elements in 32 and in 64 bits.
DYAD_DEVICE_KERNEL(gather_columns_2, Im2colParams) { gather_columns<uint16_t, int32_t>(p); }
DYAD_DEVICE_KERNEL(gather_columns_4, Im2colParams) { gather_columns<uint32_t, int32_t>(p); }
DYAD_DEVICE_KERNEL(gather_columns_8, Im2colParams) { gather_columns<uint64_t, int32_t>(p); }
DYAD_DEVICE_KERNEL(gather_columns_far_2, Im2colParams) { gather_columns<uint16_t, int64_t>(p); }
DYAD_DEVICE_KERNEL(gather_columns_far_4, Im2colParams) { gather_columns<uint32_t, int64_t>(p); }
DYAD_DEVICE_KERNEL(gather_columns_far_8, Im2colParams) { gather_columns<uint64_t, int64_t>(p); }
DYAD_FLOAT_KERNELS(add_columns, Im2colParams, add_columns_near)
DYAD_FLOAT_KERNELS(add_columns_far, Im2colParams, add_columns_far)

}  // namespace dyad::cuda::device
