// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <parhelion/target.h>

namespace parhelion {
namespace {

TEST_CASE("names of targets round-trip") {
  for (const CudaTarget& row : cuda_targets()) {
    const auto parsed = parse_target(row.architecture);
    REQUIRE(parsed.has_value());
    CHECK(*parsed == Target(row));
    CHECK(name(*parsed) == row.architecture);
  }
  for (const std::string_view text : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const auto parsed = parse_target(text);
    REQUIRE(parsed.has_value());
    CHECK(name(*parsed) == text);
  }
  CHECK(parse_target("cpu").value() == Target(host_cpu()));
  CHECK(name(parse_target("cuda").value()) == "sm_90a");
}

TEST_CASE("unknown names are refused with what is near") {
  const auto near = parse_target("sm_90");
  REQUIRE_FALSE(near.has_value());
  CHECK(near.error()[0].code == 8401);
  CHECK(near.error()[0].message == "'sm_90' is not a target");
  CHECK(near.error()[0].help == "did you mean sm_90a?");
  const auto far = parse_target("tpu-of-the-moon");
  REQUIRE_FALSE(far.has_value());
  CHECK(far.error()[0].help ==
        "one of cpu, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, cuda, sm_80, sm_89, sm_90a, sm_100, "
        "sm_120");
}

TEST_CASE("GPUs are not run by a host") {
  const auto refused = check_runs_on(parse_target("sm_90a").value(), host_cpu());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error()[0].code == 8402);
}

TEST_CASE("the table keeps the limits that hold for every architecture") {
  for (const CudaTarget& t : cuda_targets()) {
    CAPTURE(t.architecture);
    CHECK(t.shared_bytes_per_block + 1024 == t.shared_bytes_per_multiprocessor);
    CHECK(t.registers_per_multiprocessor == 65536);
    CHECK(t.threads_per_multiprocessor % 32 == 0);
    CHECK(t.memory_gb_per_s > 0);
    CHECK_FALSE(t.source.empty());
    CHECK(t.architecture.starts_with("sm_" + std::to_string(t.major) + std::to_string(t.minor)));
  }
}

}  // namespace
}  // namespace parhelion
