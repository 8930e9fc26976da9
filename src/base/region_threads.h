#pragma once

namespace dyad {

/// How many threads share a parallel region that the calling thread opens next, a library's included.
int region_threads();
void set_region_threads(int threads);

}  // namespace dyad
