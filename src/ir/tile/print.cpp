// SPDX-License-Identifier: Apache-2.0
// The device part of a text, one line an op.
#include "base/text.h"
#include "ir/tile/printer.h"
#include "ir/tile/walk.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::ir {

Printer::Printer(const Function& function, Options options)
    : f_(function), options_(options), names_(Names::of(function, options.nameless)) {
  std::uint32_t next = 0;
  walk(f_, [&](OpId id) {
    const auto* access = std::get_if<Access>(&f_.op(id).payload);
    if (access != nullptr && access->site != SiteId(next++)) sites_in_order_ = false;
  });
}

void Printer::line(std::string_view text, Location where) {
  text_.append(static_cast<std::size_t>(2 * depth_), ' ');
  text_ += text;
  if (options_.locations && where.known()) {
    text_ += where.file == 0 ? fmt::format("  #{}:{}", where.line, where.column)
                             : fmt::format("  #{}:{}:{}", where.file, where.line, where.column);
  }
  text_ += '\n';
}

void Printer::open(const std::string& head, Location where) {
  line(head + " {", where);
  ++depth_;
}

void Printer::close(std::string_view tail) {
  --depth_;
  line(tail);
}

std::string Printer::kernel() {
  std::vector<std::string> parameters;
  for (const Parameter& p : f_.parameters) parameters.push_back(parameter(p));
  const std::string_view kernel_name = options_.nameless ? std::string_view("k") : f_.name;
  open(fmt::format("kernel {}({})", kernel_name, fmt::join(parameters, ", ")), {});
  host_part();
  region(f_.body);
  if (!f_.returns.empty()) line(returned());
  close();
  return std::move(text_);
}

void Printer::region(RegionId id) {
  for (const OpId o : f_.region(id).ops) op(o);
}

void Printer::op(OpId id) {
  const Op& o = f_.op(id);
  switch (o.code) {
    case OpCode::Grid:
    case OpCode::For: return loop(o);
    case OpCode::While: return while_loop(o);
    case OpCode::If: return branch(o);
    case OpCode::Yield:
      if (!o.operands.empty()) line("yield " + operands(o));
      return;
    default: return plain(o);
  }
}

std::string Printer::results(const Op& o) const {
  std::vector<std::string> names;
  for (const ValueId v : o.results) names.push_back(val(v));
  return names.empty() ? "" : fmt::format("{} = ", fmt::join(names, ", "));
}

std::string Printer::bound(const Op& o, const Bound& b) const {
  if (b.operand >= 0) return val(o.operands[static_cast<std::size_t>(b.operand)]);
  return size(b.size);
}

std::string Printer::carry(const Op& o, RegionId body, std::size_t first) const {
  std::vector<std::string> pairs;
  const std::vector<ValueId>& arguments = f_.region(body).arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    pairs.push_back(fmt::format("{} = {}", val(arguments[i]), val(o.operands[first + i])));
  }
  return pairs.empty() ? "" : fmt::format(" carry ({})", fmt::join(pairs, ", "));
}

void Printer::loop(const Op& o) {
  std::vector<std::string> dims;
  std::size_t bounds = 0;
  for (const LoopDim& d : std::get<LoopAttr>(o.payload).dims) {
    bounds += (d.begin.operand >= 0 ? 1u : 0u) + (d.end.operand >= 0 ? 1u : 0u);
    std::string text = names_.axes[d.axis.index()] + " in ";
    const bool from_zero = d.begin.operand < 0 && f_.sizes.value(d.begin.size) == 0;
    if (!from_zero) text += bound(o, d.begin) + "..";
    text += bound(o, d.end);
    const Block& b = f_.blocks[d.block.index()];
    if (names_.declared_block[d.block.index()]) {
      text += " by " + names_.blocks[d.block.index()];
    } else if (b.fixed) {
      text += fmt::format(" by {}", *b.fixed);
    }
    dims.push_back(std::move(text));
  }
  open(fmt::format("{}{} {}{}", results(o), row(o.code).text, fmt::join(dims, ", "),
                   carry(o, o.regions[0], bounds)),
       o.where);
  region(o.regions[0]);
  close();
}

void Printer::while_loop(const Op& o) {
  open(fmt::format("{}while{}", results(o), carry(o, o.regions[0], 0)), o.where);
  region(o.regions[0]);
  close("} do {");
  ++depth_;
  region(o.regions[1]);
  close();
}

void Printer::branch(const Op& o) {
  open(fmt::format("{}if {}", results(o), val(o.operands[0])), o.where);
  region(o.regions[0]);
  const std::vector<OpId>& other = f_.region(o.regions[1]).ops;
  const bool empty = other.size() == 1 && f_.op(other[0]).code == OpCode::Yield &&
                     f_.op(other[0]).operands.empty();
  if (!empty) {
    close("} else {");
    ++depth_;
    region(o.regions[1]);
  }
  close();
}

std::string Printer::operands(const Op& o) const {
  std::vector<std::string> texts;
  for (const ValueId v : o.operands) texts.push_back(val(v));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string Printer::dim(AxisId id) const {
  const Axis& axis = f_.axis(id);
  switch (axis.kind) {
    case AxisKind::Unit: return "1";
    case AxisKind::Tile: return names_.axes[id.index()];
    case AxisKind::Extent: return ":" + size(axis.extent);
    case AxisKind::Product: break;
  }
  std::string text;
  for (const AxisId factor : axis.factors) {
    text = text.empty() ? dim(factor) : fmt::format("({} * {})", text, dim(factor));
  }
  return text;
}

std::string Printer::type(const TileType& t) const {
  std::vector<std::string> texts;
  for (const AxisId axis : t.axes) texts.push_back(dim(axis));
  return texts.empty() ? std::string(name(t.dtype))
                       : fmt::format("{}[{}]", name(t.dtype), fmt::join(texts, ", "));
}

std::string Printer::subscript(const Op& o, const Subscript& s) const {
  switch (s.kind) {
    case Subscript::Kind::All: return dim(s.axis);
    case Subscript::Kind::Slice:
      return fmt::format("slice({}, {}, {})", size(s.begin), size(f_.axis(s.axis).extent), s.step);
    case Subscript::Kind::Value: return val(o.operands[s.operand]);
    case Subscript::Kind::New: return "new";
    case Subscript::Kind::Point: {
      const std::string text = size(s.begin);
      return f_.sizes.value(s.begin) || text[0] == '(' ? text : fmt::format("({})", text);
    }
    case Subscript::Kind::Tile: break;
  }
  if (!s.begin.valid()) return dim(s.axis);
  const auto shift = f_.sizes.value(s.begin);
  if (shift && *shift < 0) return fmt::format("{} - {}", dim(s.axis), -*shift);
  return fmt::format("{} + {}", dim(s.axis), size(s.begin));
}

std::string Printer::place(const Op& o, const Access& a) const {
  std::vector<std::string> texts;
  for (const Subscript& s : a.subscripts) texts.push_back(subscript(o, s));
  return fmt::format("{}[{}]", tensor(a.tensor), fmt::join(texts, ", "));
}

std::string Printer::attributes(const Op& o, const Access& a) const {
  std::vector<std::string> texts;
  if (a.masked) texts.push_back("mask=" + val(o.operands.back()));
  if (a.other != 0) {
    texts.push_back("other=" + number_text(a.other, f_.tensor(a.tensor).dtype));
  }
  if (a.in_bounds) texts.emplace_back("in_bounds=1");
  if (!sites_in_order_) texts.push_back(fmt::format("site={}", a.site.value));
  return texts.empty() ? "" : fmt::format(" {{{}}}", fmt::join(texts, ", "));
}

std::string Printer::attributes(const Op& o) const {
  if (const auto* c = std::get_if<ConstAttr>(&o.payload)) {
    const DType dtype = f_.type(o.results[0]).dtype;
    return is_integer(dtype) ? fmt::format(" {}", c->integer)
                             : " " + number_text(c->number, dtype);
  }
  if (const auto* s = std::get_if<SizeAttr>(&o.payload)) return " " + size(s->size);
  if (const auto* s = std::get_if<ScalarAttr>(&o.payload)) {
    return " $" + names_.scalars[s->scalar.index()];
  }
  if (const auto* a = std::get_if<AxisAttr>(&o.payload)) return " " + dim(a->axis);
  if (const auto* p = std::get_if<PermuteAttr>(&o.payload)) {
    return fmt::format(" {}", fmt::join(p->order, ", "));
  }
  if (const auto* d = std::get_if<DimAttr>(&o.payload)) return fmt::format(" dim {}", d->dim);
  if (const auto* r = std::get_if<ReduceAttr>(&o.payload)) {
    return fmt::format(" dim {}{}", r->dim, r->keep ? " keep" : "");
  }
  if (const auto* d = std::get_if<DotAttr>(&o.payload)) {
    if (d->precision == DotPrecision::Tf32) return " {precision=tf32}";
    if (d->precision == DotPrecision::Tf32x3) return " {precision=tf32x3}";
  }
  return "";
}

void Printer::plain(const Op& o) {
  const auto* access = std::get_if<Access>(&o.payload);
  std::string text = results(o) + std::string(row(o.code).text);
  if (access != nullptr) {
    text += " " + place(o, *access);
    if (o.code == OpCode::Store) text += ", " + val(o.operands[0]);
    text += attributes(o, *access);
  } else {
    if (!o.operands.empty()) text += " " + operands(o);
    text += attributes(o);
  }
  if (!o.results.empty()) text += " : " + type(f_.type(o.results[0]));
  line(text, o.where);
}

namespace {

/// Files that some printed line names; those behind the last one stay out of the header.
std::size_t files_in_use(const Function& function) {
  std::size_t count = 0;
  walk(function, [&](OpId id) {
    const Op& op = function.op(id);
    if (op.code == OpCode::Yield || !op.where.known()) return;
    count = std::max(count, static_cast<std::size_t>(op.where.file) + 1);
  });
  return std::min(count, function.files.size());
}

}  // namespace

std::string print(const Function& function, bool locations) {
  std::string text = "parhelion 1";
  const std::size_t files = locations ? files_in_use(function) : 0;
  const bool unknown = files == 1 && function.files[0].empty();
  for (std::size_t i = 0; i < files && !unknown; ++i) {
    text += fmt::format(" file \"{}\"", function.files[i]);
  }
  return text + "\n" + Printer(function, {locations, false}).kernel();
}

std::string print_kernel(const Function& function) {
  return Printer(function, {false, false}).kernel();
}

Hash hash(const Function& function) { return hash_text(Printer(function, {false, true}).kernel()); }

}  // namespace parhelion::ir
