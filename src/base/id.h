// SPDX-License-Identifier: Apache-2.0
// 32-bit strong ids: handles into vectors owned by somebody else.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace parhelion {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t value = none;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  [[nodiscard]] constexpr bool valid() const { return value != none; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace parhelion

template <class Tag>
struct std::hash<parhelion::Id<Tag>> {
  std::size_t operator()(parhelion::Id<Tag> id) const noexcept { return id.value; }
};
