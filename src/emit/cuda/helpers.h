// SPDX-License-Identifier: Apache-2.0
// Small functions that a text brings itself, where C++ has no operator with the meaning that the
// kernel IR gives to an op: floor division, saturating conversions, NaN rules of f64.
#pragma once

#include <parhelion/dtype.h>

#include <map>
#include <string>
#include <string_view>

namespace parhelion::emit::cuda {

class Helpers {
 public:
  /// Each returns the name to call, and remembers that it is in use.
  std::string floor_division(bool modulo, DType dtype);
  std::string saturate(DType from, DType to);
  std::string least_f64(bool least);
  std::string absolute(DType dtype);
  /// The functions in use, in the order of their names.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::string, std::less<>> used_;
};

/// "long long", "u16" (also for 16-bit floats, whose bits it holds), "float".
[[nodiscard]] std::string_view scalar_type(DType dtype);

}  // namespace parhelion::emit::cuda
