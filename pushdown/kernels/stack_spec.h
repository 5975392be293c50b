#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pushdown {

// What may happen to the initial bottom symbol (the paper's appendix A).
enum class Bottom {
  kFixed,  // it can be replaced, and uncovered again by popping what lies above it
  kOld,  // it can be neither replaced nor popped, and what lies directly above it cannot be popped
};

// How the bottom vector of a vector stack enters the reading (the paper's section 5.1).
enum class InitialVector {
  kCorrect,    // zeta[-1->0] = v_0 for q = r = q_0, x = y = bottom only
  kPaperCode,  // zeta[-1->0] = v_0 for all q, x, r, y, as in the experiments of the paper
};

// A stack of symbols (RNS, vector_size = 0) or of symbols with vectors (VRNS) of a pushdown
// automaton whose state 0 is q_0 and whose stack symbol 0 is the bottom symbol.
struct NondeterministicStackSpec {
  int states = 1;       // |Q|
  int symbols = 1;      // |Gamma|
  int vector_size = 0;  // m
  int window = 0;       // D: gamma[i->t] is kept for t - i <= D only; 0 keeps all
  Bottom bottom = Bottom::kFixed;
  InitialVector initial_vector = InitialVector::kCorrect;

  // Pairs (state, top symbol), numbered state * |Gamma| + symbol.
  int pairs() const { return states * symbols; }
  // Logits leaving one pair: [push (r,y) | replace (r,y) | pop r].
  int logits_per_pair() const { return 2 * pairs() + states; }
  // Logits of one step: [q,x][push (r,y) | replace (r,y) | pop r].
  int logits_size() const { return pairs() * logits_per_pair(); }
  // (q,y) row-major, or (q,y,component).
  int reading_size() const { return pairs() * (vector_size > 0 ? vector_size : 1); }
};

// Independent stacks of vectors, each with three action probabilities (push, no-op, pop).
struct SuperpositionStackSpec {
  std::vector<int> sizes;  // the vector size of each stack
  int depth_limit = 0;     // what is pushed below this depth is dropped; 0: no limit

  int stacks() const { return static_cast<int>(sizes.size()); }
  int actions_size() const { return 3 * stacks(); }
  int reading_size() const;
};

using StackSpec = std::variant<SuperpositionStackSpec, NondeterministicStackSpec>;

// Reads "sup-10", "sup-3-3-3" (also "jm-..."), "rns-3-3" or "vrns-2-3-3". Throws Error.
StackSpec ParseStackSpec(std::string_view name);
// The canonical name; options such as a window are not part of it.
std::string StackName(const StackSpec& spec);

// Throw Error if a size is out of range or options do not go together.
void Validate(const NondeterministicStackSpec& spec);
void Validate(const SuperpositionStackSpec& spec);

// The longest sequence, or chunk, that a stack can be made for.
inline constexpr int kMaxSteps = 1 << 28;
// Throws Error if it is negative or more.
void ValidateSteps(int max_steps);

}  // namespace pushdown
