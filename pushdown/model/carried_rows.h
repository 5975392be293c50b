#pragma once

#include <string>
#include <string_view>

#include "pushdown/model/recurrence.h"

namespace pushdown {

// What rows of text carry from chunk to chunk, in bytes.
template <typename T>
std::string CarriedRows(const Recurrence<T, PanelProducts<T>>& rows);

// Instead of the chunks before. Throws Error if it is not of such a model and of as many rows.
template <typename T>
void RestoreRows(std::string_view carried, Recurrence<T, PanelProducts<T>>& rows);

}  // namespace pushdown
