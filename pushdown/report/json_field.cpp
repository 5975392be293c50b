#include "pushdown/report/json_field.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "pushdown/error.h"

namespace pushdown {
namespace {

bool IsShare(double number) {
  constexpr double kRounding = 1e-3;
  return -kRounding <= number && number <= 1 + kRounding;
}

}  // namespace

void JsonField::Fail(const std::string& message) const {
  throw Error("pushdown::JsonField", place_.empty() ? message : place_ + ": " + message);
}

void JsonField::Expected(const std::string& what) const {
  Fail(fmt::format("expected {}, found {}", what, FoundText(*value_)));
}

JsonField JsonField::operator[](const char* key) const {
  if (!value_->is_object()) Expected("an object");
  const auto found = value_->find(key);
  const std::string place = place_.empty() ? key : place_ + "." + key;
  if (found == value_->end()) throw Error("pushdown::JsonField", place + ": missing");
  return JsonField(*found, place);
}

JsonField JsonField::At(std::size_t n) const {
  if (n >= size()) Expected(fmt::format("an array of at least {}", n + 1));
  return JsonField((*value_)[n], fmt::format("{}[{}]", place_, n));
}

std::size_t JsonField::size() const {
  if (!value_->is_array()) Expected("an array");
  return value_->size();
}

void JsonField::ExpectSize(std::size_t expected) const {
  if (size() != expected) Expected(fmt::format("an array of {}", expected));
}

const std::string& JsonField::Text() const {
  if (!value_->is_string()) Expected("a string");
  return value_->get_ref<const std::string&>();
}

bool JsonField::Truth() const {
  if (!value_->is_boolean()) Expected("true or false");
  return value_->get<bool>();
}

double JsonField::Number() const {
  if (!value_->is_number()) Expected("a number");
  return value_->get<double>();
}

int JsonField::Integer(int min, int max) const {
  const bool fits = value_->is_number_integer() &&
                    !(value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT32_MAX);
  const std::int64_t number = fits ? value_->get<std::int64_t>() : 0;
  if (!fits || number < min || number > max) {
    Expected(fmt::format("an integer from {} to {}", min, max));
  }
  return static_cast<int>(number);
}

std::vector<std::string> JsonField::Texts() const {
  std::vector<std::string> texts;
  for (std::size_t n = 0; n < size(); ++n) texts.push_back(At(n).Text());
  return texts;
}

std::vector<double> JsonField::Numbers(std::size_t expected) const {
  ExpectSize(expected);
  std::vector<double> numbers;
  numbers.reserve(expected);
  for (std::size_t n = 0; n < expected; ++n) {
    const nlohmann::json& element = (*value_)[n];
    // The name of a place takes more time than a number.
    if (!element.is_number()) At(n).Expected("a number");
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

double JsonField::Share() const {
  const double share = Number();
  if (!IsShare(share)) Fail("expected a number from 0 to 1");
  return share;
}

std::vector<double> JsonField::Shares(std::size_t size) const {
  std::vector<double> shares = Numbers(size);
  for (std::size_t n = 0; n < size; ++n) {
    if (!IsShare(shares[n])) At(n).Share();  // which says so
  }
  return shares;
}

Json ShortNumber(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  const double rounded = Rounded(value, digits);
  constexpr double kExact = 1e15;
  if (std::abs(rounded) < kExact && rounded == std::trunc(rounded)) {
    return static_cast<std::int64_t>(rounded);  // 0 is shorter than 0.0
  }
  return rounded;
}

Json ShortNumbers(std::span<const double> values, int digits) {
  constexpr double kInvisible = 1e-6;
  Json numbers = Json::array();
  for (const double value : values) {
    numbers.push_back(std::abs(value) < kInvisible ? Json(0) : ShortNumber(value, digits));
  }
  return numbers;
}

Json ShortNumberOrNull(const JsonField& field, int digits) {
  return field.is_null() ? Json() : ShortNumber(field.Number(), digits);
}

}  // namespace pushdown
