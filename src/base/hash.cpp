// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace parhelion {

namespace {

Hash from_xxh(XXH128_hash_t h) { return {h.high64, h.low64}; }

}  // namespace

struct Hasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() { XXH3_128bits_reset(xxh); }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

std::string Hash::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

std::optional<Hash> Hash::parse(std::string_view hex) {
  if (hex.size() != 32) return std::nullopt;
  Hash h;
  for (std::size_t i = 0; i < 32; ++i) {
    const char c = hex[i];
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint64_t>(c - 'a' + 10);
    } else {
      return std::nullopt;
    }
    std::uint64_t& half = i < 16 ? h.high : h.low;
    half = half << 4 | digit;
  }
  return h;
}

Hash hash_bytes(std::span<const std::byte> bytes) {
  return from_xxh(XXH3_128bits(bytes.data(), bytes.size()));
}
Hash hash_text(std::string_view text) { return from_xxh(XXH3_128bits(text.data(), text.size())); }

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add(std::string_view text) {
  return add(std::as_bytes(std::span(text.data(), text.size())));
}
Hasher& Hasher::add(std::span<const std::byte> bytes) {
  add(static_cast<std::uint64_t>(bytes.size()));
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
  return *this;
}
Hasher& Hasher::add(std::uint64_t number) {
  XXH3_128bits_update(state_->xxh, &number, sizeof number);
  return *this;
}
Hash Hasher::finish() const { return from_xxh(XXH3_128bits_digest(state_->xxh)); }

}  // namespace parhelion
