// SPDX-License-Identifier: Apache-2.0
// The program as a user calls it: exit status, stdout, stderr.
#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ph = parhelion;

namespace {

ph::Finished call(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), PH_BINARY_DIR "/bin/parhelion");
  ph::Command command;
  command.arguments = std::move(arguments);
  command.timeout = std::chrono::seconds(120);
  const auto finished = ph::run(command);
  REQUIRE(finished.has_value());
  return *finished;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("list and doctor as JSON") {
  const auto list = call({"list", "--json"});
  CHECK(list.exit_code == 0);
  const auto kernels = ph::Json::parse(list.output);
  REQUIRE(kernels.has_value());
  CHECK(kernels->as_array().size() == 4);
  CHECK(kernels->as_array()[0].string_or("name", "") == "vector_add");
  const auto doctor = call({"doctor", "--json"});
  CHECK(doctor.exit_code == 0);
  CHECK(ph::Json::parse(doctor.output).has_value());
}

TEST_CASE("run checks its numbers and says where the configuration is from") {
  const auto run = call({"run", "softmax", "--shape", "M=3,N=20", "--json"});
  CHECK_MESSAGE(run.exit_code == 0, run.errors);
  const auto out = ph::Json::parse(run.output);
  REQUIRE(out.has_value());
  CHECK(out->bool_or("ok", false));
  CHECK(out->string_or("config_from", "") == "heuristic");
}

TEST_CASE("a kernel goes out as .ph and comes back; outputs are written as .npy") {
  const ph::TemporaryDirectory folder;
  const std::string ph_file = (folder.path() / "k.ph").string();
  const auto text = call({"emit", "vector_add", "--stage", "tile"});
  REQUIRE(text.exit_code == 0);
  REQUIRE(ph::write_file(ph_file, text.output).has_value());
  const std::string npy = (folder.path() / "out.npy").string();
  const auto run =
      call({"run", ph_file, "--arg", "y=f32[33]", "--arg", "x=f32[33]", "--out", "out=" + npy});
  CHECK_MESSAGE(run.exit_code == 0, run.errors);
  CHECK(has(run.output, "right"));
  CHECK(ph::read_file(npy).has_value());
}

TEST_CASE("emit prints C++ for the CPU and CUDA for a GPU") {
  const auto cpu = call({"emit", "softmax", "--shape", "M=8,N=64"});
  CHECK(has(cpu.output, "extern \"C\" void softmax"));
  const auto cuda = call({"emit", "softmax", "--shape", "M=8,N=64", "--target", "sm_90a"});
  CHECK_MESSAGE(cuda.exit_code == 0, cuda.errors);
  CHECK(has(cuda.output, "__global__"));
  const auto kernel = call({"emit", "matmul", "--stage", "kernel"});
  CHECK(has(kernel.output, "matmul_pack_a"));
}

TEST_CASE("user errors end with status 1, a code and the next step") {
  const auto unknown = call({"run", "sofmax"});
  CHECK(unknown.exit_code == 1);
  CHECK(has(unknown.errors, "PH9501"));
  CHECK(has(unknown.errors, "did you mean softmax?"));
  const auto extent = call({"run", "softmax", "--shape", "Q=3"});
  CHECK(extent.exit_code == 1);
  CHECK(has(extent.errors, "PH9502"));
  const auto dtype = call({"run", "softmax", "--dtype", "f31"});
  CHECK(has(dtype.errors, "PH9502"));
  const auto refused = call({"explain", "matmul", "--config", "register_block[d0]=9x2"});
  CHECK(refused.exit_code == 1);
  CHECK(has(refused.errors, "PH7101"));
  CHECK(has(refused.errors, "use 6x2"));
  // Alignment beyond 16 bytes is not part of the key, so such stores cannot be promised.
  const auto unaligned = call({"run", "vector_add", "--config", "cache[s2]=nt"});
  CHECK(unaligned.exit_code == 1);
  CHECK(has(unaligned.errors, "PH7101"));
  const auto file = call({"run", "/nowhere/k.ph"});
  CHECK(file.exit_code == 1);
  CHECK(has(file.errors, "PH8001"));
  const auto argument = call({"run", "vector_add", "--arg", "x=f32"});
  CHECK(argument.exit_code == 1);
  CHECK(has(argument.errors, "PH9503"));
  const auto output =
      call({"run", "vector_add", "--shape", "N=8", "--out", "z=/tmp/never-written.npy"});
  CHECK(output.exit_code == 1);
  CHECK(has(output.errors, "PH9504"));
  CHECK(call({"frobnicate"}).exit_code == 1);
  CHECK(call({"--version"}).output == "0.1.0\n");
}

TEST_CASE("explain gives a reason for each choice; bench gives n and spread") {
  const auto explain = call({"explain", "matmul", "--json"});
  const auto out = ph::Json::parse(explain.output);
  REQUIRE(out.has_value());
  CHECK(out->find("notes")->as_array().size() >= 5);
  const auto bench = call({"bench", "vector_add", "--shape", "N=1000", "--samples", "5", "--json"});
  CHECK_MESSAGE(bench.exit_code == 0, bench.errors);
  const auto timed = ph::Json::parse(bench.output);
  REQUIRE(timed.has_value());
  CHECK(timed->integer_or("n", 0) == 5);
  CHECK(timed->number_or("median_us", 0) > 0);
}

TEST_CASE("compile keeps its files where it is told to") {
  const ph::TemporaryDirectory folder;
  const auto compiled =
      call({"compile", "vector_add", "--cache", "none", "--keep", folder.path().string()});
  CHECK_MESSAGE(compiled.exit_code == 0, compiled.errors);
  for (const char* name : {"vector_add.cpp", "vector_add.log", "vector_add.so"}) {
    CHECK(ph::read_file(folder.path() / name).has_value());
  }
}
