#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "types/arg.h"

namespace dyad {

/// What an argument may be. In a signature's text:
///   Tensor       a Tensor                       Operand      a Tensor, a number, or nested lists of numbers
///   Number       a Python number                int float bool str dtype
///   ints         an int or a sequence of ints   floats       a number or a sequence of numbers
///   sizes        as ints; None among them keeps a size, as -1 does
///   pairs        a sequence of pairs of ints, given flat
///   Tensors      a sequence of Tensors          Order        a number or a str (the order of a norm)
///   `?` after the kind: None is accepted
enum class ParamKind : uint8_t {
  kTensor,
  kOperand,
  kNumber,
  kInt,
  kFloat,
  kBool,
  kStr,
  kDType,
  kInts,
  kSizes,
  kFloats,
  kPairs,
  kTensors,
  kOrder,
  kSize,   ///< an int, in a graph possibly one that is known when it runs
  kBound,  ///< a number, of which an int need not be known either
};
std::string_view kind_text(ParamKind kind);

/// One parameter of a signature.
struct Param {
  std::string name;
  ParamKind kind = ParamKind::kTensor;
  bool optional = false;  ///< None is accepted
  bool has_default = false;
  Arg default_value;
  std::string default_text;
};

/// `name(input: Tensor, axis: ints?=None) -> Tensor`: the operator's own parameters, in the order of
/// Arguments.
struct Signature {
  std::string name;
  std::vector<Param> params;
  int results = 1;  ///< -1: as many as the arguments ask for, returned as a tuple
  bool results_listed = false;
  bool lone_result = false;  ///< `-> Tensor or Tensors`: a single result is returned as itself

  int find(std::string_view param) const;
};

/// One way to call an operator from Python: function, method or Primitive class. It orders the operator's
/// parameters in its own way and may give other defaults.
struct FaceParam {
  std::string name;  ///< as Python callers spell it
  int target = 0;    ///< index into Signature::params
  bool keyword_only = false;
  bool gathers = false;  ///< `*shape`: takes all remaining positional arguments
  bool has_default = false;
  Arg default_value;
  std::string default_text;
};
/// Another spelling of an operator: its name, and how its parameters are those of the signature.
struct Face {
  std::string name;
  std::vector<FaceParam> params;
};

/// Parses a signature's text; a malformed one is an internal error naming it.
Signature parse_signature(std::string_view text);
/// Parses `name(param, other:canonical=default, *, keyword_only=1, *gathers)` against a signature.
Face parse_face(std::string_view text, const Signature& signature);
/// The face that shows the signature as it is.
Face plain_face(const Signature& signature);

}  // namespace dyad
