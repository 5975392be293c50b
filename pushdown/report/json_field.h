#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/json.h"

namespace pushdown {

// A value in untrusted JSON that knows its place, such as automaton.tops[3]. If a value is not what
// a function asks for, it throws Error, whose message begins with the place. The JSON must outlive
// this object.
class JsonField {
 public:
  explicit JsonField(const nlohmann::json& value, std::string place = {})
      : value_(&value), place_(std::move(place)) {}

  // A field of an object, or an element of an array, which must be there.
  JsonField operator[](const char* key) const;
  JsonField At(std::size_t n) const;

  bool is_null() const { return value_->is_null(); }
  bool is_number() const { return value_->is_number(); }
  // Of an array.
  std::size_t size() const;
  void ExpectSize(std::size_t size) const;

  const std::string& Text() const;
  bool Truth() const;
  double Number() const;
  // An integer from `min` to `max`.
  int Integer(int min, int max) const;
  std::vector<std::string> Texts() const;
  std::vector<double> Numbers(std::size_t size) const;
  // Numbers from 0 to 1, but for rounding.
  double Share() const;
  std::vector<double> Shares(std::size_t size) const;

  [[noreturn]] void Fail(const std::string& message) const;

 private:
  [[noreturn]] void Expected(const std::string& what) const;

  const nlohmann::json* value_;
  std::string place_;
};

// Numbers as a page needs them, with so many significant digits. What is not finite becomes null,
// and what is far too small to be seen in a table of probabilities becomes 0.
Json ShortNumber(double value, int digits = 5);
Json ShortNumbers(std::span<const double> values, int digits = 4);
// null stands for a number that does not exist, or that JSON cannot represent.
Json ShortNumberOrNull(const JsonField& field, int digits = 5);

}  // namespace pushdown
