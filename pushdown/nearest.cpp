#include "pushdown/nearest.h"

#include <algorithm>
#include <utility>

#include "pushdown/printable.h"

namespace pushdown {
namespace {

// Longer names are not typed.
constexpr std::size_t kLongest = 100;

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// "lr" of "learning-rate".
std::string Initials(std::string_view name) {
  std::string initials;
  for (std::size_t n = 0; n < name.size(); ++n) {
    if (n == 0 || name[n - 1] == '-') initials += name[n];
  }
  return initials;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows of the distances between the first bytes of a and all beginnings of b.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t n = 0; n <= b.size(); ++n) row[n] = n;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> NearestNames(std::string_view name, const std::vector<std::string>& known,
                                      std::size_t most) {
  constexpr std::size_t kShortestPart = 4;
  if (name.size() > kLongest) return {};
  const std::string lower = LowerCase(name);
  std::vector<std::pair<std::size_t, std::string>> near;  // by distance, then in their order
  std::vector<std::string> related;
  for (const std::string& each : known) {
    if (each.size() > kLongest) continue;
    const std::size_t limit = std::max(each.size(), name.size()) / 3;
    const std::size_t difference =
        std::max(each.size(), name.size()) - std::min(each.size(), name.size());
    const std::string other = LowerCase(each);
    const bool contains = name.size() >= kShortestPart && other.find(lower) != other.npos;
    if (contains || (name.size() > 1 && Initials(other) == lower)) related.push_back(each);
    if (difference > limit) continue;
    const std::size_t distance = EditDistance(lower, other);
    if (distance <= limit) near.emplace_back(distance, each);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, each] : near) {
    // What is twice as far off as the best is not what was meant.
    if (distance > 2 * near.front().first) break;
    names.push_back(each);
  }
  if (names.empty()) names = std::move(related);
  if (names.size() > most) names.resize(most);
  return names;
}

std::string DidYouMean(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string text = " (did you mean ";
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (n > 0) text += n + 1 == names.size() ? " or " : ", ";
    text += Printable(names[n]);
  }
  return text + "?)";
}

std::string Suggestion(std::string_view name, const std::vector<std::string>& known) {
  return DidYouMean(NearestNames(name, known));
}

}  // namespace pushdown
