// SPDX-License-Identifier: Apache-2.0
#include "record/columns.h"

#include "base/json.h"

namespace parhelion::record {

namespace {

/// How a member type lies in a cell.
template <class T>
struct CellOf;

template <>
struct CellOf<std::string> {
  static constexpr std::string_view type = "TEXT NOT NULL";
  static Cell to(const std::string& value) { return value; }
  static bool from(const Cell& cell, std::string& value) {
    const auto* text = std::get_if<std::string>(&cell);
    if (text != nullptr) value = *text;
    return text != nullptr;
  }
};

template <class T>
struct CellOfInteger {
  static constexpr std::string_view type = "INTEGER NOT NULL";
  static Cell to(T value) { return static_cast<std::int64_t>(value); }
  static bool from(const Cell& cell, T& value) {
    const auto* number = std::get_if<std::int64_t>(&cell);
    if (number != nullptr) value = static_cast<T>(*number);
    return number != nullptr;
  }
};
template <>
struct CellOf<std::int64_t> : CellOfInteger<std::int64_t> {};
template <>
struct CellOf<std::uint64_t> : CellOfInteger<std::uint64_t> {};
template <>
struct CellOf<bool> : CellOfInteger<bool> {};

template <>
struct CellOf<std::optional<double>> {
  static constexpr std::string_view type = "REAL";
  static Cell to(const std::optional<double>& value) {
    return value ? Cell(*value) : Cell(std::monostate{});
  }
  static bool from(const Cell& cell, std::optional<double>& value) {
    if (std::holds_alternative<std::monostate>(cell)) {
      value.reset();
      return true;
    }
    const auto* real = std::get_if<double>(&cell);
    if (real != nullptr) value = *real;
    return real != nullptr;
  }
};

template <>
struct CellOf<double> {
  static constexpr std::string_view type = "REAL NOT NULL";
  static Cell to(double value) { return value; }
  static bool from(const Cell& cell, double& value) {
    const auto* real = std::get_if<double>(&cell);
    if (real != nullptr) value = *real;
    return real != nullptr;
  }
};

template <class E, std::optional<E> (*parse)(std::string_view)>
struct CellOfWord {
  static constexpr std::string_view type = "TEXT NOT NULL";
  static Cell to(E value) { return std::string(name(value)); }
  static bool from(const Cell& cell, E& value) {
    const auto* text = std::get_if<std::string>(&cell);
    const auto parsed = text != nullptr ? parse(*text) : std::nullopt;
    if (parsed) value = *parsed;
    return parsed.has_value();
  }
};
template <>
struct CellOf<Stage> : CellOfWord<Stage, parse_stage> {};
template <>
struct CellOf<Outcome> : CellOfWord<Outcome, parse_outcome> {};
template <>
struct CellOf<RunState> : CellOfWord<RunState, parse_run_state> {};

template <>
struct CellOf<std::vector<double>> {
  static constexpr std::string_view type = "TEXT NOT NULL";
  static Cell to(const std::vector<double>& values) {
    Json array = Json::array();
    for (const double v : values) array.push(v);
    return array.dump();
  }
  static bool from(const Cell& cell, std::vector<double>& values) {
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) return false;
    const auto json = Json::parse(*text);
    if (!json || !json->is_array()) return false;
    for (const Json& item : json->as_array()) {
      if (!item.is_number()) return false;
      values.push_back(item.as_number());
    }
    return true;
  }
};

template <auto member>
struct MemberOf;
template <class R, class T, T R::* member>
struct MemberOf<member> {
  using Row = R;
  using Type = T;
};

template <auto member>
constexpr auto column(std::string_view name) {
  using Row = typename MemberOf<member>::Row;
  using Of = CellOf<typename MemberOf<member>::Type>;
  return Column<Row>{name, Of::type, [](const Row& row) { return Of::to(row.*member); },
                     [](Row& row, const Cell& cell) { return Of::from(cell, row.*member); }};
}

constexpr Column<Run> run_columns[] = {
    column<&Run::uid>("uid"),
    column<&Run::kernel>("kernel"),
    column<&Run::specialization>("specialization"),
    column<&Run::shape>("shape"),
    column<&Run::dtype>("dtype"),
    column<&Run::device>("device"),
    column<&Run::toolchain>("toolchain"),
    column<&Run::seed>("seed"),
    column<&Run::budget_s>("budget_s"),
    column<&Run::state>("state"),
    column<&Run::options>("options"),
    column<&Run::split>("split"),
    column<&Run::wall_s>("wall_s"),
    column<&Run::environment>("environment"),
    column<&Run::started_at>("started_at"),
    column<&Run::ended_at>("ended_at"),
};

constexpr Column<Trial> trial_columns[] = {
    column<&Trial::run>("run"),
    column<&Trial::proposal>("proposal"),
    column<&Trial::kernel>("kernel"),
    column<&Trial::specialization>("specialization"),
    column<&Trial::config>("config"),
    column<&Trial::controls>("controls"),
    column<&Trial::device>("device"),
    column<&Trial::toolchain>("toolchain"),
    column<&Trial::stage>("stage"),
    column<&Trial::outcome>("outcome"),
    column<&Trial::reason>("reason"),
    column<&Trial::code_hash>("code_hash"),
    column<&Trial::artifact_hash>("artifact_hash"),
    column<&Trial::protocol>("protocol"),
    column<&Trial::samples_us>("samples_us"),
    column<&Trial::score_us>("score_us"),
    column<&Trial::summary>("summary"),
    column<&Trial::plan_ms>("plan_ms"),
    column<&Trial::compile_ms>("compile_ms"),
    column<&Trial::load_ms>("load_ms"),
    column<&Trial::check_ms>("check_ms"),
    column<&Trial::time_ms>("time_ms"),
    column<&Trial::seed>("seed"),
    column<&Trial::strategy>("strategy"),
    column<&Trial::recorded_at>("recorded_at"),
};

constexpr Column<Validated> validated_columns[] = {
    column<&Validated::kernel>("kernel"),
    column<&Validated::exact_key>("exact_key"),
    column<&Validated::tuning_key>("tuning_key"),
    column<&Validated::shape>("shape"),
    column<&Validated::dtype>("dtype"),
    column<&Validated::device>("device"),
    column<&Validated::toolchain>("toolchain"),
    column<&Validated::config>("config"),
    column<&Validated::controls>("controls"),
    column<&Validated::code_hash>("code_hash"),
    column<&Validated::artifact_hash>("artifact_hash"),
    column<&Validated::accepted>("accepted"),
    column<&Validated::default_us>("default_us"),
    column<&Validated::best_us>("best_us"),
    column<&Validated::gain>("gain"),
    column<&Validated::gain_low>("gain_low"),
    column<&Validated::gain_high>("gain_high"),
    column<&Validated::p_adjusted>("p_adjusted"),
    column<&Validated::effect_size>("effect_size"),
    column<&Validated::n>("n"),
    column<&Validated::method>("method"),
    column<&Validated::environment>("environment"),
    column<&Validated::run>("run"),
    column<&Validated::recorded_at>("recorded_at"),
};

}  // namespace

std::span<const Column<Run>> columns(const Run*) { return run_columns; }
std::span<const Column<Trial>> columns(const Trial*) { return trial_columns; }
std::span<const Column<Validated>> columns(const Validated*) { return validated_columns; }
std::string_view table(const Run*) { return "runs"; }
std::string_view table(const Trial*) { return "trials"; }
std::string_view table(const Validated*) { return "validated"; }

}  // namespace parhelion::record
