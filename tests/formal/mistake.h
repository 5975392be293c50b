#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace pushdown::testing_oracle {

// A text that cannot be read, and what is to be said about it.
struct Mistake {
  std::string text;
  std::string position;               // LINE:COLUMN
  std::vector<std::string> mentions;  // each of them is in the message
};

inline void PrintTo(const Mistake& mistake, std::ostream* stream) {
  *stream << testing::PrintToString(mistake.text);
}

// `begin` is what the message begins with, up to the position.
inline void ExpectReported(const Mistake& mistake, const std::string& begin,
                           const std::string& message) {
  EXPECT_EQ(message.find(begin + mistake.position + ": "), 0u) << message;
  for (const std::string& mention : mistake.mentions) {
    EXPECT_NE(message.find(mention), std::string::npos) << message << " should say " << mention;
  }
}

}  // namespace pushdown::testing_oracle
