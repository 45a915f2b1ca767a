// SPDX-License-Identifier: Apache-2.0
// Whatever text comes in: an error, or a value whose own text reads back to it.
#include "base/rng.h"
#include "config/config.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace parhelion;
using namespace parhelion::config;

namespace {

/// A text of the grammar's own pieces, a few of them damaged.
std::string random_text(std::span<const std::string_view> pieces, Rng& rng) {
  std::string out;
  const std::uint64_t count = rng.below(10);
  for (std::uint64_t i = 0; i < count; ++i) out += pieces[rng.below(pieces.size())];
  const std::uint64_t damages = rng.below(3);
  for (std::uint64_t i = 0; i < damages && !out.empty(); ++i) {
    out[rng.below(out.size())] = static_cast<char>(rng.below(256));
  }
  return out;
}

}  // namespace

TEST_CASE("random configuration texts") {
  constexpr std::array<std::string_view, 18> pieces = {"block[a0]=4 ",
                                                       "warps=8 ",
                                                       "order[l0]=1,0 ",
                                                       "reduce[a1]=",
                                                       "row(out) ",
                                                       "pack[d0.a]=direct ",
                                                       "[",
                                                       "]",
                                                       "=",
                                                       " ",
                                                       ",",
                                                       "a0",
                                                       "-9223372036854775808",
                                                       "99999999999999999999",
                                                       "12x2",
                                                       "registers[r]=1 ",
                                                       "tunable[t0]=x ",
                                                       "\n"};
  Rng rng(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_text(pieces, rng);
    const auto config = Config::parse(text);
    if (!config) continue;
    ++read;
    CHECK(Config::parse(config->text()) == *config);
    CHECK(config_from_json(to_json(*config)) == *config);
  }
  CHECK(read > 1000);
}

TEST_CASE("random texts of controls") {
  constexpr std::array<std::string_view, 16> pieces = {
      "g++ ",     "opt-level=3 ", "a=\"x y\" ", "b=on ",  "ptxas ", "none ",
      "payload ", "file=f ",      "=",          "\"",     "\\",     " ",
      "[g++]\n",  "sha256=00 ",   "c=",         "target "};
  Rng rng(2);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = random_text(pieces, rng);
    const auto controls = Controls::parse(text);
    if (!controls) continue;
    ++read;
    CHECK(Controls::parse(controls->text()) == *controls);
    const auto toml = Controls::parse_toml(controls->toml());
    REQUIRE(toml.has_value());
    CHECK(*toml == *controls);
  }
  CHECK(read > 1000);
}
