#include "pushdown/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/json.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "values are copied as they are");
static_assert(sizeof(float) == 4 && std::numeric_limits<float>::is_iec559);
static_assert(sizeof(double) == 8 && std::numeric_limits<double>::is_iec559);

constexpr std::size_t kSizeBytes = 8;                // in front of the header, with its size
constexpr std::size_t kMaxHeaderSize = 100'000'000;  // the limit of the format's own reader
constexpr std::size_t kAlignment = 8;                // of the first tensor, by padding the header
constexpr const char* kMetadata = "__metadata__";

const char* TypeName(SafetensorsType type) {
  if (type == SafetensorsType::kF32) return "F32";
  return type == SafetensorsType::kF64 ? "F64" : "U8";
}

std::size_t BytesOf(SafetensorsType type) {
  if (type == SafetensorsType::kF32) return sizeof(float);
  return type == SafetensorsType::kF64 ? sizeof(double) : 1;
}

// Whether a tensor has values that are not of its type.
bool HasOthers(const SafetensorsTensor& tensor) {
  return (tensor.type != SafetensorsType::kF32 && !tensor.values.empty()) ||
         (tensor.type != SafetensorsType::kF64 && !tensor.doubles.empty()) ||
         (tensor.type != SafetensorsType::kU8 && !tensor.bytes.empty());
}

template <typename T>
std::vector<T> NumbersOf(std::string_view bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

template <typename T>
std::string_view BytesOf(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

// The number of values of a tensor, or nothing if there is no such number of bytes.
std::optional<std::uint64_t> Values(const std::vector<std::int64_t>& shape, SafetensorsType type) {
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / BytesOf(type);
  std::uint64_t values = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    const auto factor = static_cast<std::uint64_t>(size);
    if (factor != 0 && values > most / factor) return std::nullopt;
    values *= factor;
  }
  return values;
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) {
    text += text.empty() ? '[' : ',';
    text += std::to_string(size);
  }
  return text.empty() ? "[]" : text + ']';
}

// A string in JSON. `what` is what messages call it.
std::string Escaped(const std::string& text, const std::string& what) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    throw Error("pushdown::SerializeSafetensors", what + " " + Quoted(text) + " is not UTF-8");
  }
}

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ParseSafetensors", message);
}

// A short form of a value for messages.
std::string Found(const json& value) {
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  return value.dump();  // null, true, false or a number
}

// A tensor of the header.
struct Entry {
  std::string name;
  SafetensorsType type = SafetensorsType::kF32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // bytes after the header
  std::uint64_t end = 0;
};

class EntryReader {
 public:
  EntryReader(const std::string& name, const json& object) : name_(name), object_(object) {}

  Entry Read() const {
    if (!object_.is_object()) Fail("expected an object, found " + Found(object_));
    for (const auto& [key, value] : object_.items()) {
      if (key != "dtype" && key != "shape" && key != "data_offsets") {
        Fail("unknown field " + Quoted(key) + "; a tensor has dtype, shape and data_offsets");
      }
    }
    Entry entry;
    entry.name = name_;
    entry.type = Type();
    for (const json& size : Array("shape")) {
      entry.shape.push_back(static_cast<std::int64_t>(Integer("shape", size)));
    }
    const json& offsets = Array("data_offsets");
    if (offsets.size() != 2) {
      Fail("data_offsets: expected two integers, found " + Found(offsets));
    }
    entry.begin = Integer("data_offsets", offsets[0]);
    entry.end = Integer("data_offsets", offsets[1]);
    if (entry.begin > entry.end) Fail("data_offsets: the end is before the beginning");
    const std::optional<std::uint64_t> values = Values(entry.shape, entry.type);
    if (!values) Fail("shape: " + Printable(ShapeText(entry.shape)) + " is too large");
    const std::uint64_t bytes = *values * BytesOf(entry.type);
    if (bytes != entry.end - entry.begin) {
      Fail("shape " + Printable(ShapeText(entry.shape)) + " takes " + std::to_string(bytes) +
           " bytes, but data_offsets have " + std::to_string(entry.end - entry.begin));
    }
    return entry;
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    Refuse("tensor " + Quoted(name_) + ": " + message);
  }

  const json& Field(const char* key) const {
    const auto field = object_.find(key);
    if (field == object_.end()) Fail(std::string(key) + ": missing");
    return *field;
  }

  SafetensorsType Type() const {
    const json& dtype = Field("dtype");
    for (const SafetensorsType type :
         {SafetensorsType::kF32, SafetensorsType::kF64, SafetensorsType::kU8}) {
      if (dtype == TypeName(type)) return type;
    }
    Fail("dtype is " + Found(dtype) + ", and only \"F32\", \"F64\" and \"U8\" are read");
  }

  const json& Array(const char* key) const {
    const json& field = Field(key);
    if (!field.is_array()) {
      Fail(std::string(key) + ": expected an array of integers, found " + Found(field));
    }
    return field;
  }

  std::uint64_t Integer(const char* key, const json& value) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    // The JSON reader has a type of its own for integers without a sign.
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost) {
      Fail(std::string(key) + ": expected an integer from 0 to " + std::to_string(kMost) +
           ", found " + Found(value));
    }
    return value.get<std::uint64_t>();
  }

  const std::string& name_;
  const json& object_;
};

std::map<std::string, std::string> ReadMetadata(const json& object) {
  if (!object.is_object()) {
    Refuse("__metadata__: expected an object of strings, found " + Found(object));
  }
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) {
      Refuse("__metadata__." + Printable(key) + ": expected a string, found " + Found(value));
    }
    metadata.emplace(key, value.get_ref<const std::string&>());
  }
  return metadata;
}

// The header without its size. Throws Error if it is not an object.
std::string_view HeaderText(std::string_view text) {
  if (text.size() < kSizeBytes) {
    Refuse("has " + std::to_string(text.size()) +
           " bytes, and a safetensors file begins with the size of its header in 8");
  }
  std::uint64_t size = 0;
  for (std::size_t n = 0; n < kSizeBytes; ++n) {
    size |= std::uint64_t{static_cast<unsigned char>(text[n])} << (8 * n);
  }
  if (size > kMaxHeaderSize) {
    Refuse("the size of the header is " + std::to_string(size) + " bytes, and at most " +
           std::to_string(kMaxHeaderSize) + " are allowed; is this a safetensors file?");
  }
  if (size > text.size() - kSizeBytes) {
    Refuse("the header has " + std::to_string(size) + " bytes, but the file has only " +
           std::to_string(text.size() - kSizeBytes) + " more; it is not complete");
  }
  const std::string_view header = text.substr(kSizeBytes, size);
  if (!header.starts_with('{')) Refuse("the header does not begin with '{'");
  return header;
}

}  // namespace

const SafetensorsTensor* Safetensors::Find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const auto& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::string_view SafetensorsTensor::data() const {
  if (type == SafetensorsType::kU8) return bytes;
  return type == SafetensorsType::kF64 ? BytesOf(doubles) : BytesOf(values);
}

std::string SafetensorsHeader(const Safetensors& file) {
  const auto fail = [](const std::string& message) {
    throw Error("pushdown::SerializeSafetensors", message);
  };
  std::string header = "{";
  if (!file.metadata.empty()) {
    header += Escaped(kMetadata, "") + ":{";
    for (const auto& [key, value] : file.metadata) {
      if (header.back() != '{') header += ',';
      header += Escaped(key, "metadata") + ':' + Escaped(value, "metadata");
    }
    header += '}';
  }
  std::set<std::string_view> names;
  std::size_t bytes = 0;
  for (const SafetensorsTensor& tensor : file.tensors) {
    const std::string what = "tensor " + Quoted(tensor.name);
    if (tensor.name == kMetadata) fail(what + ": the name has another meaning");
    if (!names.insert(tensor.name).second) fail(what + ": given twice");
    if (HasOthers(tensor)) fail(what + ": has values of another type than its own");
    const std::size_t values = tensor.data().size() / BytesOf(tensor.type);
    if (Values(tensor.shape, tensor.type) != values) {
      fail(what + ": shape " + Printable(ShapeText(tensor.shape)) + " does not agree with " +
           std::to_string(values) + " values");
    }
    const std::size_t begin = bytes;
    bytes += tensor.data().size();
    if (header.size() > 1) header += ',';
    header += Escaped(tensor.name, "the name of a tensor") + R"(:{"dtype":")" +
              TypeName(tensor.type) + R"(","shape":)" + ShapeText(tensor.shape) +
              R"(,"data_offsets":[)" + std::to_string(begin) + ',' + std::to_string(bytes) + "]}";
  }
  header += '}';
  header.resize((header.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  if (header.size() > kMaxHeaderSize) fail("the names and the metadata are too large to be read");

  std::string text;
  for (std::size_t n = 0; n < kSizeBytes; ++n) {
    text += static_cast<char>((std::uint64_t{header.size()} >> (8 * n)) & 0xff);
  }
  return text + header;
}

std::string SerializeSafetensors(const Safetensors& file) {
  std::string text = SafetensorsHeader(file);
  std::size_t bytes = text.size();
  for (const SafetensorsTensor& tensor : file.tensors) bytes += tensor.data().size();
  text.reserve(bytes);
  for (const SafetensorsTensor& tensor : file.tensors) text += tensor.data();
  return text;
}

Safetensors ParseSafetensors(std::string_view text) {
  const std::string_view header = HeaderText(text);
  const std::string_view data = text.substr(kSizeBytes + header.size());
  json root;
  try {
    root = ReadJson(header);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    Refuse("the header is not valid: " + std::string(message.substr(message.find("] ") + 2)));
  }

  Safetensors file;
  std::vector<Entry> entries;
  for (const auto& [key, value] : root.items()) {
    if (key == kMetadata) {
      file.metadata = ReadMetadata(value);
    } else {
      entries.push_back(EntryReader(key, value).Read());
    }
  }
  // An empty tensor is in front of the one that begins where it ends.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  // All places are checked before memory is taken: a file must not ask for more than it has.
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    const std::string tensor = "tensor " + Quoted(entry.name);
    if (entry.end > data.size()) {
      Refuse(tensor + ": ends at byte " + std::to_string(entry.end) + ", but there are only " +
             std::to_string(data.size()) + " after the header; the file is not complete");
    }
    if (entry.begin != covered) {
      Refuse(tensor + ": begins at byte " + std::to_string(entry.begin) + ", but the one before " +
             (entry.begin > covered ? "ends at " : "goes on to ") + std::to_string(covered));
    }
    covered = entry.end;
  }
  if (covered != data.size()) {
    Refuse("there are " + std::to_string(data.size() - covered) +
           " bytes after the last tensor that belong to none");
  }
  file.tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    const std::string_view bytes = data.substr(entry.begin, entry.end - entry.begin);
    SafetensorsTensor tensor = {std::move(entry.name), std::move(entry.shape), {}, entry.type};
    if (entry.type == SafetensorsType::kU8) {
      tensor.bytes = bytes;
    } else if (entry.type == SafetensorsType::kF64) {
      tensor.doubles = NumbersOf<double>(bytes);
    } else {
      tensor.values = NumbersOf<float>(bytes);
    }
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

}  // namespace pushdown
