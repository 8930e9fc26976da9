#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// Shows an operator's rules one by one, for the tests that walk the table: `named_op` (its own face, also
/// where no function of `ops` shows it), `infer` on placeholders, `run_gradient_rule`.
void add_op_rules(nanobind::module_& module);

}  // namespace dyad::python
