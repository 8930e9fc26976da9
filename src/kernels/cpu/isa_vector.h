#pragma once

// Vectors of the instruction set that the file is compiled for, with a fused multiply-add where the machine
// has one. Only files in isa/ include it.

#include <immintrin.h>

#include <cstdint>

namespace dyad::kernels::DYAD_ISA {

template <class T>
struct Vector;

#if defined(__AVX2__)
static inline float sum_eight(__m256 x) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
static inline double sum_four(__m256d x) {
  const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}
#endif

#if defined(__AVX512F__)

template <>
struct Vector<float> {
  using Register = __m512;
  static constexpr int64_t kWidth = 16;
  static Register zero() { return _mm512_setzero_ps(); }
  static Register load(const float* at) { return _mm512_loadu_ps(at); }
  static Register spread(float x) { return _mm512_set1_ps(x); }
  static void store(float* at, Register x) { _mm512_storeu_ps(at, x); }
  static Register multiply_add(Register a, Register b, Register c) { return _mm512_fmadd_ps(a, b, c); }
  static float sum(Register x) {  // through memory: GCC 12 warns inside its own reduction intrinsics
    alignas(64) float parts[16];
    _mm512_store_ps(parts, x);
    return sum_eight(_mm256_add_ps(_mm256_load_ps(parts), _mm256_load_ps(parts + 8)));
  }
};
template <>
struct Vector<double> {
  using Register = __m512d;
  static constexpr int64_t kWidth = 8;
  static Register zero() { return _mm512_setzero_pd(); }
  static Register load(const double* at) { return _mm512_loadu_pd(at); }
  static Register spread(double x) { return _mm512_set1_pd(x); }
  static void store(double* at, Register x) { _mm512_storeu_pd(at, x); }
  static Register multiply_add(Register a, Register b, Register c) { return _mm512_fmadd_pd(a, b, c); }
  static double sum(Register x) {
    alignas(64) double parts[8];
    _mm512_store_pd(parts, x);
    return sum_four(_mm256_add_pd(_mm256_load_pd(parts), _mm256_load_pd(parts + 4)));
  }
};

#elif defined(__AVX2__)

template <>
struct Vector<float> {
  using Register = __m256;
  static constexpr int64_t kWidth = 8;
  static Register zero() { return _mm256_setzero_ps(); }
  static Register load(const float* at) { return _mm256_loadu_ps(at); }
  static Register spread(float x) { return _mm256_set1_ps(x); }
  static void store(float* at, Register x) { _mm256_storeu_ps(at, x); }
  static Register multiply_add(Register a, Register b, Register c) { return _mm256_fmadd_ps(a, b, c); }
  static float sum(Register x) { return sum_eight(x); }
};
template <>
struct Vector<double> {
  using Register = __m256d;
  static constexpr int64_t kWidth = 4;
  static Register zero() { return _mm256_setzero_pd(); }
  static Register load(const double* at) { return _mm256_loadu_pd(at); }
  static Register spread(double x) { return _mm256_set1_pd(x); }
  static void store(double* at, Register x) { _mm256_storeu_pd(at, x); }
  static Register multiply_add(Register a, Register b, Register c) { return _mm256_fmadd_pd(a, b, c); }
  static double sum(Register x) { return sum_four(x); }
};

#else

template <>
struct Vector<float> {
  using Register = __m128;
  static constexpr int64_t kWidth = 4;
  static Register zero() { return _mm_setzero_ps(); }
  static Register load(const float* at) { return _mm_loadu_ps(at); }
  static Register spread(float x) { return _mm_set1_ps(x); }
  static void store(float* at, Register x) { _mm_storeu_ps(at, x); }
  static Register multiply_add(Register a, Register b, Register c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
  static float sum(Register x) {
    x = _mm_add_ps(x, _mm_movehl_ps(x, x));
    return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
  }
};
template <>
struct Vector<double> {
  using Register = __m128d;
  static constexpr int64_t kWidth = 2;
  static Register zero() { return _mm_setzero_pd(); }
  static Register load(const double* at) { return _mm_loadu_pd(at); }
  static Register spread(double x) { return _mm_set1_pd(x); }
  static void store(double* at, Register x) { _mm_storeu_pd(at, x); }
  static Register multiply_add(Register a, Register b, Register c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
  static double sum(Register x) { return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x))); }
};

#endif

}  // namespace dyad::kernels::DYAD_ISA
