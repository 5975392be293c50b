#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pushdown {

// Suggestions for names that were misspelt.

// Damerau-Levenshtein distance (its restricted form): how many bytes must be inserted, removed,
// replaced or swapped with their neighbour to make one text of the other.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The known names that are similar to a name, the most similar first, at most `most` of them. Names
// are similar if their edit distance is at most a third of the longer name; upper and lower case
// count as equal. If there are none, the names that contain the given name, if it has at least four
// bytes ("epochs" finds "max-epochs"), and the names whose initials it is ("lr" finds
// "learning-rate"). The result is empty if nothing is similar.
std::vector<std::string> NearestNames(std::string_view name, const std::vector<std::string>& known,
                                      std::size_t most = 3);

// " (did you mean dyck?)", to follow a name in a message; empty if there are no names.
std::string DidYouMean(const std::vector<std::string>& names);
// The same for the nearest of the known names.
std::string Suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace pushdown
