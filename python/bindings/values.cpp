#include "python/bindings/values.h"

#include <cstdint>
#include <string>

namespace pushdown::python {

namespace py = pybind11;

py::object FromJson(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      py::dict result;
      for (const auto& [key, member] : value.items()) result[py::str(key)] = FromJson(member);
      return result;
    }
    case Json::value_t::array: {
      py::list result;
      for (const Json& element : value) result.append(FromJson(element));
      return result;
    }
    case Json::value_t::string:
      return py::str(value.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return py::bool_(value.get<bool>());
    case Json::value_t::number_integer:
      return py::int_(value.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return py::int_(value.get<std::uint64_t>());
    case Json::value_t::number_float:
      return py::float_(value.get<double>());
    default:
      return py::none();
  }
}

}  // namespace pushdown::python
