#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// Far beyond what can be trained, and small enough that products fit an int.
inline constexpr int kMaxHiddenUnits = 1 << 14;

// A language model: an LSTM with one-hot input that drives a stack, or none. Symbols are numbered
// 0 .. symbols-1; the end of a string is the output after them.
struct ModelSpec {
  std::optional<StackSpec> stack = {};  // nothing: the LSTM alone
  bool push_hidden = false;             // "sup-h": the hidden state itself is pushed
  int hidden_units = 20;
  int symbols = 1;

  int outputs() const { return symbols + 1; }
  int end() const { return symbols; }
  int reading_size() const;
  // The null pointer if the stack is of the other kind.
  const SuperpositionStackSpec* superposition() const;
  const NondeterministicStackSpec* nondeterministic() const;
};

// Reads "lstm", "sup-h" or the name of a stack. Throws Error.
ModelSpec ParseModelSpec(std::string_view name, int hidden_units, int symbols);
// The canonical name; hidden units and options of the stack are not part of it.
std::string ModelName(const ModelSpec& spec);
// Throws Error if a size is out of range or options do not go together.
void Validate(const ModelSpec& spec);

}  // namespace pushdown
