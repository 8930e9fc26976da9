#pragma once

namespace dyad::autograd {

/// Makes the tape the recorder of eager dispatch. Safe to call often.
void initialise();

}  // namespace dyad::autograd
