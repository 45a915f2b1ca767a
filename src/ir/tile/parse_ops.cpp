// SPDX-License-Identifier: Apache-2.0
// One-line ops: operands, places, attributes, the written type.
#include "base/diag.h"
#include "base/text.h"
#include "ir/tile/parser.h"

#include <fmt/format.h>

#include <cmath>

namespace parhelion::ir {

namespace {

std::optional<OpCode> find_code(std::string_view word) {
  for (const OpRow& r : op_rows()) {
    if (r.text == word && r.group != OpGroup::Control) return r.code;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Parser::Attribute> Parser::attributes() {
  std::vector<Attribute> result;
  if (!in_.accept("{")) return result;
  do {
    Attribute a;
    a.where = in_.place();
    a.name = in_.identifier("an attribute");
    in_.expect("=");
    if (in_.at("%")) {
      a.value = value();
    } else if (in_.at_identifier()) {
      a.text = in_.identifier("a word");
    } else {
      a.text = in_.number();
    }
    result.push_back(std::move(a));
  } while (in_.accept(","));
  in_.expect("}");
  return result;
}

void Parser::access_attributes(Op& op, Access& access) {
  bool site = false;
  for (const Attribute& a : attributes()) {
    if (a.name == "mask" && a.value.valid() && !access.masked) {
      access.masked = true;
      op.operands.push_back(a.value);
    } else if (a.name == "other" && !a.value.valid() && parse_number(a.text)) {
      access.other = *parse_number(a.text);
    } else if (a.name == "in_bounds" && a.text == "1") {
      access.in_bounds = true;
    } else if (a.name == "site" && parse_integer(a.text).value_or(-1) >= 0) {
      access.site = SiteId(static_cast<std::uint32_t>(*parse_integer(a.text)));
      site = true;
    } else {
      in_.unknown("attribute", a.name, {"mask", "other", "in_bounds", "site"}, a.where);
    }
  }
  if (sites_written_.value_or(site) != site) {
    in_.fail(5001, "every access names its site, or none does", in_.place());
  }
  sites_written_ = site;
  if (!site) access.site = SiteId(f_.sites);
  ++f_.sites;
}

void Parser::dot_attributes(Op& op) {
  DotAttr attr;
  for (const Attribute& a : attributes()) {
    if (a.name != "precision") in_.unknown("attribute", a.name, {"precision"}, a.where);
    if (a.text == "tf32") {
      attr.precision = DotPrecision::Tf32;
    } else if (a.text == "tf32x3") {
      attr.precision = DotPrecision::Tf32x3;
    } else if (a.text != "ieee") {
      in_.unknown("precision", a.text, {"ieee", "tf32", "tf32x3"}, a.where);
    }
  }
  op.payload = attr;
}

Subscript Parser::subscript(std::vector<ValueId>& indices) {
  Subscript s;
  if (in_.accept("new")) {
    s.kind = Subscript::Kind::New;
  } else if (in_.accept(":")) {
    s.axis = f_.extent_axis(size());
  } else if (in_.accept("slice")) {
    s.kind = Subscript::Kind::Slice;
    in_.expect("(");
    s.begin = size();
    in_.expect(",");
    s.axis = f_.extent_axis(size());
    in_.expect(",");
    const Place where = in_.place();
    const std::int64_t step = in_.integer();
    if (step < 1 || step > 1 << 30) in_.fail(2005, fmt::format("a slice of step {}", step), where);
    s.step = static_cast<int>(step);
    in_.expect(")");
  } else if (in_.at("%")) {
    s.kind = Subscript::Kind::Value;
    s.operand = static_cast<std::uint32_t>(indices.size());
    indices.push_back(value());
  } else if (in_.at("(") || in_.at("-") || in_.at_digit()) {
    s.kind = Subscript::Kind::Point;
    s.begin = size();
  } else {
    s.kind = Subscript::Kind::Tile;
    s.axis = axis();
    if (in_.accept("+")) {
      s.begin = size();
    } else if (in_.accept("-")) {
      s.begin = f_.sizes.sub(f_.sizes.constant(0), size());
    }
  }
  return s;
}

Access Parser::place(std::vector<ValueId>& indices) {
  Access access;
  access.tensor = tensor();
  in_.expect("[");
  bool first = true;
  while (!in_.accept("]")) {
    if (!first) in_.expect(",");
    first = false;
    access.subscripts.push_back(subscript(indices));
  }
  return access;
}

/// A store's value comes first among the operands, whatever the text's order.
void Parser::memory(Op& op, bool is_store) {
  std::vector<ValueId> indices;
  Access access = place(indices);
  if (is_store) {
    in_.expect(",");
    op.operands.push_back(value());
    for (Subscript& s : access.subscripts) {
      if (s.kind == Subscript::Kind::Value) ++s.operand;
    }
  }
  op.operands.insert(op.operands.end(), indices.begin(), indices.end());
  access_attributes(op, access);
  access.axes = map_place(f_, access, op.operands).axes;
  op.payload = std::move(access);
}

void Parser::store(RegionId region, Place where) {
  Op op;
  op.code = OpCode::Store;
  memory(op, true);
  const OpId id = f_.append(region, std::move(op), {});
  location_of(id, where);
  (void)infer_checked(id);
}

std::int64_t Parser::dim_number() {
  in_.expect("dim");
  const Place where = in_.place();
  const std::int64_t d = in_.integer();
  if (d < 0 || d > 64) in_.fail(2201, fmt::format("dimension {}", d), where);
  return d;
}

void Parser::shape_payload(Op& op) {
  if (op.code == OpCode::Permute) {
    PermuteAttr attr;
    do {
      attr.order.push_back(static_cast<int>(in_.integer()));
    } while (in_.accept(","));
    op.payload = std::move(attr);
  } else if (op.code != OpCode::Expand) {
    op.payload = DimAttr{static_cast<int>(dim_number())};
  }
}

void Parser::payload(Op& op, std::string& number) {
  switch (op.code) {
    case OpCode::Const: number = in_.number(); break;
    case OpCode::Size: op.payload = SizeAttr{size()}; break;
    case OpCode::Scalar: {
      const Place where = in_.place();
      in_.expect("$");
      const std::string name = in_.name_behind_sigil();
      const auto known = scalars_.find(name);
      if (!known) in_.unknown("scalar", "$" + name, scalars_.names("$"), where);
      op.payload = ScalarAttr{*known};
      break;
    }
    case OpCode::Index:
    case OpCode::Begin:
    case OpCode::End:
    case OpCode::TileId:
    case OpCode::Count: op.payload = AxisAttr{axis()}; break;
    default: break;
  }
  const OpGroup group = row(op.code).group;
  if (group == OpGroup::Shape) shape_payload(op);
  if (group == OpGroup::Dot) dot_attributes(op);
  if (group == OpGroup::Reduce) {
    const auto dim = static_cast<int>(dim_number());
    op.payload = ReduceAttr{dim, in_.accept("keep")};
  }
}

/// `: type`; constants and shapes take it as it stands.
TileType Parser::written_type(Op& op, const std::string& number, Place where) {
  in_.expect(":");
  TileType written = type();
  if (op.code == OpCode::Full || op.code == OpCode::Arange || op.code == OpCode::Expand) {
    op.payload = ShapeAttr{written.axes};
  }
  if (op.code != OpCode::Const) return written;
  ConstAttr attr;
  if (is_integer(written.dtype)) {
    const auto integer = parse_integer(number);
    if (!integer) in_.fail(5001, fmt::format("'{}' is no integer", number), where);
    attr.integer = *integer;
  } else {
    attr.number = *parse_number(number);
  }
  op.payload = attr;
  return written;
}

void Parser::plain(RegionId region, const std::vector<Target>& results, Place where) {
  const std::string word = in_.identifier("an op");
  const auto code = find_code(word);
  if (!code) {
    std::vector<std::string> words;
    for (const OpRow& r : op_rows()) words.emplace_back(r.text);
    in_.unknown("op", word, words, where);
  }
  if (results.size() != 1) {
    in_.fail(5001, fmt::format("'{}' has one result", word), where, "write %name = in front");
  }
  Op op;
  op.code = *code;
  std::string number;
  if (*code == OpCode::Load) {
    memory(op, false);
  } else {
    if (in_.at("%")) op.operands = values();
    payload(op, number);
  }
  const Place at = in_.place();
  const TileType written = written_type(op, number, where);
  const OpId id = f_.append(region, std::move(op), {written});
  location_of(id, where);
  const std::vector<TileType> inferred = infer_checked(id);
  if (inferred[0] != written) {
    in_.fail(5003, fmt::format("written type {}, inferred {}", text(f_, written),
                               text(f_, inferred[0])),
             at);
  }
  define(results[0], f_.op(id).results[0]);
}

}  // namespace parhelion::ir
