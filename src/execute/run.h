#pragma once

#include "execute/host.h"

namespace dyad::execute {

class Executable;

/// One run of an executable: what its frames share.
struct Run {
  const Executable& executable;
  Host& host;
  /// Operators run one by one through dispatch, where a tape or a trace sees them; otherwise in any way that
  /// gives the results.
  bool per_operator = false;
  int depth = 0;          ///< calls under way
  bool reported = false;  ///< the host knows which step the exception in flight came from
};

}  // namespace dyad::execute
