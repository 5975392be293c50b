#pragma once

#include <stdexcept>

namespace pushdown {

// The one error type of the library. The message begins with the function that refused,
// "[pushdown::Function]", and says what was wrong and where.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pushdown
