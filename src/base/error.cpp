#include "base/error.h"

#include <cstring>

namespace dyad {

void raise(ErrorKind kind, std::string message) { throw Error(kind, std::move(message)); }
void raise(ErrorKind kind, std::initializer_list<text::Part> parts) { raise(kind, text::joined(parts)); }

void raise_internal(const char* condition, const char* file, int line) {
  const char* inside = std::strstr(file, "src/");
  throw Error(ErrorKind::kInternal,
              cat("internal error: ", condition, " does not hold at ", inside ? inside : file, ":", line,
                  "; this is a fault of Dyad, not of the program"));
}

}  // namespace dyad
