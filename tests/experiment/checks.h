#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "pushdown/error.h"

namespace pushdown::testing_experiment {

// The message of the Error that a call must throw.
template <typename Call>
std::string ErrorMessage(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  ADD_FAILURE() << "there was no error";
  return {};
}

inline void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << text << "\nlacks " << part;
}

// A text with the first occurrence of a part replaced, which must be there.
inline std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, text.npos) << text << "\nlacks " << from;
  return place == text.npos ? text : text.replace(place, from.size(), to);
}

}  // namespace pushdown::testing_experiment
