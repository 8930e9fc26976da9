#pragma once

#include "data/rows/source.h"

namespace dyad::data {

/// The rows of arrays and of texts, which have one row for each step along their first dimension. The arrays'
/// memory is kept and read when a row is; a row is a copy.
SourceRef arrays_source(Row columns);

}  // namespace dyad::data
