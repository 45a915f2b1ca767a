// SPDX-License-Identifier: Apache-2.0
// The one table of the parameters of a Config. Texts, space and documentation are made from it.
#pragma once

#include <parhelion/config.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace parhelion::config {

enum class Subject : std::uint8_t { Kernel, Axis, Loop, Site, Dot, Operand, Value, Role, Tunable };
enum class ValueKind : std::uint8_t { Integer, Word, IntegerOrWord, List };
enum class Targets : std::uint8_t { Both, Cpu, Cuda };

struct ParameterRow {
  Parameter parameter;
  std::string_view name;
  Subject subject;
  ValueKind kind;
  Targets targets;
  /// Words that the parameter takes, separated by blanks; # stands for an integer. Empty: no words.
  std::string_view words;
  std::string_view doc;
};

/// Row i describes enumerator i.
inline constexpr ParameterRow parameters[] = {
    {Parameter::Block, "block", Subject::Axis, ValueKind::Integer, Targets::Both, "",
     "tile extent along the axis"},
    {Parameter::Order, "order", Subject::Loop, ValueKind::List, Targets::Both, "",
     "axes of the loop, slowest first, as positions in its own order"},
    {Parameter::Group, "group", Subject::Loop, ValueKind::Integer, Targets::Both, "",
     "tiles of the slowest axis that are walked together, for the sake of the L2 cache"},
    {Parameter::Pid, "pid", Subject::Loop, ValueKind::Word, Targets::Cuda,
     "flat persistent(blocked) persistent(interleaved) cluster", "program id to tile"},
    {Parameter::Warps, "warps", Subject::Kernel, ValueKind::Integer, Targets::Cuda, "",
     "warps of a program"},
    {Parameter::Roles, "roles", Subject::Kernel, ValueKind::Word, Targets::Cuda,
     "one producer ping_pong cooperative", "what the warps of a program do"},
    {Parameter::Reduce, "reduce", Subject::Axis, ValueKind::IntegerOrWord, Targets::Both,
     "resident row(out) row(scratch) recompute",
     "how a full axis is walked: whole and held, held in a place, computed again, or in chunks of "
     "n"},
    {Parameter::Stages, "stages", Subject::Loop, ValueKind::Integer, Targets::Cuda, "",
     "depth of the loop's ring of copies"},
    {Parameter::Unroll, "unroll", Subject::Loop, ValueKind::Integer, Targets::Both, "",
     "trips written out one after another"},
    {Parameter::Static, "static", Subject::Loop, ValueKind::Word, Targets::Both, "on off",
     "all trips written out"},
    {Parameter::Path, "path", Subject::Site, ValueKind::Word, Targets::Cuda,
     "plain cp.async bulk tma", "instructions that move the site's tile"},
    {Parameter::Vector, "vector", Subject::Site, ValueKind::Integer, Targets::Cuda, "",
     "most bytes of one access"},
    {Parameter::Cache, "cache", Subject::Site, ValueKind::Word, Targets::Both,
     "plain nt ca cg cs lu wb wt", "cache operator of the site"},
    {Parameter::Evict, "evict", Subject::Site, ValueKind::Word, Targets::Cuda, "normal first last",
     "eviction priority in L2"},
    {Parameter::Mma, "mma", Subject::Dot, ValueKind::Word, Targets::Cuda,
     "fma m16n8k8 m16n8k16 m16n8k32 wgmma", "instruction family of the dot"},
    {Parameter::Swap, "swap", Subject::Dot, ValueKind::Word, Targets::Cuda, "on off",
     "operands exchanged, result transposed"},
    {Parameter::WarpGrid, "warp_grid", Subject::Dot, ValueKind::Word, Targets::Cuda, "#x#",
     "warps along m and n"},
    {Parameter::SplitK, "split_k", Subject::Dot, ValueKind::Integer, Targets::Both, "",
     "programs that share one result tile"},
    {Parameter::Overlap, "overlap", Subject::Loop, ValueKind::Integer, Targets::Cuda, "",
     "steps by which arithmetic trails the dots"},
    {Parameter::Cluster, "cluster", Subject::Kernel, ValueKind::Integer, Targets::Cuda, "",
     "blocks of a cluster"},
    {Parameter::Multicast, "multicast", Subject::Site, ValueKind::Word, Targets::Cuda, "on off",
     "one load for all blocks of a cluster"},
    {Parameter::EpilogueSplit, "epilogue_split", Subject::Kernel, ValueKind::Integer, Targets::Cuda,
     "", "parts in which the result tile is stored"},
    {Parameter::MaxRegisters, "max_registers", Subject::Kernel, ValueKind::Integer, Targets::Cuda,
     "", "registers of a thread, as launch bound"},
    {Parameter::MinBlocks, "min_blocks", Subject::Kernel, ValueKind::Integer, Targets::Cuda, "",
     "blocks of a multiprocessor, as launch bound"},
    {Parameter::Registers, "registers", Subject::Role, ValueKind::Integer, Targets::Cuda, "",
     "register budget of a role"},
    {Parameter::DependentLaunch, "dependent_launch", Subject::Kernel, ValueKind::Word,
     Targets::Cuda, "on off", "programmatic dependent launch"},
    {Parameter::Hold, "hold", Subject::Value, ValueKind::Word, Targets::Both,
     "packed unpacked shared scratch output reload recompute",
     "where a value lives between two passes that read it"},
    {Parameter::Schedule, "schedule", Subject::Kernel, ValueKind::Word, Targets::Cpu,
     "static dynamic(#)", "how workers take programs: equal ranges, or # at a time"},
    {Parameter::Simd, "simd", Subject::Kernel, ValueKind::Integer, Targets::Cpu, "",
     "bytes of a vector"},
    {Parameter::Strip, "strip", Subject::Loop, ValueKind::Integer, Targets::Cpu, "",
     "vectors of one trip"},
    {Parameter::Pairs, "pairs", Subject::Kernel, ValueKind::Word, Targets::Cpu, "widen even_odd",
     "how 16-bit elements become 32-bit lanes"},
    {Parameter::RegisterBlock, "register_block", Subject::Dot, ValueKind::Word, Targets::Cpu, "#x#",
     "rows by vectors of the accumulators that stay in registers"},
    {Parameter::Kc, "kc", Subject::Dot, ValueKind::Integer, Targets::Cpu, "",
     "depth of a packed panel"},
    {Parameter::Mc, "mc", Subject::Dot, ValueKind::Integer, Targets::Cpu, "",
     "rows of a packed panel of a"},
    {Parameter::Nc, "nc", Subject::Dot, ValueKind::Integer, Targets::Cpu, "",
     "columns of a packed panel of b"},
    {Parameter::Pack, "pack", Subject::Operand, ValueKind::Word, Targets::Cpu, "packed direct",
     "operand copied to panels or read where it lies"},
    {Parameter::Tunable, "tunable", Subject::Tunable, ValueKind::IntegerOrWord, Targets::Both, "",
     "a number that the kernel declares"},
};
static_assert(std::size(parameters) == parameter_count);
static_assert([] {
  for (int i = 0; i < parameter_count; ++i) {
    if (parameters[i].parameter != static_cast<Parameter>(i)) return false;
  }
  return true;
}());

[[nodiscard]] constexpr const ParameterRow& row(Parameter parameter) {
  return parameters[static_cast<int>(parameter)];
}
/// 'a' axis, 'l' loop, 's' site, 'd' dot and operand, 'v' value, 't' tunable; 0: no index.
[[nodiscard]] char letter(Subject subject);
/// The parameter takes this word.
[[nodiscard]] bool takes_word(const ParameterRow& row, std::string_view word);
/// Nothing if the row takes the value, else what it takes ("an integer of at least 1").
[[nodiscard]] std::optional<std::string> wrong_value(const ParameterRow& row, const Value& value);

}  // namespace parhelion::config
