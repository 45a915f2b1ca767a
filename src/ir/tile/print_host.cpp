// SPDX-License-Identifier: Apache-2.0
// The host part of a text: parameters, blocks, tensors, checks, what is returned.
#include "base/text.h"
#include "ir/tile/printer.h"
#include "ir/tile/views.h"

#include <fmt/format.h>

namespace parhelion::ir {

std::string Printer::dims(const std::vector<SizeId>& sizes) const {
  std::vector<std::string> texts;
  for (const SizeId id : sizes) texts.push_back(size(id));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string Printer::parameter(const Parameter& p) const {
  if (const auto* id = std::get_if<TensorId>(&p)) {
    const Tensor& t = f_.tensor(*id);
    return fmt::format("{}: {}{}", tensor(*id), name(t.dtype), dims(t.sizes));
  }
  const ScalarId id = std::get<ScalarId>(p);
  return fmt::format("${}: {}", names_.scalars[id.index()],
                     f_.scalars[id.index()].is_float ? "float" : "int");
}

void Printer::blocks() {
  for (std::size_t i = 0; i < f_.blocks.size(); ++i) {
    if (!names_.declared_block[i]) continue;
    const Block& b = f_.blocks[i];
    line(fmt::format("{} = block {}..{}", names_.blocks[i], b.fixed.value_or(b.minimum),
                     b.fixed.value_or(b.maximum)));
  }
}

std::string Printer::view(const Tensor& t) const {
  const ViewForm form = form_of(f_, t);
  const std::string base = tensor(t.base);
  switch (form.kind) {
    case ViewForm::Kind::Permute:
      return fmt::format("permute {} {}", base, fmt::join(form.order, ", "));
    case ViewForm::Kind::Expand: return fmt::format("expand {} {}", base, dims(t.sizes));
    case ViewForm::Kind::Narrow: {
      const std::string begin = form.extra->text(
          form.begin, [this](std::size_t s) { return names_.symbols[s]; },
          [this](BlockId b) { return names_.blocks[b.index()]; });
      return fmt::format("narrow {} {} {} {}", base, form.dimension, begin,
                         size(t.sizes[form.dimension]));
    }
    case ViewForm::Kind::General: break;
  }
  return fmt::format("view {} {} strides {} offset {}", base, dims(t.sizes), dims(t.strides),
                     size(t.offset));
}

std::string Printer::made(const Tensor& t) const {
  if (t.kind == Tensor::Kind::View) return view(t);
  if (t.kind == Tensor::Kind::Filled) {
    return fmt::format("filled {} {}{}", number_text(t.fill, t.dtype), name(t.dtype),
                       dims(t.sizes));
  }
  return fmt::format("empty {}{}", name(t.dtype), dims(t.sizes));
}

namespace {

std::string quoted(std::string_view message) {
  std::string text = "\"";
  for (const char c : message) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + "\"";
}

}  // namespace

void Printer::host_op(const HostOp& op) {
  if (op.kind == HostOp::Kind::Make) {
    return line(fmt::format("{} = {}", tensor(op.tensor), made(f_.tensor(op.tensor))));
  }
  std::string text =
      fmt::format("{} {} {} {}", op.kind == HostOp::Kind::Check ? "check" : "guard",
                  size(op.left), ir::text(op.relation), size(op.right));
  if (!op.message.empty() && !options_.nameless) text += " " + quoted(op.message);
  line(text);
}

void Printer::host_part() {
  blocks();
  for (const HostOp& op : f_.host) host_op(op);
}

std::string Printer::returned() const {
  std::vector<std::string> texts;
  for (const TensorId id : f_.returns) texts.push_back(tensor(id));
  const std::string list = fmt::format("{}", fmt::join(texts, ", "));
  return f_.returns_list && texts.size() == 1 ? fmt::format("return ({})", list)
                                              : "return " + list;
}

}  // namespace parhelion::ir
