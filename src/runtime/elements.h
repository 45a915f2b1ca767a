// SPDX-License-Identifier: Apache-2.0
// One element of a tensor as a number, and contents for tensors under test.
#pragma once

#include <parhelion/tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace parhelion::runtime {

/// f64 holds every value of every dtype here but the largest i64 and u64.
[[nodiscard]] double load_element(const void* at, DType dtype);
/// Rounds once, to the nearest, ties to even; f8 saturates, integers are cut off at their ends.
void store_element(void* at, DType dtype, double value);

/// Kinds of input that find different faults (frontend.md 6): small integers make every order of
/// sums exact, poison is a NaN that shows when it is read.
enum class Distribution : std::uint8_t {
  Zeros,
  Poison,
  SmallIntegers,
  Uniform,
  Normal,
  SameSign,
  WideExponents,
  Specials,
};
[[nodiscard]] std::string_view name(Distribution distribution);
[[nodiscard]] std::optional<Distribution> parse_distribution(std::string_view text);

/// Element i (row-major) depends on (seed, stream, i) alone: coordinator and worker make the same
/// tensor without sending it. The view is of host memory.
void fill(const TensorView& host, Distribution distribution, std::uint64_t seed,
          std::uint64_t stream);

}  // namespace parhelion::runtime
