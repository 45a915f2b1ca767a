// SPDX-License-Identifier: Apache-2.0
#include "artifact/artifact.h"

#include <array>
#include <utility>

namespace parhelion::artifact {

namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 4> kinds = {{
    {Kind::CpuSharedObject, "cpu-so"},
    {Kind::Cubin, "cubin"},
    {Kind::Ptx, "ptx"},
    {Kind::EmulatedSharedObject, "emulated-so"},
}};

}  // namespace

std::string_view name(Kind kind) { return kinds[static_cast<std::size_t>(kind)].second; }

std::optional<Kind> parse_kind(std::string_view text) {
  for (const auto& [kind, word] : kinds) {
    if (word == text) return kind;
  }
  return std::nullopt;
}

std::vector<std::byte> as_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace parhelion::artifact
