#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pushdown {

// What somebody may have meant who misspelt a name.

// Damerau-Levenshtein distance (its restricted form): how many bytes must be inserted, removed,
// replaced or swapped with their neighbour to make one text of the other.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The known names that are near a name, the nearest first and at most `most`: a third of the longer
// one may differ, upper and lower case do not. If there is none, those that contain the name, if it
// has at least four bytes, and those whose initials it has: "epochs" is near "max-epochs", "lr"
// near "learning-rate". Nothing rather than nonsense.
std::vector<std::string> NearestNames(std::string_view name, const std::vector<std::string>& known,
                                      std::size_t most = 3);

// " (did you mean dyck?)", to follow a name in a message; empty if there are no names.
std::string DidYouMean(const std::vector<std::string>& names);
// The same of the nearest names.
std::string Suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace pushdown
