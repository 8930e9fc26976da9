#include "dyad/version.h"

namespace dyad::api {

const char* version() { return DYAD_VERSION; }

}  // namespace dyad::api
