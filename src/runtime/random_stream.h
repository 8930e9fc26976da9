#pragma once

#include "runtime/context.h"
#include "types/arg.h"

namespace dyad {

/// The stream of one call of a random operator: the process's, or that of the operator's own seed, at the
/// process's position.
inline Generator::State reserve_stream(int64_t positions, const Arg& seed) {
  Generator::State state = Context::process().generator().reserve(static_cast<uint64_t>(positions));
  if (!seed.none() && seed.get<Scalar>()->to_int() != 0) {
    state.seed = static_cast<uint64_t>(seed.get<Scalar>()->to_int()) * 0x9E3779B97F4A7C15u;
  }
  return state;
}

}  // namespace dyad
