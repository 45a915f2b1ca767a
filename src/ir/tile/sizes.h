// SPDX-License-Identifier: Apache-2.0
// Host integer expressions: polynomials over symbols with hash-consed floordiv, mod, cdiv, min, max
// and block sizes as further atoms. Equal polynomials have equal ids, so `(m+n)-n` is `m`.
#pragma once

#include "base/size_program.h"
#include "ir/tile/ids.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::ir {

/// What a symbol of a SizeTable is bound to at a call.
struct SizeSymbol {
  enum class Kind : std::uint8_t { Size, Stride, Scalar };
  Kind kind = Kind::Size;
  std::string name;
  TensorId tensor;    // Size, Stride
  int dimension = 0;  // Size, Stride
  ScalarId scalar;    // an integer Scalar argument used as a size
  bool operator==(const SizeSymbol&) const = default;
};

class SizeTable {
 public:
  enum class Kind : std::uint8_t {
    Constant, Symbol, Block, Sum /* polynomial */, FloorDiv, Mod, CeilDiv, Min, Max,
  };

  SizeId constant(std::int64_t value);
  SizeId symbol(const SizeSymbol& symbol);  // always a new symbol
  SizeId block(BlockId block);
  SizeId add(SizeId a, SizeId b);
  SizeId sub(SizeId a, SizeId b);
  SizeId mul(SizeId a, SizeId b);
  SizeId floor_div(SizeId a, SizeId b);
  SizeId mod(SizeId a, SizeId b);
  SizeId ceil_div(SizeId a, SizeId b);
  SizeId min(SizeId a, SizeId b);
  SizeId max(SizeId a, SizeId b);

  [[nodiscard]] Kind kind(SizeId id) const;
  [[nodiscard]] std::optional<std::int64_t> value(SizeId id) const;    // of a constant
  [[nodiscard]] std::optional<std::size_t> symbol_index(SizeId id) const;  // of a plain symbol
  [[nodiscard]] std::optional<BlockId> block_of(SizeId id) const;      // of a plain block
  [[nodiscard]] const std::vector<SizeSymbol>& symbols() const { return symbols_; }
  [[nodiscard]] SizeSymbol& symbol_at(std::size_t index) { return symbols_[index]; }
  [[nodiscard]] SizeId symbol_id(std::size_t index) const { return symbol_ids_[index]; }

  /// Value for given symbols (by symbol index) and block sizes (by BlockId).
  using Blocks = std::function<std::int64_t(BlockId)>;
  [[nodiscard]] std::int64_t evaluate(SizeId id, const std::vector<std::int64_t>& symbols,
                                      const Blocks& blocks = {}) const;
  /// Postfix program whose symbols are symbol indices of this table; blocks become constants.
  [[nodiscard]] SizeProgram program(SizeId id, const Blocks& blocks = {}) const;
  /// The canonical text: compound sizes in parentheses; `block(NAME)` by the given name.
  [[nodiscard]] std::string text(SizeId id,
                                 const std::function<std::string(BlockId)>& block_name) const;
  /// The same with names for the symbols (by symbol index) too.
  [[nodiscard]] std::string text(SizeId id,
                                 const std::function<std::string(std::size_t)>& symbol_name,
                                 const std::function<std::string(BlockId)>& block_name) const;
  /// q with a = q * b as polynomials, for b of one term; nullopt where there is none.
  [[nodiscard]] std::optional<SizeId> divide_exact(SizeId a, SizeId b);
  /// Whether a block size occurs in it.
  [[nodiscard]] bool has_block(SizeId id) const;
  [[nodiscard]] bool has_block(SizeId id, BlockId block) const;
  [[nodiscard]] std::size_t count() const { return nodes_.size(); }
  /// Largest known constant that divides the value for every binding: 1 if none is known, 0 for
  /// the constant 0.
  [[nodiscard]] std::int64_t divisor(SizeId id, const Blocks& blocks = {}) const;

 private:
  // A polynomial: monomial (sorted atom ids) -> coefficient. Atoms are Symbol, Block, FloorDiv ...
  using Monomial = std::vector<std::uint32_t>;
  using Polynomial = std::map<Monomial, std::int64_t>;
  struct Node {
    Kind kind;
    std::int64_t constant = 0;
    std::uint32_t reference = 0;  // symbol index or block id
    SizeId left, right;
    Polynomial terms;
  };
  SizeId intern(Node node);
  [[nodiscard]] Polynomial polynomial(SizeId id) const;
  SizeId from_polynomial(Polynomial terms);
  SizeId binary(Kind kind, SizeId a, SizeId b);
  struct Split {
    SizeId whole, rest;  // a = whole * divisor + rest
  };
  Split split_by(SizeId a, std::int64_t divisor);
  [[nodiscard]] bool any_block(SizeId id, std::optional<BlockId> block) const;

  std::vector<Node> nodes_;
  std::vector<SizeSymbol> symbols_;
  std::vector<SizeId> symbol_ids_;
  std::map<std::string, SizeId> interned_;  // canonical key of a node -> id
};

}  // namespace parhelion::ir
