#pragma once

#include <stdexcept>
#include <string>

#include "pushdown/error.h"

namespace pushdown::cli {

// What a command throws to end the program. The message is one line, without the program's name.

// The command line or an input file is wrong: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The request was fine, but could not be carried out: exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Ends the program without a message: the exit code is the answer.
struct Answer {
  int exit_code = 0;
};

// The message of a library error without the function that it begins with, which means nothing to
// a user of the program.
std::string MessageForUser(const Error& error);

}  // namespace pushdown::cli
