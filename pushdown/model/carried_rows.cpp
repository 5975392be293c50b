#include "pushdown/model/carried_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "pushdown/error.h"
#include "pushdown/kernels/carried_bytes.h"

namespace pushdown {
namespace {

[[noreturn]] void Refuse() {
  throw Error("pushdown::TextModel", "what should be carried on is not of this model");
}

template <typename T>
bool AllWithin(const T* values, std::size_t count, T bound) {
  return std::all_of(values, values + count, [bound](T value) { return std::abs(value) <= bound; });
}

}  // namespace

// By row: reading, hidden state, cell, and what the stack carries, after its number of bytes.
template <typename T>
std::string CarriedRows(const Recurrence<T, PanelProducts<T>>& rows) {
  const RecurrenceTables<T>& tables = rows.tables();
  const auto units = static_cast<std::size_t>(tables.units);
  std::string bytes;
  for (int row = 0; row < tables.rows; ++row) {
    AppendNumbers(tables.state(row), static_cast<std::size_t>(tables.reading_size) + units, bytes);
    AppendNumbers(tables.cell(row), units, bytes);
    const std::string stack = rows.stack(row).Carried();
    const std::uint64_t size = stack.size();
    AppendNumbers(&size, 1, bytes);
    bytes += stack;
  }
  return bytes;
}

template <typename T>
void RestoreRows(std::string_view carried, Recurrence<T, PanelProducts<T>>& rows) {
  const RecurrenceTables<T>& tables = rows.tables();
  const auto units = static_cast<std::size_t>(tables.units);
  const auto reading_size = static_cast<std::size_t>(tables.reading_size);
  for (int row = 0; row < tables.rows; ++row) {
    if (carried.size() < (reading_size + 2 * units) * sizeof(T) + sizeof(std::uint64_t)) Refuse();
    TakeNumbers(carried, tables.state(row), reading_size + units);
    TakeNumbers(carried, tables.cell(row), units);
    constexpr T kLargest = std::numeric_limits<T>::max();
    if (!AllWithin(tables.hidden(row), units, T{1}) ||
        !AllWithin(tables.cell(row), units, kLargest) ||
        !AllWithin(tables.state(row), reading_size, kLargest)) {
      Refuse();
    }
    std::uint64_t size = 0;
    TakeNumbers(carried, &size, 1);
    if (size > carried.size()) Refuse();
    rows.stack(row).RestoreCarried(carried.substr(0, size));
    carried.remove_prefix(size);
  }
  if (!carried.empty()) Refuse();
}

template std::string CarriedRows(const Recurrence<float, PanelProducts<float>>&);
template std::string CarriedRows(const Recurrence<double, PanelProducts<double>>&);
template void RestoreRows(std::string_view, Recurrence<float, PanelProducts<float>>&);
template void RestoreRows(std::string_view, Recurrence<double, PanelProducts<double>>&);

}  // namespace pushdown
