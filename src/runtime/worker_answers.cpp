// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_protocol.h"

#include "runtime/json_fields.h"

#include "base/diag.h"

#include <fmt/format.h>

namespace parhelion::runtime {

namespace {

template <class T>
Json list(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& v : values) array.push(Json(v));
  return array;
}

struct Writer {
  Json operator()(const HelloAnswer& a) const {
    return Json::object()
        .set("answer", "hello")
        .set("version", a.version)
        .set("pid", a.pid)
        .set("target", a.target)
        .set("environment", a.environment);
  }
  Json operator()(const DoneAnswer&) const { return Json::object().set("answer", "done"); }
  Json operator()(const RunAnswer& a) const {
    return Json::object()
        .set("answer", "run")
        .set("wall_us", a.wall_us)
        .set("damage", list(a.damage))
        .set("changed_inputs", list(a.changed_inputs));
  }
  Json operator()(const TimeAnswer& a) const {
    Json samples = Json::array();
    for (const std::vector<double>& kernel : a.samples) samples.push(list(kernel));
    return Json::object()
        .set("answer", "time")
        .set("samples", std::move(samples))
        .set("calls", list(a.calls))
        .set("clock_mhz", list(a.clock_mhz));
  }
  Json operator()(const ClockAnswer& a) const {
    Json object = Json::object().set("answer", "clock");
    if (a.mhz) object.set("mhz", *a.mhz);
    return object;
  }
  Json operator()(const Diagnostics& errors) const {
    Json array = Json::array();
    for (const Diagnostic& d : errors) {
      array.push(Json::object().set("code", d.code).set("message", d.message).set("help", d.help));
    }
    return Json::object().set("answer", "error").set("diagnostics", std::move(array));
  }
};

TimeAnswer read_time(const JsonFields& fields, std::string& error) {
  TimeAnswer a;
  for (const Json& item : fields.array("samples")) {
    const Json kernel = Json::object().set("samples", item);
    a.samples.push_back(JsonFields(kernel, error).numbers("samples"));
  }
  a.calls = fields.integers<int>("calls");
  a.clock_mhz = fields.numbers("clock_mhz");
  return a;
}

RunAnswer read_run(const JsonFields& fields) {
  RunAnswer a;
  a.wall_us = fields.number("wall_us");
  for (const Json& item : fields.array("damage")) {
    if (!item.is_string()) fields.set_error("damage", "an array of texts");
    if (item.is_string()) a.damage.push_back(item.as_string());
  }
  a.changed_inputs = fields.integers<int>("changed_inputs");
  return a;
}

Diagnostics read_diagnostics(const JsonFields& fields, std::string& error) {
  Diagnostics diagnostics;
  for (const Json& item : fields.array("diagnostics")) {
    const JsonFields d(item, error);
    Diagnostic diagnostic;
    diagnostic.code = d.small("code");
    diagnostic.message = d.text("message");
    diagnostic.help = d.text("help");
    diagnostics.push_back(std::move(diagnostic));
  }
  if (diagnostics.empty()) fields.set_error("diagnostics", "at least one");
  return diagnostics;
}

std::optional<Answer> read_by_kind(const std::string& kind, const JsonFields& fields,
                                   std::string& error) {
  if (kind == "hello") {
    return HelloAnswer{fields.small("version"), fields.small("pid"), fields.text("target"),
                       fields.any("environment")};
  }
  if (kind == "done") return DoneAnswer{};
  if (kind == "run") return read_run(fields);
  if (kind == "time") return read_time(fields, error);
  if (kind == "clock") {
    ClockAnswer a;
    if (fields.has("mhz")) a.mhz = fields.number("mhz");
    return a;
  }
  if (kind == "error") return read_diagnostics(fields, error);
  return std::nullopt;
}

}  // namespace

Json to_json(const Answer& answer) { return std::visit(Writer{}, answer); }

Result<Answer> read_answer(std::string_view line) {
  auto json = Json::parse(line);
  if (!json) return fail(8702, "the worker's answer is not JSON: " + json.error()[0].message);
  std::string error;
  const JsonFields fields(*json, error);
  const std::string kind = fields.text("answer");
  auto answer = read_by_kind(kind, fields, error);
  if (!answer) return fail(8702, fmt::format("'{}' is not an answer", kind));
  if (!error.empty()) return fail(8702, fmt::format("answer '{}': {}", kind, error));
  return *std::move(answer);
}

}  // namespace parhelion::runtime
