#include "pushdown/model/parameter_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <type_traits>
#include <utility>

#include "pushdown/fingerprint.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  return Printable(fmt::format("[{}]", fmt::join(shape, ",")));
}

const char* TypeName(SafetensorsType type) {
  switch (type) {
    case SafetensorsType::kF32:
      return "32-bit floats";
    case SafetensorsType::kF64:
      return "64-bit floats";
    default:
      return "bytes";
  }
}

// Of the contents, not of the bytes that hold them: a program that only moves tensors to other
// places in the file does no damage.
std::string Checksum(const Safetensors& file) {
  Fingerprint fingerprint;
  const auto add = [&fingerprint](std::string_view bytes) {
    fingerprint.Add(bytes.size());
    fingerprint.Add(bytes);
  };
  for (const auto& [key, value] : file.metadata) {
    if (key == kFileChecksum) continue;
    add(key);
    add(value);
  }
  std::map<std::string_view, const SafetensorsTensor*> by_name;
  for (const SafetensorsTensor& tensor : file.tensors) by_name.emplace(tensor.name, &tensor);
  for (const auto& [name, tensor] : by_name) {
    add(name);
    for (const std::int64_t size : tensor->shape) fingerprint.Add(size);
    if (tensor->type == SafetensorsType::kU8) add("U8");
    if (tensor->type == SafetensorsType::kF64) add("F64");
    add(tensor->data());
  }
  return fingerprint.Text();
}

}  // namespace

template <typename T>
void AppendParameters(const ParameterLayout& layout, const std::string& prefix,
                      const std::vector<T>& values, Safetensors& file) {
  for (const ParameterTensor& tensor : layout.tensors) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(tensor.size());
    SafetensorsTensor& out = file.tensors.emplace_back();
    out.name = prefix + tensor.name;
    out.shape.assign(tensor.shape.begin(), tensor.shape.end());
    if constexpr (std::is_same_v<T, double>) {
      out.type = SafetensorsType::kF64;
      out.doubles.assign(begin, end);
    } else {
      out.values.assign(begin, end);
    }
  }
}

template <typename T>
std::vector<T> ParametersOf(const Safetensors& file, const ParameterLayout& layout,
                            const std::string& prefix) {
  std::vector<T> arena(layout.size);
  for (const ParameterTensor& parameters : layout.tensors) {
    const SafetensorsTensor& tensor = *file.Find(prefix + parameters.name);
    const auto out = arena.begin() + static_cast<std::ptrdiff_t>(parameters.offset);
    if constexpr (std::is_same_v<T, double>) {
      std::copy(tensor.doubles.begin(), tensor.doubles.end(), out);
    } else {
      std::copy(tensor.values.begin(), tensor.values.end(), out);
    }
  }
  return arena;
}

std::string SerializeParameterFile(Safetensors file) {
  file.metadata[kFileChecksum] = Checksum(file);
  return SerializeSafetensors(file);
}

Safetensors ParseParameterFile(std::string_view text, const std::string& format,
                               std::initializer_list<const char*> keys, const FileFailure& fail) {
  Safetensors file = ParseSafetensors(text);
  const auto found = file.metadata.find(kFileFormat);
  if (found == file.metadata.end()) {
    fail("the metadata have no format; this is not a file of pushdown");
  }
  if (found->second != format) {
    fail("the file is a " + Quoted(found->second) + ", expected a " + Quoted(format));
  }
  for (const char* key : keys) {
    if (!file.metadata.contains(key)) fail("metadata: " + std::string(key) + ": missing");
  }
  for (const auto& [key, value] : file.metadata) {
    if (key != kFileFormat && std::find(keys.begin(), keys.end(), key) == keys.end()) {
      fail("metadata: " + Printable(key) + ": unknown field");
    }
  }
  return file;
}

std::vector<ExpectedTensor> TensorsOf(const ParameterLayout& layout, const std::string& prefix) {
  std::vector<ExpectedTensor> tensors;
  for (const ParameterTensor& tensor : layout.tensors) {
    tensors.push_back({prefix + tensor.name, {tensor.shape.begin(), tensor.shape.end()}});
  }
  return tensors;
}

void CheckTensors(const Safetensors& file, const std::vector<ExpectedTensor>& expected,
                  SafetensorsType type, std::set<std::string> known, const FileFailure& fail) {
  for (const auto& [name, shape] : expected) {
    const SafetensorsTensor* tensor = file.Find(name);
    if (tensor == nullptr) {
      fail("tensor " + Quoted(name) + ": missing; is the file of another model?");
    }
    if (tensor->type != type) {
      fail("tensor " + Quoted(name) + ": has " + TypeName(tensor->type) + ", and the model's has " +
           TypeName(type));
    }
    if (tensor->shape != shape) {
      fail("tensor " + Quoted(name) + ": has shape " + ShapeText(tensor->shape) +
           ", and the model's is " + ShapeText(shape));
    }
    known.insert(name);
  }
  for (const SafetensorsTensor& tensor : file.tensors) {
    if (!known.contains(tensor.name)) {
      fail("tensor " + Quoted(tensor.name) + ": the model has none of this name");
    }
  }
}

void CheckChecksum(const Safetensors& file, const FileFailure& fail) {
  const std::string& stated = file.metadata.at(kFileChecksum);
  const std::string actual = Checksum(file);
  if (stated != actual) {
    fail("the checksum is " + actual + ", but the file says " + Quoted(stated) +
         "; it was damaged or changed after it was written");
  }
}

template void AppendParameters(const ParameterLayout&, const std::string&,
                               const std::vector<float>&, Safetensors&);
template void AppendParameters(const ParameterLayout&, const std::string&,
                               const std::vector<double>&, Safetensors&);
template std::vector<float> ParametersOf(const Safetensors&, const ParameterLayout&,
                                         const std::string&);
template std::vector<double> ParametersOf(const Safetensors&, const ParameterLayout&,
                                          const std::string&);

}  // namespace pushdown
