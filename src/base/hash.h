// SPDX-License-Identifier: Apache-2.0
// Content hashes (XXH3, 128 bits). Not cryptographic: they name content, they do not protect it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parhelion {

struct Hash {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const Hash&) const = default;
  [[nodiscard]] std::string hex() const;  // 32 digits
  [[nodiscard]] std::string short_hex() const { return hex().substr(0, 6); }
  [[nodiscard]] static std::optional<Hash> parse(std::string_view hex);
};

[[nodiscard]] Hash hash_bytes(std::span<const std::byte> bytes);
[[nodiscard]] Hash hash_text(std::string_view text);

/// Streaming; every piece is length-prefixed, so that ("ab","c") and ("a","bc") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  Hasher& add(std::string_view text);
  Hasher& add(std::span<const std::byte> bytes);
  Hasher& add(std::uint64_t number);
  [[nodiscard]] Hash finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parhelion

template <>
struct std::hash<parhelion::Hash> {
  std::size_t operator()(const parhelion::Hash& h) const noexcept { return h.low; }
};
