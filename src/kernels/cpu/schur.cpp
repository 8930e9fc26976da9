#include "kernels/cpu/schur.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace dyad::kernels {

namespace {

using Element = ComplexMatrix::Element;

constexpr double kPrecision = std::numeric_limits<double>::epsilon();

ComplexMatrix identity(int64_t n) {
  ComplexMatrix one(n, n);
  for (int64_t i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

ComplexMatrix product(const ComplexMatrix& a, const ComplexMatrix& b) {
  ComplexMatrix c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t k = 0; k < a.columns; ++k) {
      for (int64_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

ComplexMatrix adjoint(const ComplexMatrix& a) {
  ComplexMatrix result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) result(j, i) = std::conj(a(i, j));
  }
  return result;
}

/// Reflections that leave zeros below the first subdiagonal; q takes their product.
void reduce_to_hessenberg(ComplexMatrix& h, ComplexMatrix& q) {
  const int64_t n = h.rows;
  std::vector<Element> v(static_cast<size_t>(n));
  const auto at = [&](int64_t i) -> Element& { return v[static_cast<size_t>(i)]; };
  for (int64_t k = 0; k + 2 < n; ++k) {
    double below = 0;
    for (int64_t i = k + 2; i < n; ++i) below += std::norm(h(i, k));
    if (below == 0) continue;
    const Element first = h(k + 1, k);
    const double length = std::sqrt(below + std::norm(first));
    const Element phase = first == Element(0) ? Element(1) : first / std::abs(first);
    double squares = 0;
    for (int64_t i = k + 1; i < n; ++i) {
      at(i) = h(i, k) + (i == k + 1 ? phase * length : Element(0));
      squares += std::norm(at(i));
    }
    const double factor = 2 / squares;
    for (int64_t j = 0; j < n; ++j) {
      Element along = 0;
      for (int64_t i = k + 1; i < n; ++i) along += std::conj(at(i)) * h(i, j);
      for (int64_t i = k + 1; i < n; ++i) h(i, j) -= factor * along * at(i);
    }
    for (ComplexMatrix* m : {&h, &q}) {
      for (int64_t i = 0; i < n; ++i) {
        Element along = 0;
        for (int64_t j = k + 1; j < n; ++j) along += (*m)(i, j) * at(j);
        for (int64_t j = k + 1; j < n; ++j) (*m)(i, j) -= factor * along * std::conj(at(j));
      }
    }
    for (int64_t i = k + 2; i < n; ++i) h(i, k) = 0;
  }
}

/// The eigenvalue of the last two rows and columns up to `last` that is nearer to the last element.
Element wilkinson_shift(const ComplexMatrix& h, int64_t last) {
  const Element a = h(last - 1, last - 1);
  const Element d = h(last, last);
  const Element half = (a - d) / 2.0;
  const Element root = std::sqrt(half * half + h(last - 1, last) * h(last, last - 1));
  const Element plus = half + root;
  const Element minus = half - root;
  return d + (std::abs(plus) < std::abs(minus) ? plus : minus);
}

/// One QR step with a shift on rows and columns first to last of a Hessenberg matrix.
void qr_step(ComplexMatrix& h, ComplexMatrix& q, int64_t first, int64_t last, Element shift) {
  const int64_t n = h.rows;
  std::vector<std::pair<Element, Element>> rotations;
  for (int64_t i = first; i <= last; ++i) h(i, i) -= shift;
  for (int64_t k = first; k < last; ++k) {
    const double length = std::hypot(std::abs(h(k, k)), std::abs(h(k + 1, k)));
    const Element c = length == 0 ? Element(1) : h(k, k) / length;
    const Element s = length == 0 ? Element(0) : h(k + 1, k) / length;
    rotations.emplace_back(c, s);
    for (int64_t j = k; j < n; ++j) {
      const Element x = h(k, j);
      const Element y = h(k + 1, j);
      h(k, j) = std::conj(c) * x + std::conj(s) * y;
      h(k + 1, j) = c * y - s * x;
    }
  }
  for (int64_t k = first; k < last; ++k) {
    const auto [c, s] = rotations[static_cast<size_t>(k - first)];
    const auto turn = [c = c, s = s, k](ComplexMatrix& m, int64_t rows) {
      for (int64_t i = 0; i < rows; ++i) {
        const Element x = m(i, k);
        const Element y = m(i, k + 1);
        m(i, k) = x * c + y * s;
        m(i, k + 1) = y * std::conj(c) - x * std::conj(s);
      }
    };
    turn(h, std::min(k + 2, last + 1));
    turn(q, n);
  }
  for (int64_t i = first; i <= last; ++i) h(i, i) += shift;
}

/// The square root of an upper triangular matrix that is upper triangular itself.
ComplexMatrix triangular_root(const ComplexMatrix& t) {
  ComplexMatrix r(t.rows, t.columns);
  for (int64_t j = 0; j < t.columns; ++j) {
    r(j, j) = std::sqrt(t(j, j));
    for (int64_t i = j - 1; i >= 0; --i) {
      Element rest = t(i, j);
      for (int64_t k = i + 1; k < j; ++k) rest -= r(i, k) * r(k, j);
      const Element sum = r(i, i) + r(j, j);
      r(i, j) = rest == Element(0) ? Element(0) : rest / sum;
    }
  }
  return r;
}

/// x with a x = b, for upper triangular a.
ComplexMatrix solve_upper(const ComplexMatrix& a, ComplexMatrix b) {
  for (int64_t j = 0; j < b.columns; ++j) {
    for (int64_t i = a.rows - 1; i >= 0; --i) {
      for (int64_t k = i + 1; k < a.columns; ++k) b(i, j) -= a(i, k) * b(k, j);
      b(i, j) /= a(i, i);
    }
  }
  return b;
}

double distance_from_one(const ComplexMatrix& t) {
  double greatest = 0;
  for (int64_t j = 0; j < t.columns; ++j) {
    double column = 0;
    for (int64_t i = 0; i <= j; ++i) column += std::abs(t(i, j) - (i == j ? 1.0 : 0.0));
    greatest = std::max(greatest, column);
  }
  return greatest;
}

}  // namespace

bool factor_schur(const ComplexMatrix& a, ComplexMatrix& q, ComplexMatrix& t) {
  constexpr int kStepsPerValue = 60;
  t = a;
  q = identity(a.rows);
  reduce_to_hessenberg(t, q);
  int steps = 0;
  for (int64_t last = a.rows - 1; last > 0;) {
    int64_t first = last;
    while (first > 0) {
      const double size = std::abs(t(first - 1, first - 1)) + std::abs(t(first, first));
      if (std::abs(t(first, first - 1)) <= kPrecision * (size == 0 ? 1 : size)) break;
      --first;
    }
    if (first > 0) t(first, first - 1) = 0;
    if (first == last) {
      --last;
      steps = 0;
      continue;
    }
    if (++steps > kStepsPerValue) return false;
    // Every so often another shift, for matrices on which the usual one goes in circles.
    const bool unusual = steps % 10 == 0;
    qr_step(t, q, first, last,
            unusual ? std::abs(t(last, last - 1)) + t(last, last) : wilkinson_shift(t, last));
  }
  return true;
}

void schur_vectors(const ComplexMatrix& q, const ComplexMatrix& t, ComplexMatrix& vectors,
                   ComplexMatrix& inverse) {
  const int64_t n = t.rows;
  double size = 0;
  for (const Element& element : t.elements) size = std::max(size, std::abs(element));
  const double least = std::max(kPrecision * size, std::numeric_limits<double>::min());
  ComplexMatrix x(n, n);
  for (int64_t k = 0; k < n; ++k) {
    x(k, k) = 1;
    for (int64_t i = k - 1; i >= 0; --i) {
      Element rest = 0;
      for (int64_t j = i + 1; j <= k; ++j) rest -= t(i, j) * x(j, k);
      Element gap = t(i, i) - t(k, k);
      if (std::abs(gap) < least) gap = least;
      x(i, k) = rest / gap;
    }
  }
  vectors = product(q, x);
  inverse = solve_upper(x, adjoint(q));
  for (int64_t k = 0; k < n; ++k) {
    double squares = 0;
    Element greatest = 0;
    for (int64_t i = 0; i < n; ++i) {
      squares += std::norm(vectors(i, k));
      if (std::abs(vectors(i, k)) > std::abs(greatest)) greatest = vectors(i, k);
    }
    const Element scale = std::conj(greatest) / (std::abs(greatest) * std::sqrt(squares));
    for (int64_t i = 0; i < n; ++i) {
      vectors(i, k) *= scale;
      inverse(k, i) /= scale;
    }
  }
}

ComplexMatrix turned_back(const ComplexMatrix& q, const ComplexMatrix& m) {
  return product(product(q, m), adjoint(q));
}

ComplexMatrix triangular_logarithm(ComplexMatrix t) {
  // Nodes and weights of the rule of eight points on 0 to 1.
  constexpr std::array<double, 4> kNodes = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                            0.9602898564975363};
  constexpr std::array<double, 4> kWeights = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                              0.1012285362903763};
  constexpr double kNear = 0.25;
  constexpr int kMostRoots = 100;
  int roots = 0;
  while (distance_from_one(t) > kNear && roots < kMostRoots) {
    t = triangular_root(t);
    ++roots;
  }
  const int64_t n = t.rows;
  for (int64_t i = 0; i < n; ++i) t(i, i) -= 1;
  ComplexMatrix sum(n, n);
  for (size_t k = 0; k < kNodes.size(); ++k) {
    for (const double node : {(1 - kNodes[k]) / 2, (1 + kNodes[k]) / 2}) {
      ComplexMatrix divisor = t;
      for (Element& element : divisor.elements) element *= node;
      for (int64_t i = 0; i < n; ++i) divisor(i, i) += 1;
      const ComplexMatrix part = solve_upper(divisor, t);
      for (size_t i = 0; i < sum.elements.size(); ++i) sum.elements[i] += kWeights[k] / 2 * part.elements[i];
    }
  }
  const double scale = std::ldexp(1.0, roots);
  for (Element& element : sum.elements) element *= scale;
  return sum;
}

}  // namespace dyad::kernels
