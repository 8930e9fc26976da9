#pragma once

#include "kernels/cpu/convert.h"
#include "types/dtype.h"

namespace dyad::kernels {

struct ConvertRow {
  Convert to[kDTypeCount];
};
struct ConvertTable {
  ConvertRow from[kDTypeCount];
};

namespace baseline {
extern const ConvertTable convert_table;
}
namespace avx2 {
extern const ConvertTable convert_table;
}
namespace avx512 {
extern const ConvertTable convert_table;
}

}  // namespace dyad::kernels
