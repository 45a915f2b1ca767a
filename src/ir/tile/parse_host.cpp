// SPDX-License-Identifier: Apache-2.0
// Parameters and the host part.
#include "base/text.h"
#include "ir/tile/parser.h"
#include "ir/tile/views.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::ir {

void Parser::parameters() {
  in_.expect("(");
  bool first = true;
  while (!in_.accept(")")) {
    if (!first) in_.expect(",");
    first = false;
    if (in_.accept("@")) {
      tensor_parameter();
    } else if (in_.accept("$")) {
      scalar_parameter();
    } else {
      in_.expected("'@' or '$'");
    }
  }
  name_symbols();
}

void Parser::scalar_parameter() {
  const Place where = in_.place();
  const std::string name = in_.name_behind_sigil();
  if (scalars_.find(name)) in_.fail(5001, fmt::format("'${}' is defined twice", name), where);
  in_.expect(":");
  const bool is_float = in_.accept("float");
  if (!is_float) in_.expect("int");
  const ScalarId id(f_.scalars.size());
  f_.scalars.push_back({name, is_float});
  f_.parameters.emplace_back(id);
  scalars_.entries.emplace_back(name, id);
  if (is_float) return;
  SizeSymbol symbol{SizeSymbol::Kind::Scalar, name, {}, 0, id};
  symbols_.entries.emplace_back("$" + name, f_.sizes.symbol(symbol));
}

/// A new name declares the size; a known one, or an expression, must hold at the call.
void Parser::parameter_size(TensorId tensor, int dimension) {
  const Place where = in_.place();
  SizeSymbol symbol{SizeSymbol::Kind::Size, {}, tensor, dimension, {}};
  if (in_.at_identifier() && !in_.at("cdiv") && !in_.at("min") && !in_.at("max")) {
    const std::string name = in_.identifier("a size");
    if (is_reserved(name)) in_.fail(5001, fmt::format("'{}' cannot name a size", name), where);
    const auto known = symbols_.find(name);
    if (!known) symbol.name = name;
    const SizeId own = f_.sizes.symbol(symbol);
    f_.tensor(tensor).sizes.push_back(own);
    if (!known) symbols_.entries.emplace_back(name, own);
    if (known) require(own, Relation::Eq, *known, location(where));
    return;
  }
  const SizeId wanted = size();
  const SizeId own = f_.sizes.symbol(symbol);
  f_.tensor(tensor).sizes.push_back(own);
  require(own, Relation::Eq, wanted, location(where));
}

void Parser::parameter_strides(TensorId tensor) {
  Tensor& t = f_.tensor(tensor);
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    t.strides.push_back(f_.sizes.symbol(
        {SizeSymbol::Kind::Stride, {}, tensor, static_cast<int>(d), {}}));
  }
  const Place where = in_.place();
  if (!in_.accept("strides")) return;
  const std::vector<SizeId> wanted = dims();
  if (wanted.size() != t.strides.size()) {
    in_.fail(5001, fmt::format("{} strides for {} dimensions", wanted.size(), t.strides.size()),
             where);
  }
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    require(f_.tensor(tensor).strides[d], Relation::Eq, wanted[d], location(where));
  }
}

void Parser::tensor_parameter() {
  const Place where = in_.place();
  Tensor t;
  t.name = in_.name_behind_sigil();
  if (tensors_.find(t.name)) in_.fail(5001, fmt::format("'@{}' is defined twice", t.name), where);
  t.where = location(where);
  in_.expect(":");
  t.dtype = dtype();
  const TensorId id(f_.tensors.size());
  f_.tensors.push_back(t);
  f_.parameters.emplace_back(id);
  tensors_.entries.emplace_back(t.name, id);
  in_.expect("[");
  for (int d = 0; !in_.accept("]"); ++d) {
    if (d > 0) in_.expect(",");
    parameter_size(id, d);
  }
  parameter_strides(id);
}

// The names that the printer would give, in its order: sizes of all parameters, then strides.
void Parser::name_symbols() {
  UniqueNames unique;
  for (const auto& entry : symbols_.entries) {
    if (!starts_with(entry.first, "$")) (void)unique.take(entry.first, "");
  }
  for (const bool strides : {false, true}) {
    for (const Tensor& t : f_.tensors) {
      for (const SizeId id : strides ? t.strides : t.sizes) {
        SizeSymbol& symbol = f_.sizes.symbol_at(*f_.sizes.symbol_index(id));
        if (!symbol.name.empty()) continue;
        const std::string wanted = strides ? default_stride_name(t.name, symbol.dimension)
                                           : fmt::format("{}_d{}", t.name, symbol.dimension);
        symbol.name = unique.take(wanted, "");
        symbols_.entries.emplace_back(symbol.name, id);
      }
    }
  }
}

bool Parser::host_statement() {
  if (in_.at("@")) {
    make_tensor();
  } else if (in_.accept("check")) {
    check(HostOp::Kind::Check);
  } else if (in_.accept("guard")) {
    check(HostOp::Kind::Guard);
  } else if (in_.at_identifier() && !in_.at("grid") && !in_.at("barrier") && !in_.at("return")) {
    block_declaration();
  } else {
    return false;
  }
  return true;
}

void Parser::check(HostOp::Kind kind) {
  const Place where = in_.place();
  HostOp op;
  op.kind = kind;
  op.left = size();
  op.relation = relation();
  op.right = size();
  if (in_.at("\"")) op.message = in_.string();
  op.where = location(where);
  f_.host.push_back(std::move(op));
}

/// What a view rests on; said once.
void Parser::require(SizeId left, Relation relation, SizeId right, Location where) {
  const bool known = std::ranges::any_of(f_.host, [&](const HostOp& op) {
    return op.kind == HostOp::Kind::Check && op.left == left && op.right == right &&
           op.relation == relation;
  });
  if (known || (left == right && satisfies(relation, 0, 0))) return;
  HostOp op;
  op.kind = HostOp::Kind::Check;
  op.left = left;
  op.right = right;
  op.relation = relation;
  op.where = where;
  f_.host.push_back(std::move(op));
}

TensorId Parser::tensor() {
  const Place where = in_.place();
  in_.expect("@");
  const std::string name = in_.name_behind_sigil();
  const auto known = tensors_.find(name);
  if (!known) in_.unknown("tensor", "@" + name, tensors_.names("@"), where);
  return *known;
}

void Parser::make_tensor() {
  const Place where = in_.place();
  in_.expect("@");
  const std::string name = in_.name_behind_sigil();
  if (tensors_.find(name)) in_.fail(5001, fmt::format("'@{}' is defined twice", name), where);
  in_.expect("=");
  const Place at = in_.place();
  const std::string word = in_.identifier("empty, filled or a view");
  Tensor t = word == "empty" || word == "filled" ? allocation(word, at) : view(word, at);
  t.name = name;
  t.where = location(where);
  const TensorId id(f_.tensors.size());
  HostOp op;
  op.tensor = id;
  op.where = t.where;
  f_.tensors.push_back(std::move(t));
  f_.host.push_back(std::move(op));
  tensors_.entries.emplace_back(name, id);
}

Tensor Parser::allocation(std::string_view word, Place where) {
  Tensor t;
  t.kind = word == "filled" ? Tensor::Kind::Filled : Tensor::Kind::Empty;
  if (t.kind == Tensor::Kind::Filled) t.fill = parse_number(in_.number()).value_or(0);
  t.dtype = dtype();
  t.sizes = dims();
  for (const SizeId s : t.sizes) {
    if (f_.sizes.has_block(s)) in_.fail(5001, "a block size in the size of a tensor", where);
  }
  t.strides.resize(t.sizes.size());
  SizeId next = f_.sizes.constant(1);
  for (std::size_t i = t.sizes.size(); i-- > 0;) {
    t.strides[i] = next;
    next = f_.sizes.mul(next, t.sizes[i]);
  }
  return t;
}

Tensor Parser::view(std::string_view word, Place where) {
  if (word != "permute" && word != "narrow" && word != "expand" && word != "view") {
    in_.unknown("host op", std::string(word),
                {"empty", "filled", "permute", "narrow", "expand", "view"}, where);
  }
  Tensor whole = view_of(f_, tensor());
  if (word == "narrow") return narrow_view(std::move(whole), where);
  if (word == "expand") return expand_view(whole, where);
  if (word == "view") return general_view(std::move(whole));
  std::vector<int> order;
  do {
    order.push_back(static_cast<int>(in_.integer()));
  } while (in_.accept(","));
  auto result = permuted(std::move(whole), order);
  if (!result) in_.fail(2001, "permute must name every dimension once", where);
  return *result;
}

Tensor Parser::narrow_view(Tensor whole, Place where) {
  const std::int64_t d = in_.integer();
  if (d < 0 || static_cast<std::size_t>(d) >= whole.sizes.size()) {
    in_.fail(2001, fmt::format("there is no dimension {}", d), where, "dimensions count from 0");
  }
  const auto dimension = static_cast<std::size_t>(d);
  const SizeId begin = size(), length = size();
  require(f_.sizes.add(begin, length), Relation::Le, whole.sizes[dimension], location(where));
  return narrowed(f_.sizes, std::move(whole), dimension, begin, length);
}

Tensor Parser::expand_view(const Tensor& whole, Place where) {
  const std::vector<SizeId> extents = dims();
  const EqualSizes equal(f_);
  auto result = expanded(f_.sizes, whole, extents, equal);
  if (!result) in_.fail(2001, "expand cannot drop dimensions", where, "name every dimension");
  const std::size_t added = extents.size() - whole.sizes.size();
  for (std::size_t i = 0; i < whole.sizes.size(); ++i) {
    if (equal.same(extents[added + i], whole.sizes[i])) continue;
    require(whole.sizes[i], Relation::Eq, f_.sizes.constant(1), location(where));
  }
  return *result;
}

Tensor Parser::general_view(Tensor whole) {
  whole.sizes = dims();
  in_.expect("strides");
  const Place where = in_.place();
  whole.strides = dims();
  if (whole.strides.size() != whole.sizes.size()) {
    in_.fail(5001, "as many strides as sizes are needed", where);
  }
  in_.expect("offset");
  whole.offset = size();
  return whole;
}

void Parser::block_declaration() {
  const Place where = in_.place();
  const std::string name = in_.identifier("a statement");
  if (is_reserved(name) || blocks_.find(name)) {
    in_.fail(5001, fmt::format("'{}' cannot name a block", name), where);
  }
  in_.expect("=");
  in_.expect("block");
  Block block;
  block.name = name;
  block.minimum = in_.integer();
  in_.expect("..");
  block.maximum = in_.integer();
  if (block.minimum < 1 || (block.maximum != 0 && block.maximum < block.minimum)) {
    in_.fail(4006, fmt::format("block {}..{}", block.minimum, block.maximum), where,
             "1 <= min <= max, or max = 0 for no limit");
  }
  if (block.minimum == block.maximum) {
    block.fixed = block.minimum;
    block.minimum = 1;
    block.maximum = 0;
  }
  blocks_.entries.emplace_back(name, BlockId(f_.blocks.size()));
  f_.blocks.push_back(std::move(block));
}

}  // namespace parhelion::ir
