// SPDX-License-Identifier: Apache-2.0
#include "base/code_writer.h"
#include "base/text.h"
#include "ir/kernel/module.h"
#include "ir/kernel/names.h"

#include <fmt/format.h>

namespace parhelion::ir::kernel {

const std::string& DisplayNames::define(ValueId id) {
  const std::string& name = module_.value(id).name;
  const int ordinal = taken_[name]++;
  std::string shown = "%" + name;
  if (name.empty()) shown += std::to_string(ordinal);
  if (!name.empty() && ordinal > 0) shown += "." + std::to_string(ordinal);
  return names_[id] = shown;
}

std::string DisplayNames::use(ValueId id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? "%?" : found->second;
}

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string float_text(double value) {
  std::string text = number_text(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string attribute_text(const Attribute& attribute) {
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    return std::to_string(*integer);
  }
  if (const auto* number = std::get_if<double>(&attribute.value)) return float_text(*number);
  return quoted(std::get<std::string>(attribute.value));
}

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module), names_(module) {}

  std::string print() {
    print_header();
    print_launch();
    for (const ValueId id : module_.entry_values) out_.line("entry_value " + typed(id));
    for (const Function& function : module_.functions) print_function(function);
    return out_.text();
  }

 private:
  void print_header();
  void print_launch();
  void print_function(const Function& function);
  void print_ops(const Region& region);
  void print_op(const Op& op);
  void print_regions(const Op& op, std::string head);
  std::string head_of(const Op& op);
  std::string typed(ValueId id);
  std::string typed_list(const std::vector<ValueId>& ids);

  const Module& module_;
  DisplayNames names_;
  CodeWriter out_;
};

void Printer::print_header() {
  out_.line("module " + quoted(module_.name));
  out_.line("target " + quoted(module_.target));
  out_.line("config " + quoted(module_.config));
  out_.line("source_hash " + quoted(module_.source_hash));
  for (const std::string& line : module_.comment) out_.line("comment " + quoted(line));
  for (const std::string& text : module_.promises) out_.line("promise " + quoted(text));
  for (const Constant& c : module_.constants) {
    out_.line(fmt::format("constant {} = {} {}", c.name, c.value, quoted(c.comment)));
  }
  for (const std::string& file : module_.files) out_.line("file " + quoted(file));
}

std::string_view kind_text(CallSymbol::Kind kind) {
  switch (kind) {
    case CallSymbol::Kind::Size: return "size";
    case CallSymbol::Kind::Stride: return "stride";
    case CallSymbol::Kind::Scalar: return "scalar";
  }
  return {};
}

std::string_view kind_text(LaunchParameter::Kind kind) {
  switch (kind) {
    case LaunchParameter::Kind::Pointer: return "pointer";
    case LaunchParameter::Kind::Integer: return "integer";
    case LaunchParameter::Kind::Scalar: return "scalar";
    case LaunchParameter::Kind::Workspace: return "workspace";
    case LaunchParameter::Kind::Scratch: return "scratch";
  }
  return {};
}

void Printer::print_launch() {
  const LaunchFacts& launch = module_.launch;
  for (const CallSymbol& s : launch.symbols) {
    out_.line(fmt::format("symbol {} {} {}", kind_text(s.kind), s.tensor, s.dimension));
  }
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const LaunchParameter& p = launch.parameters[i];
    const std::string value =
        i < module_.parameter_values.size() ? typed(module_.parameter_values[i]) : "%?";
    out_.line(fmt::format("parameter {} {} {} tensor {}{} bytes {} {} = {}", kind_text(p.kind),
                          quoted(p.name), parhelion::name(p.dtype), p.tensor,
                          p.written ? " written" : "", p.bytes, quoted(p.value.text()), value));
  }
  for (const LaunchPhase& p : launch.phases) {
    out_.line(fmt::format("phase {} programs {} chunk {} threads {} shared {}", quoted(p.entry),
                          quoted(p.programs.text()), p.chunk, p.threads, p.dynamic_shared_bytes));
  }
  out_.line("workspace_bytes " + quoted(launch.workspace_bytes.text()));
  out_.line("scratch_bytes " + quoted(launch.scratch_bytes.text()));
}

std::string Printer::typed(ValueId id) {
  return names_.define(id) + " : " + text(module_.type(id));
}

std::string Printer::typed_list(const std::vector<ValueId>& ids) {
  std::string list = "(";
  for (std::size_t i = 0; i < ids.size(); ++i) list += (i == 0 ? "" : ", ") + typed(ids[i]);
  return list + ")";
}

void Printer::print_function(const Function& function) {
  names_.open();
  std::string head = "function " + function.name;
  if (function.entry) head += " entry";
  if (function.noinline_) head += " noinline";
  out_.line("");
  out_.open(head + " " + typed_list(function.parameters));
  print_ops(module_.region(function.body));
  out_.close();
  names_.close();
}

void Printer::print_ops(const Region& region) {
  for (const OpId id : region.ops) print_op(module_.op(id));
}

std::string Printer::head_of(const Op& op) {
  std::string operands;
  for (const ValueId id : op.operands) {
    operands += (operands.empty() ? " " : ", ") + names_.use(id);
  }
  std::string attributes;
  for (const Attribute& attribute : op.attributes) {
    if (op.code == OpCode::Const && attribute.key == "value") {
      operands += " " + attribute_text(attribute);
      continue;
    }
    attributes += fmt::format("{}{} = {}", attributes.empty() ? " {" : ", ", attribute.key,
                              attribute_text(attribute));
  }
  if (!attributes.empty()) attributes += "}";
  // Results are defined after the operands were looked up.
  std::string results, types;
  for (const ValueId id : op.results) {
    results += (results.empty() ? "" : ", ") + names_.define(id);
    types += (types.empty() ? " : " : ", ") + text(module_.type(id));
  }
  if (!results.empty()) results += " = ";
  std::string head = results + std::string(row(op.code).text) + operands + types + attributes;
  if (op.where.line != 0) {
    head += fmt::format(" @{}:{}:{}", op.where.file, op.where.line, op.where.column);
  }
  return head;
}

void Printer::print_op(const Op& op) {
  std::string head = head_of(op);
  if (op.regions.empty()) {
    out_.line(head);
    return;
  }
  print_regions(op, std::move(head));
}

void Printer::print_regions(const Op& op, std::string head) {
  for (std::size_t i = 0; i < op.regions.size(); ++i) {
    const Region& region = module_.region(op.regions[i]);
    names_.open();
    const std::string arguments = typed_list(region.arguments);
    if (i > 0) out_.outdent();
    out_.open(i == 0 ? head + " " + arguments : "} " + arguments);
    print_ops(region);
    names_.close();
  }
  out_.close();
}

}  // namespace

std::string print(const Module& module) { return Printer(module).print(); }

}  // namespace parhelion::ir::kernel
