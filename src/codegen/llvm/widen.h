#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace dyad::codegen {

/// Writes what `function` computes at the builder's ref, on `lanes` elements at once: every value of its
/// body becomes a vector, branches become choices between both sides. With one lane the body is written as it
/// is. `args` are vectors of that many lanes, or the plain values for one.
///
/// `can_widen` says whether the body has such a form: no loop, no division on one side of a branch, no call
/// out of the library. For others there is `call_lanes`.
llvm::Value* widen(llvm::IRBuilder<>& builder, llvm::Function& function, llvm::ArrayRef<llvm::Value*> args,
                   unsigned lanes);

/// Whether `widen` can do it.
bool can_widen(llvm::Function& function);

/// Calls `function` once for each lane. It is declared in the builder's module and must be linked in later.
llvm::Value* call_lanes(llvm::IRBuilder<>& builder, llvm::Function& function,
                        llvm::ArrayRef<llvm::Value*> args, unsigned lanes);

}  // namespace dyad::codegen
