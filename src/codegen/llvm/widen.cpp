#include "codegen/llvm/widen.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace dyad::codegen {

namespace {

using namespace llvm;  // NOLINT(google-build-using-namespace): every other word here is one of LLVM

void read_body(Function& function) {
  if (function.isMaterializable()) cantFail(function.materialize());
}

Type* widened(Type* type, unsigned lanes) {
  return lanes == 1 || type->isVoidTy() ? type : FixedVectorType::get(type, lanes);
}

bool has_loop(Function& function) {
  // In reverse post-order a branch of an acyclic body only goes forward.
  DenseMap<const BasicBlock*, unsigned> order;
  unsigned next = 0;
  ReversePostOrderTraversal<Function*> blocks(&function);
  for (BasicBlock* block : blocks) order[block] = next++;
  for (BasicBlock* block : blocks) {
    for (BasicBlock* successor : successors(block)) {
      if (order[successor] <= order[block]) return true;
    }
  }
  return false;
}

bool divides_integers(const Instruction& instruction) {
  return instruction.getOpcode() == Instruction::SDiv || instruction.getOpcode() == Instruction::UDiv ||
         instruction.getOpcode() == Instruction::SRem || instruction.getOpcode() == Instruction::URem;
}

bool widens(Instruction& instruction, bool conditional) {
  if (conditional && divides_integers(instruction)) return false;
  if (auto* call = dyn_cast<CallInst>(&instruction)) {
    Function* callee = call->getCalledFunction();
    if (!callee) return false;
    const Intrinsic::ID id = callee->getIntrinsicID();
    if (id != Intrinsic::not_intrinsic) return id == Intrinsic::assume || isTriviallyVectorizable(id);
    return can_widen(*callee);
  }
  return isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst, FreezeInst, PHINode, BranchInst,
             ReturnInst>(instruction);
}

/// The body of one function, written in lanes.
class Widening {
 public:
  Widening(IRBuilder<>& builder, Function& function, ArrayRef<Value*> args, unsigned lanes)
      : builder_(builder), function_(function), lanes_(lanes) {
    for (size_t i = 0; i < args.size(); ++i) values_[function.getArg(i)] = args[i];
  }

  Value* run() {
    ReversePostOrderTraversal<Function*> blocks(&function_);
    for (BasicBlock* block : blocks) {
      Value* reached = reached_of(block);
      for (Instruction& instruction : *block) {
        if (auto* back = dyn_cast<ReturnInst>(&instruction)) {
          Value* value = of(back->getReturnValue());
          result_ = result_ && reached ? builder_.CreateSelect(reached, value, result_) : value;
        } else if (auto* branch = dyn_cast<BranchInst>(&instruction)) {
          leave(block, *branch, reached);
        } else {
          values_[&instruction] = write(instruction);
        }
      }
    }
    return result_;
  }

 private:
  using Edge = std::pair<const BasicBlock*, const BasicBlock*>;

  Value* of(Value* value) {
    if (auto* constant = dyn_cast<Constant>(value)) {
      return lanes_ == 1 ? constant : ConstantVector::getSplat(ElementCount::getFixed(lanes_), constant);
    }
    return values_.lookup(value);
  }

  /// In which lanes a block is reached; null: in all.
  Value* reached_of(BasicBlock* block) {
    if (block == &function_.getEntryBlock()) return nullptr;
    Value* reached = nullptr;
    for (BasicBlock* before : predecessors(block)) {
      Value* taken = edges_.lookup({before, block});
      if (!taken) return nullptr;
      reached = reached ? builder_.CreateOr(reached, taken) : taken;
    }
    return reached;
  }

  void leave(BasicBlock* block, BranchInst& branch, Value* reached) {
    if (branch.isUnconditional()) {
      edges_[{block, branch.getSuccessor(0)}] = reached;
      return;
    }
    Value* condition = of(branch.getCondition());
    Value* otherwise = builder_.CreateNot(condition);
    edges_[{block, branch.getSuccessor(0)}] =
        reached ? builder_.CreateLogicalAnd(reached, condition) : condition;
    edges_[{block, branch.getSuccessor(1)}] =
        reached ? builder_.CreateLogicalAnd(reached, otherwise) : otherwise;
  }

  Value* write(Instruction& instruction) {
    if (auto* phi = dyn_cast<PHINode>(&instruction)) return choose(*phi);
    if (auto* call = dyn_cast<CallInst>(&instruction)) return write_call(*call);
    if (auto* cast = dyn_cast<CastInst>(&instruction)) {
      return builder_.CreateCast(cast->getOpcode(), of(cast->getOperand(0)),
                                 widened(cast->getType(), lanes_));
    }
    if (auto* compare = dyn_cast<CmpInst>(&instruction)) {
      return builder_.CreateCmp(compare->getPredicate(), of(compare->getOperand(0)),
                                of(compare->getOperand(1)));
    }
    if (isa<SelectInst>(instruction)) {
      return builder_.CreateSelect(of(instruction.getOperand(0)), of(instruction.getOperand(1)),
                                   of(instruction.getOperand(2)));
    }
    if (isa<FreezeInst>(instruction)) return builder_.CreateFreeze(of(instruction.getOperand(0)));
    if (isa<UnaryOperator>(instruction)) return builder_.CreateFNeg(of(instruction.getOperand(0)));
    auto& binary = cast<BinaryOperator>(instruction);
    return builder_.CreateBinOp(binary.getOpcode(), of(binary.getOperand(0)), of(binary.getOperand(1)));
  }

  Value* choose(PHINode& phi) {
    Value* chosen = of(phi.getIncomingValue(0));
    for (unsigned i = 1; i < phi.getNumIncomingValues(); ++i) {
      Value* taken = edges_.lookup({phi.getIncomingBlock(i), phi.getParent()});
      Value* value = of(phi.getIncomingValue(i));
      chosen = taken ? builder_.CreateSelect(taken, value, chosen) : value;
    }
    return chosen;
  }

  Value* write_call(CallInst& call) {
    Function* callee = call.getCalledFunction();
    const Intrinsic::ID id = callee->getIntrinsicID();
    if (id == Intrinsic::assume) return nullptr;
    SmallVector<Value*, 4> args;
    if (id == Intrinsic::not_intrinsic) {
      for (Value* arg : call.args()) args.push_back(of(arg));
      return widen(builder_, *callee, args, lanes_);
    }
    SmallVector<Type*, 2> types;
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
      types.push_back(widened(call.getType(), lanes_));
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      Value* arg = call.getArgOperand(i);
      const bool plain = isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr);
      args.push_back(plain ? arg : of(arg));
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i), nullptr))
        types.push_back(args.back()->getType());
    }
    return builder_.CreateIntrinsic(id, types, args);
  }

  IRBuilder<>& builder_;
  Function& function_;
  unsigned lanes_;
  DenseMap<Value*, Value*> values_;
  DenseMap<Edge, Value*> edges_;
  Value* result_ = nullptr;
};

}  // namespace

bool can_widen(Function& function) {
  read_body(function);
  if (function.empty() || has_loop(function)) return false;
  for (BasicBlock& block : function) {
    const bool conditional = &block != &function.getEntryBlock();
    for (Instruction& instruction : block) {
      if (!widens(instruction, conditional)) return false;
    }
  }
  return true;
}

Value* widen(IRBuilder<>& builder, Function& function, ArrayRef<Value*> args, unsigned lanes) {
  return Widening(builder, function, args, lanes).run();
}

Value* call_lanes(IRBuilder<>& builder, Function& function, ArrayRef<Value*> args, unsigned lanes) {
  Module& module = *builder.GetInsertBlock()->getModule();
  const FunctionCallee callee =
      module.getOrInsertFunction(function.getName(), function.getFunctionType(), function.getAttributes());
  auto call = [&](ArrayRef<Value*> plain) {
    CallInst* made = builder.CreateCall(callee, plain);
    made->setAttributes(function.getAttributes());
    return made;
  };
  if (lanes == 1) return call(args);
  Value* result = PoisonValue::get(widened(function.getReturnType(), lanes));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    SmallVector<Value*, 4> plain;
    for (Value* arg : args) plain.push_back(builder.CreateExtractElement(arg, lane));
    result = builder.CreateInsertElement(result, call(plain), lane);
  }
  return result;
}

}  // namespace dyad::codegen
