// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include <cmath>
#include <numbers>

namespace parhelion {

namespace {

// Finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  const std::uint64_t a = mix(seed + golden);
  const std::uint64_t b = mix(a ^ (stream + golden * 2));
  return mix(b ^ (counter * golden + golden * 3));
}

std::uint64_t Rng::below(std::uint64_t n) {
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % n;
  for (;;) {
    const std::uint64_t v = bits();
    if (v < limit) return v % n;
  }
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = span == 0 ? bits() : below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Rng::normal() {
  // Box and Muller; one of the pair is dropped, so that a value depends on its counters alone.
  const double u = 1.0 - uniform(), v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace parhelion
