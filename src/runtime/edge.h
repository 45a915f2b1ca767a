// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parhelion::runtime {

/// Which end of a tensor under test lies on memory that faults when touched. A device without such
/// pages checks a pattern on both sides instead.
enum class Edge : std::uint8_t { Start, End };

}  // namespace parhelion::runtime
