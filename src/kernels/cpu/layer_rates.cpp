// Gradients of whole layers, scaled by the norms of the layer and of its gradient.

#include <array>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/computed.h"
#include "kernels/cpu/optimizer_step.h"
#include "kernels/cpu/pieces.h"
#include "kernels/scalar/adaptive_options.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

using Squares = std::array<double, 2>;  // of a weight and of its gradient

/// Σ w² and Σ g² of every layer; each piece is summed alone, so that the result does not depend on the
/// threads.
std::vector<Squares> squares_of(const std::vector<Piece>& pieces, const PieceReader& weights,
                                const PieceReader& gradients, const std::vector<bool>& layers) {
  std::vector<Squares> parts(pieces.size());
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[kPiece];
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const Piece& piece = pieces[i];
      if (!layers[piece.tensor]) continue;
      for (size_t k = 0; k < 2; ++k) {
        const PieceReader& reader = k == 0 ? weights : gradients;
        with_float(compute_dtype(reader.dtype(piece)), [&]<class T>(T) {
          const T* in = reader.read(piece, reinterpret_cast<T*>(scratch));
          parts[i][k] = static_cast<double>(gradient_loops<T>().square_sum(piece.count, in));
        });
      }
    }
  });
  std::vector<Squares> totals(layers.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t k = 0; k < 2; ++k) totals[pieces[i].tensor][k] += parts[i][k];
  }
  return totals;
}

/// (params, gradients, decays, learning_rates, layers, epsilon, coefficient, scale)
void run_lars(const KernelCall& call) {
  const ValueList& given = call.values(1);
  std::vector<bool> layers(given.size());
  for (Dim layer : call.dims(4)) layers[static_cast<size_t>(layer.value())] = true;
  const std::vector<Piece> pieces = pieces_of(given);
  const PieceReader weights(call.values(0));
  const PieceReader gradients(given);
  const std::vector<Squares> squares = squares_of(pieces, weights, gradients, layers);
  std::vector<LarsFactors> factors(given.size(), {call.real(7), 0});
  const LarsOptions options{call.real(5), call.real(6), call.real(7), !call.values(3).empty()};
  for (size_t i = 0; i < given.size(); ++i) {
    if (!layers[i]) continue;
    factors[i] =
        lars_factors(options, setting_of(call, 3, i), setting_of(call, 2, i), squares[i][0], squares[i][1]);
  }
  parallel_for(static_cast<int64_t>(pieces.size()), grain_of(pieces), [&](int64_t begin, int64_t end) {
    double scratch[2][kPiece];
    for (int64_t i = begin; i < end; ++i) {
      const Piece& piece = pieces[static_cast<size_t>(i)];
      const auto [of_gradient, of_weight] = factors[piece.tensor];
      const DType dtype = gradients.dtype(piece);
      char* to = call.out(piece.tensor).as<char>() + piece.begin * itemsize(dtype);
      with_float(compute_dtype(dtype), [&]<class T>(T) {
        T* converted = reinterpret_cast<T*>(scratch[0]);
        const T* gradient = gradients.read(piece, converted);
        const bool direct = dtype == compute_dtype(dtype);
        T* out = direct ? reinterpret_cast<T*>(to) : converted;
        const auto& loops = gradient_loops<T>();
        if (of_weight ==
            0) {  // also keeps a weight that is not finite out of a gradient that it has no part in
          loops.scale(piece.count, gradient, static_cast<T>(of_gradient), out);
        } else {
          const T* weight = weights.read(piece, reinterpret_cast<T*>(scratch[1]));
          loops.combine(piece.count, gradient, static_cast<T>(of_gradient), weight, static_cast<T>(of_weight),
                        out);
        }
        if (!direct) converter(compute_dtype(dtype), dtype)(piece.count, out, to);
      });
    }
  });
}

}  // namespace

DYAD_CPU_KERNEL(lars_gradients, run_lars);

}  // namespace dyad::kernels
