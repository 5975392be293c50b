#include "pushdown/json.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 16;

[[noreturn]] void Throw(const std::string& message) { throw Error("pushdown::ReadJson", message); }

// Builds the value, and knows at any time where in it the text is. The callback of json::parse
// could tell the latter too, but looks through all earlier elements of an array at the end of each
// object in it, which takes hours for a hostile file of some megabytes.
class JsonBuilder final : public nlohmann::json_sax<json> {
 public:
  JsonBuilder(json& root, std::string_view infinity_hint)
      : root_(root), infinity_hint_(infinity_hint) {}

  // As in sequences[0].push[3]; empty at the outermost level.
  std::string Path() const {
    std::string path;
    for (const Container& container : open_) {
      if (container.value->is_array()) {
        // The element that is open is there already, one that is still to come is not.
        const bool innermost = &container == &open_.back();
        path += '[' + std::to_string(container.value->size() - (innermost ? 0 : 1)) + ']';
      } else if (container.in_field) {
        if (!path.empty()) path += '.';
        path += Printable(container.key);
      }
    }
    return path;
  }

  [[noreturn]] void Fail(const std::string& message) const {
    const std::string path = Path();
    Throw(path.empty() ? message : path + ": " + message);
  }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t& value) override { return Add(std::move(value)); }

  bool start_object(std::size_t /*elements*/) override { return Open(json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*elements*/) override { return Open(json::array()); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    Container& object = open_.back();
    object.key = std::move(name);
    object.in_field = true;
    if (object.value->contains(object.key)) Fail("given twice");
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& last_token,
                   const json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while ...;
    // last read: 'TOKEN'". The token is as long as the author of the text likes.
    std::string_view message = error.what();
    const std::size_t name_end = message.find("] ");
    if (name_end != std::string_view::npos) message.remove_prefix(name_end + 2);
    constexpr std::string_view kPrefix = "parse error at ";
    if (message.starts_with(kPrefix)) message.remove_prefix(kPrefix.size());
    for (std::string_view before_token : {"; last read: '", " parsing '"}) {
      const std::size_t token = message.find(before_token);
      if (token != std::string_view::npos) {
        // What other programs write for numbers that JSON does not have.
        const bool infinity = last_token.find_first_of("IiN") != std::string::npos;
        Fail(Printable(message.substr(0, token), 200) + " at " + Quoted(last_token) +
             (infinity ? std::string(infinity_hint_) : ""));
      }
    }
    Fail(Printable(message, 200));
  }

 private:
  struct Container {
    json* value;
    std::string key;        // of an object's current field
    bool in_field = false;  // between a key and the end of its value
  };

  json& Insert(json&& value) {
    if (open_.empty()) return root_ = std::move(value);
    Container& container = open_.back();
    if (container.value->is_array()) {
      container.value->push_back(std::move(value));
      return container.value->back();
    }
    return (*container.value)[container.key] = std::move(value);
  }

  bool Add(json value) {
    Insert(std::move(value));
    EndField();
    return true;
  }

  bool Open(json container) {
    if (open_.size() == kMaxDepth) {
      Fail("nested more than " + std::to_string(kMaxDepth) + " levels deep");
    }
    // Pointers into open containers stay valid: only the innermost one grows.
    open_.push_back({&Insert(std::move(container)), "", false});
    return true;
  }

  bool Close() {
    open_.pop_back();
    EndField();
    return true;
  }

  void EndField() {
    if (!open_.empty()) open_.back().in_field = false;
  }

  json& root_;
  std::string_view infinity_hint_;
  std::vector<Container> open_;
};

}  // namespace

json ReadJson(std::string_view text, std::string_view infinity_hint) {
  // The parser would take it for the end of the text.
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos) {
    Throw("byte " + std::to_string(nul + 1) + " is NUL, which JSON does not have");
  }
  json root;
  JsonBuilder builder(root, infinity_hint);
  try {
    json::sax_parse(text, &builder);
  } catch (const json::exception& error) {
    builder.Fail(Printable(error.what(), 200));
  }
  return root;
}

std::string FoundText(const json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  return value.dump();  // null, true, false or a number
}

double Rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

std::string JsonLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string IndentedJson(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace pushdown
