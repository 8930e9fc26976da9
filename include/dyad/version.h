#pragma once

namespace dyad {

// The version of the loaded library, as "major.minor.patch".
const char* version();

}  // namespace dyad
