// SPDX-License-Identifier: Apache-2.0
// zstd behind one pair of functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parhelion::artifact {

[[nodiscard]] std::string compress(std::string_view text);
/// Nothing when the bytes are not zstd, or do not give exactly `size` bytes.
[[nodiscard]] std::optional<std::string> decompress(std::string_view bytes, std::size_t size);

}  // namespace parhelion::artifact
