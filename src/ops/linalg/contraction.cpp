#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(copy, diagonal, ones, inverse, matmul, broadcast_to, permute, reshape, sub, sum, triangle);

/// A tensor whose axes have names: letters, and digits for the axes of an ellipsis.
struct Labeled {
  Value value;
  std::string labels;

  size_t find(char label) const { return labels.find(label); }
  bool has(char label) const { return find(label) != std::string::npos; }
};

Dim size_along(const Labeled& x, char label) { return x.has(label) ? x.value->shape[x.find(label)] : Dim(1); }

/// Repeated labels name a diagonal.
void take_diagonals(Labeled& x) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    const size_t again = x.labels.find(x.labels[i], i + 1);
    if (again == std::string::npos) continue;
    const char label = x.labels[i];
    x.value = diagonal(x.value, 0, static_cast<int64_t>(i), static_cast<int64_t>(again));
    x.labels.erase(again, 1);
    x.labels.erase(i, 1);
    x.labels.push_back(label);
    return take_diagonals(x);
  }
}

void sum_out(Labeled& x, const std::string& kept) {
  Dims axes;
  std::string labels;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (kept.find(x.labels[i]) == std::string::npos) {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      labels.push_back(x.labels[i]);
    }
  }
  if (axes.empty()) return;
  x.value = sum(x.value, axes);
  x.labels = labels;
}

/// The axes in the order of `groups`, each group flattened to one axis.
Value grouped(const Labeled& x, const std::vector<std::string>& groups) {
  Dims order;
  Shape shape;
  for (const std::string& group : groups) {
    Dim size = 1;
    for (char label : group) {
      order.push_back(static_cast<int64_t>(x.find(label)));
      size = size * size_along(x, label);
    }
    shape.push_back(size);
  }
  return reshape(permute(x.value, order), shape);
}

/// Two operands become one matrix product: shared labels that are still needed make the stack, shared ones
/// that are not are summed.
Labeled contract(Labeled a, Labeled b, const std::string& needed) {
  auto keep = [&](const Labeled& other) { return needed + other.labels; };
  sum_out(a, keep(b));
  sum_out(b, keep(a));
  std::string stack, inner, left, right;
  for (char label : a.labels) {
    if (!b.has(label)) {
      left.push_back(label);
    } else {
      (needed.find(label) == std::string::npos ? inner : stack).push_back(label);
    }
  }
  for (char label : b.labels) {
    if (!a.has(label)) right.push_back(label);
  }
  // A shared axis may be 1 on one side: it broadcasts.
  for (char label : stack + inner) {
    for (Labeled* x : {&a, &b}) {
      const Labeled& other = x == &a ? b : a;
      if (size_along(*x, label) == Dim(1) && !(size_along(other, label) == Dim(1))) {
        Shape shape = x->value->shape;
        shape[x->find(label)] = size_along(other, label);
        x->value = broadcast_to(x->value, shape);
      }
    }
  }
  Shape shape;
  for (char label : stack + left) shape.push_back(size_along(a, label));
  for (char label : right) shape.push_back(size_along(b, label));
  const Value product = matmul(grouped(a, {stack, left, inner}), grouped(b, {stack, inner, right}));
  return {reshape(product, shape), stack + left + right};
}

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

[[noreturn]] void refuse(const Call& call, std::string_view what) {
  value_error(call.op(), ": the equation '", call.text(0), "' ", what);
}

/// Labels of one operand; an ellipsis becomes as many digits as the operand has unnamed axes, counted from
/// the back.
std::string read_labels(const Call& call, const std::string& text, int64_t rank, int64_t& widest) {
  const size_t dots = text.find("...");
  const int64_t named = static_cast<int64_t>(text.size()) - (dots == std::string::npos ? 0 : 3);
  const int64_t unnamed = rank < 0 ? widest : rank - named;
  if (unnamed < 0 || (dots == std::string::npos && rank >= 0 && unnamed != 0)) {
    refuse(call, cat("names ", named, " axes of an operand that has ", rank));
  }
  if (unnamed > 9) refuse(call, "stands for more than 9 unnamed axes");
  widest = std::max(widest, unnamed);
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      for (int64_t d = unnamed; d-- > 0;) labels.push_back(static_cast<char>('0' + d));
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      labels.push_back(text[i]);
    } else {
      refuse(call,
             cat("contains '", std::string(1, text[i]), "'; accepted are letters, ',', '->' and '...'"));
    }
  }
  return labels;
}

std::string implied_output(const std::vector<std::string>& inputs) {
  std::string letters, digits;
  for (const std::string& labels : inputs) {
    for (char label : labels) {
      size_t count = 0;
      for (const std::string& other : inputs)
        count += static_cast<size_t>(std::count(other.begin(), other.end(), label));
      const bool digit = label <= '9';
      if (digit && digits.find(label) == std::string::npos) digits.push_back(label);
      if (!digit && count == 1) letters.push_back(label);
    }
  }
  std::sort(letters.begin(), letters.end());
  std::sort(digits.rbegin(), digits.rend());
  return digits + letters;
}

Equation parse(const Call& call) {
  std::string text = call.text(0);
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  std::vector<std::string> parts{""};
  for (char c : text.substr(0, arrow)) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  const ValueList& operands = call.values(1);
  for (const Value& operand : operands) {
    if (!operand) type_error(call.op(), ": the list of operands holds None; every entry must be a Tensor");
  }
  if (parts.size() != operands.size()) {
    refuse(call, cat("describes ", parts.size(), " operands, but ", operands.size(), " are given"));
  }
  Equation equation;
  int64_t widest = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    equation.inputs.push_back(read_labels(call, parts[i], operands[i]->rank(), widest));
  }
  if (arrow == std::string::npos) {
    equation.output = implied_output(equation.inputs);
    return equation;
  }
  equation.output = read_labels(call, text.substr(arrow + 2), -1, widest);
  for (char label : equation.output) {
    const bool known =
        std::any_of(equation.inputs.begin(), equation.inputs.end(),
                    [&](const std::string& labels) { return labels.find(label) != std::string::npos; });
    if (!known && label > '9')
      refuse(call, cat("asks for '", std::string(1, label), "', which no operand has"));
    if (std::count(equation.output.begin(), equation.output.end(), label) > 1) {
      refuse(call, cat("asks for '", std::string(1, label), "' twice"));
    }
  }
  std::erase_if(equation.output, [&](char label) {
    return label <= '9' &&
           std::none_of(equation.inputs.begin(), equation.inputs.end(),
                        [&](const std::string& labels) { return labels.find(label) != std::string::npos; });
  });
  return equation;
}

void check_sizes(const Call& call, const std::vector<Labeled>& operands) {
  for (const Labeled& a : operands) {
    for (const Labeled& b : operands) {
      for (char label : a.labels) {
        const Dim m = size_along(a, label);
        const Dim n = size_along(b, label);
        if (m.known() && n.known() && m.value() != 1 && n.value() != 1 && !(m == n)) {
          refuse(call, cat("gives the sizes ", m, " and ", n, " to one label"));
        }
      }
    }
  }
}

Value einsum_body(const Call& call) {
  const Equation equation = parse(call);
  std::vector<Labeled> operands;
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    operands.push_back({call.values(1)[i], equation.inputs[i]});
    take_diagonals(operands.back());
  }
  check_sizes(call, operands);
  Labeled result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string needed = equation.output;
    for (size_t later = i + 1; later < operands.size(); ++later) needed += operands[later].labels;
    result = contract(result, operands[i], needed);
  }
  sum_out(result, equation.output);
  Dims order;
  for (char label : equation.output) order.push_back(static_cast<int64_t>(result.find(label)));
  return order.empty() ? result.value : permute(result.value, order);
}

/// Axes of both operands to sum over: the last n of one and the first n of the other, or two lists.
Value tensor_dot_body(const Call& call) {
  const Value& a = call.value(0);
  const Value& b = call.value(1);
  const Dims& given = call.dims(2);
  std::vector<int64_t> left, right;
  if (call.has(3)) {
    for (Dim d : given) left.push_back(normalize_axis(call.op(), d.value(), a->rank()));
    for (Dim d : call.dims(3)) right.push_back(normalize_axis(call.op(), d.value(), b->rank()));
  } else if (given.size() == 1) {
    const int64_t count = given[0].value();
    if (count < 0 || count > a->rank() || count > b->rank()) {
      value_error(call.op(), ": axes is ", count, " with shapes ", a->shape, " and ", b->shape,
                  "; it must be between 0 and the smaller rank");
    }
    for (int64_t i = 0; i < count; ++i) {
      left.push_back(a->rank() - count + i);
      right.push_back(i);
    }
  } else if (given.size() == 2) {
    left.push_back(normalize_axis(call.op(), given[0].value(), a->rank()));
    right.push_back(normalize_axis(call.op(), given[1].value(), b->rank()));
  }
  if (left.size() != right.size())
    value_error(call.op(), ": ", left.size(), " axes meet ", right.size(), "; need as many");
  Labeled x{a, {}}, y{b, {}};
  if (a->rank() + b->rank() > 52) value_error(call.op(), ": the operands have more than 52 axes together");
  for (int64_t i = 0; i < a->rank(); ++i) x.labels.push_back(static_cast<char>('A' + i));
  for (int64_t i = 0; i < b->rank(); ++i) y.labels.push_back(static_cast<char>('a' + i));
  std::string output = x.labels + y.labels;
  for (size_t i = 0; i < left.size(); ++i) {
    const Dim m = a->shape[static_cast<size_t>(left[i])];
    const Dim n = b->shape[static_cast<size_t>(right[i])];
    if (m.known() && n.known() && !(m == n)) {
      value_error(call.op(), ": axes of sizes ", m, " and ", n, " meet in shapes ", a->shape, " and ",
                  b->shape, "; sizes must agree");
    }
    const char label = x.labels[static_cast<size_t>(left[i])];
    y.labels[static_cast<size_t>(right[i])] = label;
    std::erase(output, label);
    std::erase(output, static_cast<char>('a' + right[i]));
  }
  return contract(x, y, output).value;
}

}  // namespace

DYAD_OP("einsum(equation: str, operands: Tensors) -> Tensor")
    .doc(
        "Einstein summation: axes with the same letter are multiplied elementwise, and letters that are not "
        "in the result are summed over.")
    .formula("out[i, k] = Σⱼ a[i, j] · b[j, k]", "equation='ij,jk->ik'")
    .arg("equation",
         "letters for the axes of each operand, separated by commas, and after '->' those of the result; '…' "
         "is written '...'.")
    .arg("operands", "a tensor for each term of the equation.")
    .returns("Tensor whose axes are the letters after '->'.")
    .see("ops.matmul, ops.tensor_dot")
    .function("einsum(equation, *operands)")
    .mint("einsum")
    .compose([](const Call& call) { return einsum_body(call); })
    .autocast(Autocast::kLow)
    .numpy("np.einsum(equation, *operands)")
    .samples("call('ij,jk->ik', [T(2, 3), T(3, 4)])", "call('bij,bjk', [T(2, 3, 4), T(2, 4, 2)])",
             "call('ii->i', [T(3, 3)])", "call('ii', [T(3, 3)])",
             "call('...ij,...jk->...ik', [T(2, 3, 4), T(4, 2)])", "call('i,j,k->kij', [T(2), T(3), T(4)])",
             "call('ijk->ki', [T(2, 3, 4)])", "call('bhqd,bhkd->bhqk', [T(2, 2, 3, 4), T(2, 2, 5, 4)])")
    .rejects("ops.einsum('i,i', ones(2), None)", "TypeError", "einsum: the list of operands holds None")
    .rejects("ops.einsum('ij,jk', ones(2, 3))", "ValueError", "describes 2 operands, but 1 are given")
    .rejects("ops.einsum('ij->ik', ones(2, 3))", "ValueError", "asks for 'k'");

DYAD_OP("tensor_dot(x1: Tensor, x2: Tensor, axes: ints=2, second_axes: ints?=None) -> Tensor")
    .doc(
        "Sum of products over the last `axes` axes of the first operand and the first of the second, or over "
        "the named axes of each.")
    .hidden()
    .compose([](const Call& call) { return tensor_dot_body(call); })
    .autocast(Autocast::kLow)
    .numpy(
        "np.tensordot(x1, x2, axes if isinstance(axes, int) or second_axes is None else (axes, second_axes))")
    .samples("call(T(2, 3, 4), T(3, 4, 5), 2)", "call(T(2, 3), T(4, 2), (0, 1))", "call(T(2, 3), T(4), 0)",
             "call(T(2, 3, 4), T(4, 3, 5), (1, 2), (1, 0))")
    .rejects("ops.tensor_dot(ones(2, 3), ones(4, 2), 1)", "ValueError", "axes of sizes 3 and 4 meet");

DYAD_OP("matrix_power(input: Tensor, n: int) -> Tensor")
    .doc("Matrix power of each square matrix; negative powers are powers of the inverse.")
    .formula("out = inputⁿ = input @ input @ … @ input (n times)", "n > 0")
    .formula("out = identity", "n = 0")
    .formula("out = (input⁻¹)⁻ⁿ", "n < 0")
    .arg("input", "numbers of shape (*batch, m, m).")
    .arg("n", "exponent.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.matmul, ops.inverse")
    .method()
    .primitive("MatrixPower(n)(x:input)")
    .compose_wide([](const Call& call) {
      Value x = call.value(0);
      if (x->rank() < 2 || !(x->shape.back() == x->shape[x->shape.size() - 2])) {
        value_error(call.op(), ": input has shape ", x->shape, "; the last two sizes must be equal");
      }
      int64_t n = call.integer(1);
      if (n == 0) {
        const Value full = ones(call.builder(), Dims{x->shape.back(), x->shape.back()}, x->dtype);
        return copy(broadcast_to(sub(triangle(full), triangle(full, -1)), x->shape));
      }
      if (n == 1) return copy(x);
      if (n < 0) x = inverse(x);
      uint64_t rest = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
      Value result;
      for (;; x = matmul(x, x)) {
        if (rest & 1) result = result ? matmul(result, x) : x;
        rest >>= 1;
        if (rest == 0) return result;
      }
    })
    .numpy("np.linalg.matrix_power(input, n)")
    .samples("call(T(3, 3), 3)", "call(T(2, 3, 3), 0)", "call(T(2, 3, 3), 6)")
    .rejects("ops.matrix_power(ones(2, 3), 2)", "ValueError", "matrix_power: input has shape (2, 3)");

}  // namespace dyad
