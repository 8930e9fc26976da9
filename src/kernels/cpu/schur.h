#pragma once

#include "kernels/cpu/complex_factorizations.h"

namespace dyad::kernels {

/// Schur form of a square matrix: a = q t q^H, q unitary and t upper triangular with the eigenvalues on its
/// diagonal, by QR steps with Wilkinson's shifts on the Hessenberg form. False if it does not converge, as
/// for a matrix that is not finite.
bool factor_schur(const ComplexMatrix& a, ComplexMatrix& q, ComplexMatrix& t);

/// Eigenvectors of a matrix in Schur form, in columns, each of length 1 with a real largest component, and
/// their inverse. That of a matrix without a basis of eigenvectors is not finite or very large.
void schur_vectors(const ComplexMatrix& q, const ComplexMatrix& t, ComplexMatrix& vectors,
                   ComplexMatrix& inverse);

/// The principal logarithm of an upper triangular matrix without zeros on its diagonal: square roots until it
/// is near 1, then a Gauss-Legendre rule for the integral of (t - 1) / (1 + x (t - 1)).
ComplexMatrix triangular_logarithm(ComplexMatrix t);

/// q m q^H: a function of the triangular factor as one of the matrix itself.
ComplexMatrix turned_back(const ComplexMatrix& q, const ComplexMatrix& m);

}  // namespace dyad::kernels
