#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pushdown {

enum class SafetensorsType { kF32, kU8, kF64 };

// Tensors of 32-bit or 64-bit floats or of bytes in the safetensors format: eight bytes with the
// size of a header, the header in JSON, and the tensors' bytes, little-endian and row-major.
struct SafetensorsTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // of kF32
  SafetensorsType type = SafetensorsType::kF32;
  std::string bytes = {};            // of kU8
  std::vector<double> doubles = {};  // of kF64

  // The bytes of the tensor in a file.
  std::string_view data() const;
};

struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsTensor> tensors;  // in the order of their bytes

  // Null if there is no tensor of this name.
  const SafetensorsTensor* Find(std::string_view name) const;
};

// The bytes of a file. Names must be distinct, and shapes must agree with the numbers of values.
std::string SerializeSafetensors(const Safetensors& file);
// The part of the file before the tensors' bytes.
std::string SafetensorsHeader(const Safetensors& file);

// Reads the bytes of an untrusted file, as strictly as the format's own reader: the tensors must
// cover the bytes after the header without gaps or overlaps. Throws Error, naming the tensor.
Safetensors ParseSafetensors(std::string_view text);

}  // namespace pushdown
