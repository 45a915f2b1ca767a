// SPDX-License-Identifier: Apache-2.0
// Lines above the functions: names, constants, launch facts.
#include "ir/kernel/parser.h"

#include <array>
#include <utility>

namespace parhelion::ir::kernel {
namespace {

template <class Kind, std::size_t N>
bool find_kind(const std::array<std::pair<std::string_view, Kind>, N>& table, std::string_view word,
               Kind& out) {
  for (const auto& [text, kind] : table) {
    if (text == word) {
      out = kind;
      return true;
    }
  }
  return false;
}

using SymbolKind = CallSymbol::Kind;
constexpr std::array<std::pair<std::string_view, SymbolKind>, 3> symbol_kinds = {{
    {"size", SymbolKind::Size},
    {"stride", SymbolKind::Stride},
    {"scalar", SymbolKind::Scalar},
}};

using ParameterKind = LaunchParameter::Kind;
constexpr std::array<std::pair<std::string_view, ParameterKind>, 5> parameter_kinds = {{
    {"pointer", ParameterKind::Pointer},
    {"integer", ParameterKind::Integer},
    {"scalar", ParameterKind::Scalar},
    {"workspace", ParameterKind::Workspace},
    {"scratch", ParameterKind::Scratch},
}};

}  // namespace

bool Parser::header_line() {
  std::string line;
  if (take("module")) return text(module_.name);
  if (take("target")) return text(module_.target);
  if (take("config")) return text(module_.config);
  if (take("source_hash")) return text(module_.source_hash);
  if (take("comment")) return text(module_.comment.emplace_back());
  if (take("promise")) return text(module_.promises.emplace_back());
  if (take("file")) return text(module_.files.emplace_back());
  if (take("constant")) return constant_line();
  if (take("symbol")) return symbol_line();
  if (take("parameter")) return parameter_line();
  if (take("phase")) return phase_line();
  if (take("workspace_bytes")) return program(module_.launch.workspace_bytes);
  if (take("scratch_bytes")) return program(module_.launch.scratch_bytes);
  if (take("entry_value")) return typed_value({}, module_.entry_values.emplace_back());
  return mistake("expected a line of the header or a function");
}

bool Parser::constant_line() {
  Constant& c = module_.constants.emplace_back();
  return word(c.name) && expect("=") && integer(c.value) && text(c.comment);
}

bool Parser::symbol_line() {
  CallSymbol& s = module_.launch.symbols.emplace_back();
  std::string kind;
  if (!word(kind)) return false;
  if (!find_kind(symbol_kinds, kind, s.kind)) return mistake("unknown kind of symbol: " + kind);
  return integer(s.tensor) && integer(s.dimension);
}

bool Parser::parameter_line() {
  LaunchParameter& p = module_.launch.parameters.emplace_back();
  std::string kind, dtype;
  if (!word(kind)) return false;
  if (!find_kind(parameter_kinds, kind, p.kind)) {
    return mistake("unknown kind of parameter: " + kind);
  }
  if (!text(p.name) || !word(dtype)) return false;
  const std::optional<DType> parsed = parse_dtype(dtype);
  if (!parsed) return mistake("unknown dtype: " + dtype);
  p.dtype = *parsed;
  if (!expect("tensor") || !integer(p.tensor)) return false;
  p.written = take("written");
  if (!expect("bytes") || !integer(p.bytes) || !program(p.value) || !expect("=")) return false;
  return typed_value({}, module_.parameter_values.emplace_back());
}

bool Parser::phase_line() {
  LaunchPhase& p = module_.launch.phases.emplace_back();
  return text(p.entry) && expect("programs") && program(p.programs) && expect("chunk") &&
         integer(p.chunk) && expect("threads") && integer(p.threads) && expect("shared") &&
         integer(p.dynamic_shared_bytes);
}

bool Parser::program(SizeProgram& out) {
  std::string postfix;
  if (!text(postfix)) return false;
  Result<SizeProgram> parsed = SizeProgram::parse(postfix);
  if (!parsed) return mistake("no size program: \"" + postfix + "\"");
  out = std::move(*parsed);
  return true;
}

}  // namespace parhelion::ir::kernel
