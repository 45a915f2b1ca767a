// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "runtime/worker_protocol.h"

#include <vector>

namespace parhelion::runtime {
namespace {

TimeRequest time_request() {
  TimeRequest r;
  r.kernels = {3, 8};
  r.set = 1;
  r.scalars = {{true, 0.25, 0}, {false, -3, -3}};
  r.protocol = Protocol::Cold;
  r.rounds = 2;
  r.calls = {4, 1};
  r.order = {{1, 0}, {0, 1}};
  r.seed = ~0ull;
  r.budget_us = 1e6;
  return r;
}

std::vector<Request> requests() {
  TensorSpec strided;
  strided.dtype = DType::BF16;
  strided.sizes = {4, 5};
  strided.strides = {8, 1};
  strided.distribution = Distribution::WideExponents;
  strided.seed = 1ull << 63;
  strided.misalign = 2;
  TensorSpec sent;
  sent.sizes = {7};
  sent.shared_offset = 4096;
  sent.written = true;
  TensorsRequest tensors;
  tensors.set = 2;
  tensors.edge = Edge::Start;
  tensors.copies = 4;
  tensors.tensors = {strided, sent};
  RunRequest run;
  run.kernel = 5;
  run.set = 2;
  run.scalars = {{true, 1.5, 1}};
  run.outputs = {{1, 0}, {0, 64}};
  return {HelloRequest{}, tensors,       LoadRequest{5, "/a b/\"x\".pha"}, UnloadRequest{5}, run,
          time_request(), ClockRequest{}};
}

std::vector<Answer> answers() {
  Diagnostic refused;
  refused.code = 8703;
  refused.message = "there is no kernel 5";
  refused.help = "load it";
  return {HelloAnswer{1, 77, "x86-64-v3", Json::object().set("threads", 2)},
          DoneAnswer{},
          RunAnswer{12.5, {"tensor 1: byte 3 behind the end was written"}, {0, 2}},
          TimeAnswer{{{1.5, 2.0}, {3, 4}}, {10, 1}, {3660, 3661.5}},
          ClockAnswer{{}},
          ClockAnswer{3660.25},
          Diagnostics{refused}};
}

TEST_CASE("requests and answers come back from their lines") {
  for (const Request& request : requests()) {
    const std::string line = to_json(request).dump();
    CAPTURE(line);
    CHECK(line.find('\n') == std::string::npos);
    const auto back = read_request(line);
    REQUIRE(back.has_value());
    CHECK((*back == request));
  }
  for (const Answer& answer : answers()) {
    const std::string line = to_json(answer).dump();
    CAPTURE(line);
    const auto back = read_answer(line);
    REQUIRE(back.has_value());
    CHECK((*back == answer));
  }
}

std::string refusal(std::string_view line) {
  const auto request = read_request(line);
  REQUIRE_FALSE(request.has_value());
  CHECK(request.error()[0].code == 8702);
  return request.error()[0].message;
}

TEST_CASE("lines that nobody can read are refused with the field") {
  CHECK(refusal("{").starts_with("the request is not JSON: "));
  CHECK(refusal(R"({"op":"dance"})") == "'dance' is not a request");
  CHECK(refusal("[]") == "'' is not a request");
  CHECK(refusal(R"({"op":"load","kernel":1})") == "request 'load': 'file' is not a text");
  CHECK(refusal(R"({"op":"unload","kernel":"1"})") ==
        "request 'unload': 'kernel' is not an integer");
  Json json = to_json(Request(time_request()));
  CHECK(refusal(json.set("protocol", "lukewarm").dump()) ==
        "request 'time': 'protocol' is not a word that is known");
  json = to_json(Request(time_request()));
  CHECK(refusal(json.set("order", Json::array().push(Json::array().push(0).push(0))).dump()) ==
        "request 'time': 'order' is not each kernel once a round");
  json = to_json(Request(time_request()));
  CHECK(refusal(json.set("calls", Json::array().push(1).push(0)).dump()) ==
        "request 'time': 'calls' is not one number over 0 a kernel");
  TensorsRequest tensors;
  tensors.tensors.resize(1);
  tensors.tensors[0].sizes = {2, 2};
  tensors.tensors[0].strides = {1};
  CHECK(refusal(to_json(Request(tensors)).dump()) ==
        "request 'tensors': 'strides' is not as long as the sizes");
  tensors.tensors[0].strides.clear();
  tensors.tensors[0].alignment = 0;
  CHECK(refusal(to_json(Request(tensors)).dump()).starts_with("request 'tensors': 'alignment'"));
  tensors.copies = 0;
  tensors.tensors.clear();
  CHECK(refusal(to_json(Request(tensors)).dump()) ==
        "request 'tensors': 'copies' is not at least 1");
  CHECK(read_answer("gibberish").error()[0].code == 8702);
  CHECK(read_answer(R"({"answer":"error","diagnostics":[]})").error()[0].message ==
        "answer 'error': 'diagnostics' is not at least one");
}

}  // namespace
}  // namespace parhelion::runtime
