#include "dyad/version.h"

namespace dyad {

const char* version() { return DYAD_VERSION; }

}  // namespace dyad
