#pragma once

#include "kernels/cpu/convert.h"
#include "types/dtype.h"

namespace dyad::kernels {

/// The conversions from one dtype, by the dtype converted to.
struct ConvertRow {
  Convert to[kDTypeCount];
};
/// All conversions of one instruction set, by the dtype converted from.
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
