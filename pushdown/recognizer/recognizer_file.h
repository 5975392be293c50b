#pragma once

#include <string>
#include <string_view>

#include "pushdown/recognizer/recognizer.h"

namespace pushdown {

// model.safetensors of a recognizer: the parameters under the names of ParameterLayout, as in the
// files of trained models but as 64-bit floats, and those of the acceptance layer,
//   acceptance.hidden.weights [H, languages], acceptance.hidden.bias [languages],
//   acceptance.output.weights [languages], acceptance.output.bias [1].
// The file also keeps `description`.
std::string SerializeRecognizer(const RecognizerNetwork& network, const std::string& description);

// The network of an automaton. Throws Error if the file is broken, its tensors are not those of
// such a network, or a value is NaN or, but for the biases of transitions, not finite.
RecognizerNetwork ReadRecognizerFile(std::string_view text, const PushdownAutomaton& automaton,
                                     std::string* description = nullptr);

// An upper bound on the size of such a file.
double MaxRecognizerFileBytes(const PushdownAutomaton& automaton);

}  // namespace pushdown
