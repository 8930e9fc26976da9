#pragma once

namespace dyad::api {

/// The version of the loaded library, as "major.minor.patch".
const char* version();

}  // namespace dyad::api
