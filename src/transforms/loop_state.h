#pragma once

#include <array>
#include <span>
#include <vector>

namespace dyad::transforms {

// What the loops of this room carry from turn to turn, in named parts. `T` is what is told of each variable:
// its type, a value of the graph, an item of the tracer. A node of the graph knows them one after the other:
// `flatten` and `unflatten` go from the one to the other, and nothing else counts variables.

/// The forward of a loop that is differentiated:
///     while c(x, k):  x, r = f(x, k);  n = n + 1;  S = push(S, r)
template <class T>
struct LoopForwardState {
  std::vector<T> carried;    ///< x: the variables of the program's loop
  std::vector<T> rounds;     ///< n: how many there were, one number
  std::vector<T> stacks;     ///< S: the residuals of each round
  std::vector<T> constants;  ///< k: what does not change; parameters of the functions but no variables

  auto parts() { return std::array{&carried, &rounds, &stacks, &constants}; }
  auto parts() const { return std::array{&carried, &rounds, &stacks, &constants}; }
};

/// Its backward, which goes through the rounds from the last to the first:
///     while n > 0:  S, r = pop(S);  x̄, d = f̄(r, k, x̄);  k̄ = k̄ + d;  n = n - 1
template <class T>
struct LoopBackwardState {
  std::vector<T> rounds;     ///< n: how many are left, one number
  std::vector<T> gradients;  ///< x̄: of what is carried
  std::vector<T> sums;       ///< k̄: of what does not change, or is read as a leaf in every round
  std::vector<T> stacks;     ///< S

  auto parts() { return std::array{&rounds, &gradients, &sums, &stacks}; }
  auto parts() const { return std::array{&rounds, &gradients, &sums, &stacks}; }
};

/// A loop in forward mode:
///     while c(x, k):  x, ẋ = f(x, k), df(x, k) · (ẋ, k̇)
template <class T>
struct LoopTangentState {
  std::vector<T> carried;   ///< x
  std::vector<T> tangents;  ///< ẋ: of those that move

  auto parts() { return std::array{&carried, &tangents}; }
  auto parts() const { return std::array{&carried, &tangents}; }
};

template <template <class> class State, class T>
std::vector<T> flatten(const State<T>& state) {
  std::vector<T> flat;
  for (const std::vector<T>* part : state.parts()) flat.insert(flat.end(), part->begin(), part->end());
  return flat;
}

/// Values, one after the other, as the parts that `structure` has.
template <template <class> class State, class T, class U>
State<U> unflatten(const State<T>& structure, const std::vector<U>& flat) {
  State<U> state;
  auto next = flat.begin();
  const auto sizes = structure.parts();
  const auto parts = state.parts();
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(sizes[i]->size());
    parts[i]->assign(next, end);
    next = end;
  }
  return state;
}

}  // namespace dyad::transforms
