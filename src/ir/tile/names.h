// SPDX-License-Identifier: Apache-2.0
// The names that a text shows: unique, identifiers, the user's where there are some. The parser
// makes the same default names, so that a text reads back to the same text.
#pragma once

#include "ir/tile/function.h"

#include <set>
#include <string>
#include <vector>

namespace parhelion::ir {

/// Words of the grammar that cannot name a size, axis or block.
[[nodiscard]] bool is_reserved(std::string_view word);

/// Hands out identifiers; the second user of a name gets a number behind it.
class UniqueNames {
 public:
  std::string take(std::string_view wanted, std::string_view fallback);
  [[nodiscard]] bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

struct Names {
  std::vector<std::string> tensors, scalars, symbols, axes, blocks, values;
  std::vector<bool> declared_block;  // needs a line of its own in the host part

  /// `nameless`: by position alone, for hashes.
  static Names of(const Function& function, bool nameless);
  [[nodiscard]] std::string size(const Function& function, SizeId id) const;
};

/// Name of the symbol of a stride that the text does not spell out.
[[nodiscard]] std::string default_stride_name(std::string_view tensor, int dimension);

}  // namespace parhelion::ir
