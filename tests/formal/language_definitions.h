#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pushdown::testing_oracle {

// The languages of the paper as they are defined, by looking at the string; no grammar is involved.
// A symbol is a character: word symbols are '0', '1', ..., the second alphabet goes on from there,
// and brackets are "()" and "[]".

inline std::string Reversed(std::string_view w) { return {w.rbegin(), w.rend()}; }

inline bool AreWordSymbols(std::string_view w, int k) {
  return std::all_of(w.begin(), w.end(), [k](char c) { return c >= '0' && c < '0' + k; });
}

inline bool InCount3(std::string_view x) {
  const std::size_t n = x.size() / 3;
  return x == std::string(n, 'a') + std::string(n, 'b') + std::string(n, 'c');
}

// w is everything before the first marker.
inline bool InMarkedReverseAndCopy(std::string_view x, int k) {
  const std::string w(x.substr(0, x.find('#')));
  return AreWordSymbols(w, k) && x == w + "#" + Reversed(w) + "#" + w;
}

inline bool InCountAndCopy(std::string_view x, int k) {
  const std::size_t n = x.size() / 3;
  const std::string w(x.substr(0, n));
  return AreWordSymbols(w, k) && x == w + std::string(n, '#') + w;
}

inline bool InMarkedCopy(std::string_view x, int k) {
  const std::string w(x.substr(0, x.find('#')));
  return AreWordSymbols(w, k) && x == w + "#" + w;
}

inline bool InUnmarkedCopyDifferentAlphabets(std::string_view x, int k) {
  const std::string w(x.substr(0, x.size() / 2));
  std::string other = w;
  for (char& c : other) c = static_cast<char>(c + k);
  return AreWordSymbols(w, k) && x == w + other;
}

inline bool InUnmarkedReverseAndCopy(std::string_view x, int k) {
  const std::string w(x.substr(0, x.size() / 3));
  return AreWordSymbols(w, k) && x == w + Reversed(w) + w;
}

inline bool InUnmarkedCopy(std::string_view x, int k) {
  const std::string w(x.substr(0, x.size() / 2));
  return AreWordSymbols(w, k) && x == w + w;
}

inline bool InMarkedReversal(std::string_view x, int k) {
  const std::string w(x.substr(0, x.find('#')));
  return AreWordSymbols(w, k) && x == w + "#" + Reversed(w);
}

inline bool InUnmarkedReversal(std::string_view x, int k) {
  const std::string w(x.substr(0, x.size() / 2));
  return AreWordSymbols(w, k) && x == w + Reversed(w);
}

// w a^m w^R, for some w, some symbol a and some m >= 0.
inline bool InPaddedReversal(std::string_view x, int k) {
  if (!AreWordSymbols(x, k)) return false;
  for (std::size_t n = 0; 2 * n <= x.size(); ++n) {
    const std::string w(x.substr(0, n));
    const std::string padding(x.size() - 2 * n, n < x.size() ? x[n] : '0');
    if (x == w + padding + Reversed(w)) return true;
  }
  return false;
}

// Balanced brackets, not nothing.
inline bool InDyck(std::string_view x) {
  std::string open;
  for (char c : x) {
    if (c == '(' || c == '[') {
      open.push_back(c);
    } else if ((c == ')' && open.ends_with('(')) || (c == ']' && open.ends_with('['))) {
      open.pop_back();
    } else {
      return false;
    }
  }
  return !x.empty() && open.empty();
}

// The hardest context-free language (Greibach 1973), read off the grammar. With W = ( ) [ ] $:
//   U = W*, V = W+, so that R = W* , (W+ ,)* and L = (, W+)* , W*.
// S is a Dyck word d_1 ... d_m over () and [], not empty, with a Q between any two neighbours
// (between the factors of S Q T, and inside each bracket of T), and S' puts $ and one more Q in
// front of it: with d_0 = $, the string is R d_0 Q d_1 Q ... Q d_m L ;. A Q that is not empty is
// L ; R, which ends a block and begins another. So the string is a sequence of blocks, each
// R x L ;, where the x, none of them empty, are $ d_1 ... d_m cut into pieces. A block's text
// before its ';' consists of pieces of W separated by commas: the first and the last may be empty,
// and x is one of the pieces in between, which must not be empty.
inline std::vector<std::string> SplitAt(std::string_view x, char separator) {
  std::vector<std::string> pieces(1);
  for (char c : x) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back().push_back(c);
    }
  }
  return pieces;
}

// Whether pieces of the blocks from `block` on can be chosen so that `chosen`, the concatenation of
// those already chosen, becomes $ and a Dyck word.
inline bool CanChoosePieces(const std::vector<std::vector<std::string>>& blocks, std::size_t block,
                            const std::string& chosen) {
  if (block == blocks.size()) return chosen.starts_with('$') && InDyck(chosen.substr(1));
  for (std::size_t n = 1; n + 1 < blocks[block].size(); ++n) {
    if (CanChoosePieces(blocks, block + 1, chosen + blocks[block][n])) return true;
  }
  return false;
}

inline bool InHardestCfl(std::string_view x) {
  if (!x.ends_with(';') || x.find_first_not_of("()[],;$") != x.npos) return false;
  std::vector<std::vector<std::string>> blocks;
  for (const std::string& block : SplitAt(x.substr(0, x.size() - 1), ';')) {
    blocks.push_back(SplitAt(block, ','));
    for (std::size_t n = 1; n + 1 < blocks.back().size(); ++n) {
      if (blocks.back()[n].empty()) return false;
    }
  }
  return CanChoosePieces(blocks, 0, "");
}

// All strings of a length over these symbols.
inline std::vector<std::string> AllStrings(std::string_view symbols, int length) {
  std::vector<std::string> strings = {""};
  for (int n = 0; n < length; ++n) {
    std::vector<std::string> longer;
    for (const std::string& string : strings) {
      for (char c : symbols) longer.push_back(string + c);
    }
    strings = std::move(longer);
  }
  return strings;
}

// All members of the hardest CFL of a length: a Dyck word is cut into pieces, and each piece gets
// what may stand before it and after it in its block. The strings of R are those over W and ','
// that end with ',' and otherwise have no empty piece but the first; those of L are their mirror
// images.
class HardestCflGenerator {
 public:
  explicit HardestCflGenerator(int length) {
    for (int n = 0; n + 5 <= length; ++n) {  // $ ( ) , ; follow at least
      befores_.emplace_back();
      for (const std::string& text : AllStrings("()[]$,", n)) {
        const bool empty_piece = text.find(",,") != text.npos;
        if (text.ends_with(',') && !empty_piece) befores_.back().push_back(text);
      }
    }
    for (int n = 2; n <= length; n += 2) {
      for (const std::string& word : AllStrings("()[]", n)) {
        if (n + 4 <= length && InDyck(word)) AddBlocks("", "$" + word, length);
      }
    }
  }

  const std::set<std::string>& members() const { return members_; }

 private:
  // The string begins with `before`; `rest`, not empty, is to be in blocks of `length` symbols.
  void AddBlocks(const std::string& before, const std::string& rest, int length) {
    for (std::size_t cut = 1; cut <= rest.size(); ++cut) {
      const std::string later = rest.substr(cut);
      const int around = length - static_cast<int>(cut) - 1;  // without x and ;
      // A block needs two commas and a ; besides x.
      const int needed_later = later.empty() ? 0 : static_cast<int>(later.size()) + 3;
      for (int left = 1; left < around; ++left) {
        for (int right = 1; left + right + needed_later <= around; ++right) {
          const int left_over = around - left - right;
          if (later.empty() && left_over > 0) continue;
          for (const std::string& first : befores_[left]) {
            for (const std::string& last : befores_[right]) {
              const std::string block = first + rest.substr(0, cut) + Reversed(last) + ";";
              if (later.empty()) {
                members_.insert(before + block);
              } else {
                AddBlocks(before + block, later, left_over);
              }
            }
          }
        }
      }
    }
  }

  std::vector<std::vector<std::string>> befores_;  // the strings of R by length
  std::set<std::string> members_;
};

inline std::set<std::string> HardestCflMembers(int length) {
  return HardestCflGenerator(length).members();
}

}  // namespace pushdown::testing_oracle
