#include "codegen/llvm/emit_loop.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/Error.h>

#include "codegen/llvm/compiler.h"
#include "codegen/llvm/widen.h"

namespace dyad::codegen {

namespace {

using namespace llvm;  // NOLINT(google-build-using-namespace): every other word here is one of LLVM
using Emitted = codegen::Instruction;

const char* name_of(DType dtype) {
  constexpr const char* names[] = {"bool_",  "int8",   "int16",   "int32",    "int64",   "uint8",  "uint16",
                                   "uint32", "uint64", "float16", "bfloat16", "float32", "float64"};
  return names[static_cast<size_t>(dtype)];
}

unsigned bytes_of(DType dtype) {
  constexpr unsigned bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return bytes[static_cast<size_t>(dtype)];
}

/// The type of a value in registers. Narrow floats travel as their bits.
Type* register_type(LLVMContext& context, DType dtype) {
  if (dtype == DType::kBool) return Type::getInt1Ty(context);
  if (dtype == DType::kFloat32) return Type::getFloatTy(context);
  if (dtype == DType::kFloat64) return Type::getDoubleTy(context);
  return Type::getIntNTy(context, bytes_of(dtype) * 8);
}
Type* memory_type(LLVMContext& context, DType dtype) {
  return dtype == DType::kBool ? Type::getInt8Ty(context) : register_type(context, dtype);
}

/// Elements that are computed at once: as many of the widest type as a register holds.
unsigned lanes_of(const Loop& loop, const Target& target) {
  unsigned widest = 1;
  for (const Emitted& instruction : loop.body) {
    widest = std::max({widest, bytes_of(instruction.dtype), bytes_of(instruction.from)});
  }
  return target.vector_bytes / widest;
}

constexpr size_t kLongBody = 64;

/// Whether a predicate is false for every number.
bool never(llvm::Function& predicate) {
  if (predicate.isMaterializable()) cantFail(predicate.materialize());
  auto* answer = dyn_cast<ReturnInst>(predicate.getEntryBlock().getTerminator());
  auto* constant = answer ? dyn_cast<ConstantInt>(answer->getReturnValue()) : nullptr;
  return constant && constant->isZero();
}

class Emission {
 public:
  Emission(const Loop& loop, const Target& target, llvm::Module& definitions)
      : loop_(loop),
        target_(target),
        definitions_(definitions),
        context_(definitions.getContext()),
        module_(std::make_unique<llvm::Module>("loop", context_)),
        builder_(context_),
        lanes_(lanes_of(loop, target)) {
    module_->setDataLayout(definitions.getDataLayout());
    module_->setTargetTriple(definitions.getTargetTriple());
  }

  std::unique_ptr<llvm::Module> run() {
    Type* word = builder_.getInt64Ty();
    Type* pointer = builder_.getPtrTy();
    auto* type = FunctionType::get(builder_.getVoidTy(), {word, word, pointer, pointer}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kLoopSymbol, *module_);
    function_->addFnAttr(Attribute::NoUnwind);
    builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", function_));
    const size_t operands = loop_.loads.size() + loop_.stores.size();
    for (size_t i = 0; i < operands; ++i) {
      bases_.push_back(element_of(pointer, function_->getArg(2), i));
      distances_.push_back(element_of(word, function_->getArg(3), i));
    }
    Value* count = function_->getArg(1);
    repeat(function_->getArg(0), 1, [&](Value* row) { emit_row(row, count); });
    builder_.CreateRetVoid();
    return std::move(module_);
  }
  bool linked() const { return linked_; }

 private:
  /// Which form of a definition is written.
  enum class Form : uint8_t { kFast, kWhole };

  Value* element_of(Type* type, Value* base, size_t i) {
    return builder_.CreateLoad(type, builder_.CreateConstInBoundsGEP1_64(type, base, i));
  }

  /// `body(i)` for i = 0, step, … below `end`; nothing if that is not positive.
  template <class Body>
  void repeat(Value* end, unsigned step, const Body& body, Value* begin = nullptr) {
    if (!begin) begin = builder_.getInt64(0);
    BasicBlock* before = builder_.GetInsertBlock();
    BasicBlock* inside = BasicBlock::Create(context_, "inside", function_);
    BasicBlock* after = BasicBlock::Create(context_, "after", function_);
    builder_.CreateCondBr(builder_.CreateICmpSLT(begin, end), inside, after);
    builder_.SetInsertPoint(inside);
    PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    body(i);
    Value* next = builder_.CreateAdd(i, builder_.getInt64(step));
    i->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), inside, after);
    builder_.SetInsertPoint(after);
  }

  void emit_row(Value* row, Value* count) {
    rows_.clear();
    for (size_t i = 0; i < bases_.size(); ++i) {
      Value* offset = builder_.CreateMul(row, distances_[i]);
      rows_.push_back(builder_.CreateGEP(builder_.getInt8Ty(), bases_[i], offset));
    }
    emit_uniform();
    if (lanes_ == 1) {
      repeat(count, 1, [&](Value* at) { emit_elements(at, 1, nullptr); });
      return;
    }
    // A mask costs a little in every step, a second copy of the body costs time now: a long body is written
    // once.
    const bool once = target_.masks && body_size() > kLongBody;
    Value* whole = builder_.getInt64(0);
    if (!once) {
      whole = builder_.CreateAnd(count, builder_.getInt64(~uint64_t{lanes_ - 1}));
      repeat(whole, lanes_, [&](Value* at) { emit_elements(at, lanes_, nullptr); });
    }
    if (target_.masks) {
      repeat(count, lanes_, [&](Value* at) { emit_elements(at, lanes_, mask(at, count)); }, whole);
    } else {
      repeat(count, 1, [&](Value* at) { emit_elements(at, 1, nullptr); }, whole);
    }
  }

  /// Instructions that the body becomes, roughly.
  size_t body_size() {
    size_t size = 0;
    for (const Emitted& instruction : loop_.body) {
      llvm::Function* definition = definitions_.getFunction(symbol_of(instruction));
      if (!definition) continue;
      if (definition->isMaterializable()) cantFail(definition->materialize());
      size += definition->getInstructionCount();
    }
    return size;
  }

  /// The definition that an instruction calls; empty if it calls none.
  static std::string symbol_of(const Emitted& instruction) {
    if (instruction.kind == Emitted::Kind::kConvert)
      return std::string("dyad_convert_") + name_of(instruction.from) + "_" + name_of(instruction.dtype);
    if (instruction.kind == Emitted::Kind::kApply)
      return "dyad_" + instruction.name + "_" + name_of(instruction.from);
    return "";
  }

  /// Which lanes are still elements of the row.
  Value* mask(Value* at, Value* count) {
    Type* lane = builder_.getIntNTy(target_.vector_bytes * 8 / lanes_);
    std::vector<Constant*> numbers;
    for (unsigned i = 0; i < lanes_; ++i) numbers.push_back(ConstantInt::get(lane, i));
    Value* left = builder_.CreateBinaryIntrinsic(Intrinsic::umin, builder_.CreateSub(count, at),
                                                 builder_.getInt64(lanes_));
    Value* limit = builder_.CreateVectorSplat(lanes_, builder_.CreateTrunc(left, lane));
    return builder_.CreateICmpULT(ConstantVector::get(numbers), limit);
  }

  /// Values that are the same for the whole row, once per row.
  void emit_uniform() {
    uniform_.assign(loop_.body.size(), nullptr);
    for (size_t i = 0; i < loop_.body.size(); ++i) {
      const Emitted& instruction = loop_.body[i];
      const bool next =
          instruction.kind == Emitted::Kind::kLoad && loop_.loads[instruction.number].step == Step::kNext;
      const bool uniform = !next && std::all_of(instruction.args.begin(), instruction.args.end(),
                                                [&](uint32_t arg) { return uniform_[arg] != nullptr; });
      if (!uniform) continue;
      std::vector<Value*> args;
      for (const uint32_t arg : instruction.args) args.push_back(uniform_[arg]);
      uniform_[i] = emit(instruction, args, builder_.getInt64(0), 1, nullptr, Form::kWhole);
    }
  }

  void emit_elements(Value* at, unsigned lanes, Value* mask) {
    std::vector<Value*> values(loop_.body.size());
    rare_ = nullptr;
    emit_body(values, at, lanes, mask, lanes > 1 ? Form::kFast : Form::kWhole);
    if (rare_) {
      if (mask) rare_ = builder_.CreateAnd(rare_, mask);
      redo_rare(values, at, lanes, mask);
    }
    for (size_t i = 0; i < loop_.stored.size(); ++i) {
      store(i, value_in(values, loop_.stored[i], lanes), at, lanes, mask);
    }
  }

  /// The value in all lanes; one that is the same for the whole row is spread where it is first used.
  Value* value_in(std::vector<Value*>& values, uint32_t i, unsigned lanes) {
    if (!values[i]) values[i] = lanes == 1 ? uniform_[i] : builder_.CreateVectorSplat(lanes, uniform_[i]);
    return values[i];
  }

  void emit_body(std::vector<Value*>& values, Value* at, unsigned lanes, Value* mask, Form form) {
    for (size_t i = 0; i < loop_.body.size(); ++i) {
      if (uniform_[i] || values[i]) continue;
      std::vector<Value*> args;
      for (const uint32_t arg : loop_.body[i].args) args.push_back(value_in(values, arg, lanes));
      values[i] = emit(loop_.body[i], args, at, lanes, mask, form);
    }
  }

  /// If any lane holds a number for which a fast form does not hold, everything is computed again from what
  /// was loaded. Nothing has been stored yet.
  void redo_rare(std::vector<Value*>& values, Value* at, unsigned lanes, Value* mask) {
    BasicBlock* before = builder_.GetInsertBlock();
    BasicBlock* again = BasicBlock::Create(context_, "again", function_);
    BasicBlock* after = BasicBlock::Create(context_, "stores", function_);
    for (const uint32_t stored : loop_.stored) value_in(values, stored, lanes);
    builder_.CreateCondBr(builder_.CreateOrReduce(rare_), again, after);
    builder_.SetInsertPoint(again);
    std::vector<Value*> whole(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (loop_.body[i].kind == Emitted::Kind::kLoad) whole[i] = values[i];
    }
    emit_body(whole, at, lanes, mask, Form::kWhole);
    for (const uint32_t stored : loop_.stored) value_in(whole, stored, lanes);
    BasicBlock* redone = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
    std::vector<Value*> chosen(values.size());
    for (const uint32_t stored : loop_.stored) {
      if (chosen[stored]) continue;
      PHINode* either = builder_.CreatePHI(values[stored]->getType(), 2);
      either->addIncoming(values[stored], before);
      either->addIncoming(whole[stored], redone);
      chosen[stored] = either;
    }
    values = std::move(chosen);
  }

  void store(size_t number, Value* value, Value* at, unsigned lanes, Value* mask) {
    const DType dtype = loop_.stores[number].dtype;
    Type* stored = memory_type(context_, dtype);
    Value* ref = builder_.CreateInBoundsGEP(stored, rows_[loop_.loads.size() + number], at);
    if (dtype == DType::kBool)
      value = builder_.CreateZExt(value, lanes == 1 ? stored : FixedVectorType::get(stored, lanes));
    if (mask) {
      builder_.CreateMaskedStore(value, ref, Align(bytes_of(dtype)), mask);
    } else {
      builder_.CreateAlignedStore(value, ref, Align(bytes_of(dtype)));
    }
  }

  Value* emit(const Emitted& instruction, ArrayRef<Value*> args, Value* at, unsigned lanes, Value* mask,
              Form form) {
    switch (instruction.kind) {
      case Emitted::Kind::kLoad:
        return emit_load(instruction.number, at, lanes, mask);
      case Emitted::Kind::kConstant:
        return emit_constant(instruction.dtype, instruction.bits);
      case Emitted::Kind::kConvert:
        return apply(symbol_of(instruction), args, lanes);
      case Emitted::Kind::kApply:
        return apply_guarded(symbol_of(instruction), args, lanes, form);
    }
    return nullptr;
  }

  Value* emit_load(uint32_t number, Value* at, unsigned lanes, Value* mask) {
    const DType dtype = loop_.loads[number].dtype;
    Type* element = memory_type(context_, dtype);
    Type* type = lanes == 1 ? element : FixedVectorType::get(element, lanes);
    Value* ref = builder_.CreateInBoundsGEP(element, rows_[number], at);
    const Align align(bytes_of(dtype));
    Value* value = mask ? static_cast<Value*>(
                              builder_.CreateMaskedLoad(type, ref, align, mask, Constant::getNullValue(type)))
                        : builder_.CreateAlignedLoad(type, ref, align);
    return dtype == DType::kBool ? builder_.CreateICmpNE(value, Constant::getNullValue(type)) : value;
  }

  Value* emit_constant(DType dtype, uint64_t bits) {
    Type* type = register_type(context_, dtype);
    if (dtype == DType::kBool) return ConstantInt::get(type, bits != 0);
    Constant* word = ConstantInt::get(Type::getIntNTy(context_, bytes_of(dtype) * 8), bits);
    return ConstantExpr::getBitCast(word, type);
  }

  /// A definition with a form for all but rare numbers: by it alone, while `rare_` collects where it does not
  /// hold, or exactly in every lane.
  Value* apply_guarded(const std::string& symbol, ArrayRef<Value*> args, unsigned lanes, Form form) {
    llvm::Function* rare = definitions_.getFunction(symbol + "_rare");
    if (!rare || never(*rare)) return apply(symbol, args, lanes);
    Value* fast = apply(symbol + "_fast", args, lanes);
    Value* exceptions = apply(symbol + "_rare", args, lanes);
    if (form == Form::kWhole) return builder_.CreateSelect(exceptions, apply(symbol, args, lanes), fast);
    rare_ = rare_ ? builder_.CreateOr(rare_, exceptions) : exceptions;
    return fast;
  }

  Value* apply(const std::string& symbol, ArrayRef<Value*> args, unsigned lanes) {
    llvm::Function* definition = definitions_.getFunction(symbol);
    if (!definition) report_fatal_error(Twine("no scalar definition ", symbol));
    if (can_widen(*definition)) return widen(builder_, *definition, args, lanes);
    linked_ = true;
    return call_lanes(builder_, *definition, args, lanes);
  }

  const Loop& loop_;
  const Target& target_;
  llvm::Module& definitions_;
  LLVMContext& context_;
  std::unique_ptr<llvm::Module> module_;
  IRBuilder<> builder_;
  unsigned lanes_;
  llvm::Function* function_ = nullptr;
  std::vector<Value*> bases_;
  std::vector<Value*> distances_;
  std::vector<Value*> rows_;     ///< where the row begins, per operand
  Value* rare_ = nullptr;        ///< lanes in which a fast form does not hold
  std::vector<Value*> uniform_;  ///< per value, what it is for the whole row; null if it differs
  bool linked_ = false;
};

}  // namespace

std::unique_ptr<llvm::Module> emit_loop(const Loop& loop, const Target& target, llvm::Module& definitions,
                                        bool& linked) {
  Emission emission(loop, target, definitions);
  std::unique_ptr<llvm::Module> module = emission.run();
  linked = emission.linked();
  return module;
}

}  // namespace dyad::codegen
