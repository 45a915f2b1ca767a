// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_protocol.h"

#include "runtime/json_fields.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::runtime {

namespace {

struct ProtocolRow {
  Protocol protocol;
  std::string_view name;
};
constexpr ProtocolRow protocols[] = {
    {Protocol::Warm, "warm"}, {Protocol::Cold, "cold"}, {Protocol::Rotate, "rotate"}};

template <class T>
Json list(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& v : values) array.push(Json(v));
  return array;
}

Json to_json(const std::vector<ScalarValue>& scalars) {
  Json array = Json::array();
  for (const ScalarValue& s : scalars) {
    array.push(s.is_float ? Json::object().set("float", s.number)
                          : Json::object().set("integer", s.integer));
  }
  return array;
}

std::vector<ScalarValue> read_scalars(const JsonFields& fields, std::string& error) {
  std::vector<ScalarValue> scalars;
  for (const Json& item : fields.array("scalars")) {
    const JsonFields scalar(item, error);
    ScalarValue value;
    value.is_float = scalar.has("float");
    if (value.is_float) {
      value.number = scalar.number("float");
      // C++ leaves the conversion of NaN and of what is out of range open.
      const bool fits = value.number > -0x1p62 && value.number < 0x1p62;
      value.integer = fits ? static_cast<std::int64_t>(value.number) : 0;
    } else {
      value.integer = scalar.integer("integer");
      value.number = static_cast<double>(value.integer);
    }
    scalars.push_back(value);
  }
  return scalars;
}

Json to_json(const TensorSpec& t) {
  Json object = Json::object()
                    .set("dtype", name(t.dtype))
                    .set("sizes", list(t.sizes))
                    .set("strides", list(t.strides))
                    .set("distribution", name(t.distribution))
                    .set("seed", t.seed)
                    .set("stream", t.stream)
                    .set("written", t.written)
                    .set("alignment", t.alignment)
                    .set("misalign", t.misalign);
  if (t.shared_offset) object.set("shared_offset", *t.shared_offset);
  return object;
}

TensorSpec read_tensor(const Json& json, std::string& error) {
  const JsonFields fields(json, error);
  TensorSpec t;
  t.dtype = fields.word("dtype", parse_dtype);
  t.sizes = fields.integers<std::int64_t>("sizes");
  t.strides = fields.integers<std::int64_t>("strides");
  t.distribution = fields.word("distribution", parse_distribution);
  t.seed = static_cast<std::uint64_t>(fields.integer("seed"));
  t.stream = static_cast<std::uint64_t>(fields.integer("stream"));
  t.written = fields.boolean("written");
  t.alignment = fields.integer("alignment");
  t.misalign = fields.integer("misalign");
  if (fields.has("shared_offset")) t.shared_offset = fields.integer("shared_offset");
  if (t.sizes.size() > max_rank) fields.set_error("sizes", "of rank 8 or less");
  if (!t.strides.empty() && t.strides.size() != t.sizes.size()) {
    fields.set_error("strides", "as long as the sizes");
  }
  if (t.alignment <= 0 || t.alignment > 4096 || t.misalign < 0 || t.misalign >= 4096) {
    fields.set_error("alignment", "in 1..4096, with a misalign below 4096");
  }
  return t;
}

struct Writer {
  Json operator()(const HelloRequest& r) const {
    return Json::object().set("op", "hello").set("version", r.version);
  }
  Json operator()(const TensorsRequest& r) const {
    Json tensors = Json::array();
    for (const TensorSpec& t : r.tensors) tensors.push(to_json(t));
    return Json::object()
        .set("op", "tensors")
        .set("set", r.set)
        .set("edge", r.edge == Edge::Start ? "start" : "end")
        .set("copies", r.copies)
        .set("tensors", std::move(tensors));
  }
  Json operator()(const LoadRequest& r) const {
    return Json::object().set("op", "load").set("kernel", r.kernel).set("file", r.file);
  }
  Json operator()(const UnloadRequest& r) const {
    return Json::object().set("op", "unload").set("kernel", r.kernel);
  }
  Json operator()(const RunRequest& r) const {
    Json outputs = Json::array();
    for (const RunRequest::Output& o : r.outputs) {
      outputs.push(Json::object().set("tensor", o.tensor).set("shared_offset", o.shared_offset));
    }
    return Json::object()
        .set("op", "run")
        .set("kernel", r.kernel)
        .set("set", r.set)
        .set("scalars", to_json(r.scalars))
        .set("outputs", std::move(outputs));
  }
  Json operator()(const TimeRequest& r) const {
    Json order = Json::array();
    for (const std::vector<int>& round : r.order) order.push(list(round));
    return Json::object()
        .set("op", "time")
        .set("kernels", list(r.kernels))
        .set("set", r.set)
        .set("scalars", to_json(r.scalars))
        .set("protocol", name(r.protocol))
        .set("rounds", r.rounds)
        .set("warmup_rounds", r.warmup_rounds)
        .set("min_sample_us", r.min_sample_us)
        .set("calls", list(r.calls))
        .set("order", std::move(order))
        .set("seed", r.seed)
        .set("budget_us", r.budget_us);
  }
  Json operator()(const ClockRequest&) const { return Json::object().set("op", "clock"); }
};

TensorsRequest read_tensors(const JsonFields& fields, std::string& error) {
  TensorsRequest r;
  r.set = fields.small("set");
  const std::string edge = fields.text("edge");
  if (edge != "start" && edge != "end") fields.set_error("edge", "start or end");
  r.edge = edge == "start" ? Edge::Start : Edge::End;
  r.copies = fields.small("copies");
  if (r.copies < 1) fields.set_error("copies", "at least 1");
  for (const Json& t : fields.array("tensors")) r.tensors.push_back(read_tensor(t, error));
  return r;
}

RunRequest read_run(const JsonFields& fields, std::string& error) {
  RunRequest r;
  r.kernel = fields.small("kernel");
  r.set = fields.small("set");
  r.scalars = read_scalars(fields, error);
  for (const Json& item : fields.array("outputs")) {
    const JsonFields output(item, error);
    r.outputs.push_back({output.small("tensor"), output.integer("shared_offset")});
  }
  return r;
}

void check_order(const TimeRequest& r, const JsonFields& fields) {
  for (const std::vector<int>& round : r.order) {
    std::vector<int> sorted = round;
    std::ranges::sort(sorted);
    bool each = sorted.size() == r.kernels.size();
    for (std::size_t i = 0; each && i < sorted.size(); ++i) each = sorted[i] == static_cast<int>(i);
    if (!each) fields.set_error("order", "each kernel once a round");
  }
  if (!r.order.empty() && r.order.size() != static_cast<std::size_t>(r.rounds)) {
    fields.set_error("order", "as long as the rounds");
  }
}

TimeRequest read_time(const JsonFields& fields, std::string& error) {
  TimeRequest r;
  r.kernels = fields.integers<int>("kernels");
  r.set = fields.small("set");
  r.scalars = read_scalars(fields, error);
  r.protocol = fields.word("protocol", parse_protocol);
  r.rounds = fields.small("rounds");
  r.warmup_rounds = fields.small("warmup_rounds");
  r.min_sample_us = fields.number("min_sample_us");
  r.calls = fields.integers<int>("calls");
  r.seed = static_cast<std::uint64_t>(fields.integer("seed"));
  r.budget_us = fields.number("budget_us");
  for (const Json& item : fields.array("order")) {
    const Json round = Json::object().set("order", item);
    r.order.push_back(JsonFields(round, error).integers<int>("order"));
  }
  check_order(r, fields);
  if (!r.calls.empty() && (r.calls.size() != r.kernels.size() || std::ranges::min(r.calls) < 1)) {
    fields.set_error("calls", "one number over 0 a kernel");
  }
  return r;
}

std::optional<Request> read_by_op(const std::string& op, const JsonFields& fields,
                                  std::string& error) {
  if (op == "hello") return HelloRequest{fields.small("version")};
  if (op == "tensors") return read_tensors(fields, error);
  if (op == "load") return LoadRequest{fields.small("kernel"), fields.text("file")};
  if (op == "unload") return UnloadRequest{fields.small("kernel")};
  if (op == "run") return read_run(fields, error);
  if (op == "time") return read_time(fields, error);
  if (op == "clock") return ClockRequest{};
  return std::nullopt;
}

}  // namespace

std::string_view name(Protocol protocol) {
  return std::ranges::find(protocols, protocol, &ProtocolRow::protocol)->name;
}

std::optional<Protocol> parse_protocol(std::string_view text) {
  const auto* row = std::ranges::find(protocols, text, &ProtocolRow::name);
  return row == std::end(protocols) ? std::nullopt : std::optional(row->protocol);
}

Json to_json(const Request& request) { return std::visit(Writer{}, request); }

Result<Request> read_request(std::string_view line) {
  auto json = Json::parse(line);
  if (!json) return fail(8702, "the request is not JSON: " + json.error()[0].message);
  std::string error;
  const JsonFields fields(*json, error);
  const std::string op = fields.text("op");
  auto request = read_by_op(op, fields, error);
  if (!request) return fail(8702, fmt::format("'{}' is not a request", op));
  if (!error.empty()) return fail(8702, fmt::format("request '{}': {}", op, error));
  return *std::move(request);
}

}  // namespace parhelion::runtime
