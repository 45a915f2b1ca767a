// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/files.h"
#include "target/cpuid.h"

#include <map>
#include <utility>

namespace parhelion {
namespace {

using target::Registers;
using Leaves = std::map<std::pair<std::uint32_t, std::uint32_t>, Registers>;

target::Cpuid recorded(Leaves leaves) {
  return [leaves](std::uint32_t leaf, std::uint32_t subleaf) {
    const auto found = leaves.find({leaf, subleaf});
    return found == leaves.end() ? Registers{} : found->second;
  };
}

constexpr std::uint32_t bit(int i) { return 1u << i; }
constexpr std::uint32_t leaf1_ecx = bit(12) | bit(20) | bit(27) | bit(28) | bit(29);
constexpr std::uint32_t avx512 = bit(16) | bit(17) | bit(28) | bit(30) | bit(31);

// The registers of a server CPU with AVX-512 and AMX.
const Leaves wide = {
    {{0, 0}, {.eax = 32, .ebx = 0x756e6547, .ecx = 0x6c65746e, .edx = 0x49656e69}},
    {{1, 0}, {.ecx = leaf1_ecx}},
    {{7, 0},
     {.eax = 1,
      .ebx = bit(5) | avx512,
      .ecx = bit(11),
      .edx = bit(22) | bit(23) | bit(24) | bit(25)}},
    {{7, 1}, {.eax = bit(5)}},
    {{0x80000000u, 0}, {.eax = 0x80000004u}},
    {{0x80000002u, 0}, {.eax = 0x202d4120, .ebx = 0x00000042}},
};

TEST_CASE("a CPU with AVX-512 and AMX is decoded") {
  const CpuTarget t = target::decode_cpuid(recorded(wide), 0x600e7);
  CHECK(t.vendor == "GenuineIntel");
  CHECK(t.brand == "A- B");
  CHECK(t.level == CpuLevel::V4);
  CHECK(t.vector_registers == 32);
  CHECK(t.simd_bytes == 64);
  CHECK(feature_names(t.features).size() == cpu_feature_rows().size());
}

TEST_CASE("features whose registers the system does not save are absent") {
  const CpuTarget no_amx = target::decode_cpuid(recorded(wide), 0xe7);
  CHECK(no_amx.features.avx512_bf16);
  CHECK_FALSE(no_amx.features.amx_tile);
  const CpuTarget no_wide = target::decode_cpuid(recorded(wide), 0x7);
  CHECK(no_wide.level == CpuLevel::V3);
  CHECK(no_wide.simd_bytes == 32);
  CHECK_FALSE(no_wide.features.avx512_bf16);
  CHECK(target::decode_cpuid(recorded(wide), 0).level == CpuLevel::V2);
}

TEST_CASE("a part of a level gives the level below, without the part") {
  Leaves partial = wide;
  partial[{7, 0}].ebx = bit(5) | bit(16);  // AVX-512F alone
  const CpuTarget t = target::decode_cpuid(recorded(partial), 0x600e7);
  CHECK(t.level == CpuLevel::V3);
  CHECK_FALSE(t.features.avx512f);
  CHECK(t.vector_registers == 16);
  partial[{1, 0}].ecx = bit(20) | bit(27) | bit(28);  // AVX without FMA
  CHECK(target::decode_cpuid(recorded(partial), 0x7).simd_bytes == 16);
}

TEST_CASE("a machine can be held to a lower level, and a plain higher one imagined") {
  const CpuTarget v4 = target::decode_cpuid(recorded(wide), 0x600e7);
  const CpuTarget v3 = v4.at_level(CpuLevel::V3);
  CHECK(name(Target(v3)) == "x86-64-v3");
  CHECK(v3.simd_bytes == 32);
  CHECK(v3.vector_registers == 16);
  CHECK(v3.features.fma);
  CHECK_FALSE(v3.features.amx_bf16);
  CHECK(v3.brand == v4.brand);
  const CpuTarget again = v3.at_level(CpuLevel::V4);
  CHECK(again.simd_bytes == 64);
  CHECK(again.features.avx512vl);
  CHECK_FALSE(again.features.avx512_bf16);
  CHECK(v4.at_level(CpuLevel::V4) == v4);
}

TEST_CASE("what a host lacks is named") {
  const CpuTarget v4 = target::decode_cpuid(recorded(wide), 0xe7);
  const CpuTarget v3 = v4.at_level(CpuLevel::V3);
  CHECK(check_runs_on(v3, v4).has_value());
  const auto refused = check_runs_on(v4.at_level(CpuLevel::V4), v3);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error()[0].code == 8402);
  CHECK(refused.error()[0].message ==
        "this CPU lacks avx512f, avx512bw, avx512vl, avx512dq, avx512cd, avx512_bf16, "
        "avx512_vnni, avx512_fp16 of x86-64-v4");
  CHECK(refused.error()[0].help == "use --target cpu, which is x86-64-v3 here");
}

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  REQUIRE(write_file(path, text).has_value());
}

TEST_CASE("caches and cores are read from sysfs") {
  const TemporaryDirectory folder;
  const fs::path root = folder.path();
  const auto cpu = [&](int i) { return root / ("cpu" + std::to_string(i)); };
  for (int i = 0; i < 4; ++i) {
    put(cpu(i) / "topology/physical_package_id", "0\n");
    put(cpu(i) / "topology/core_id", std::to_string(i / 2) + "\n");
  }
  const auto cache = [&](int i, std::string_view level, std::string_view type,
                         std::string_view size) {
    const fs::path at = cpu(0) / "cache" / ("index" + std::to_string(i));
    put(at / "level", level);
    put(at / "type", type);
    put(at / "size", size);
  };
  cache(0, "1\n", "Data\n", "48K\n");
  cache(1, "1\n", "Instruction\n", "32K\n");
  cache(2, "2\n", "Unified\n", "2048K\n");
  cache(3, "3\n", "Unified\n", "260M\n");
  const target::Topology t = target::read_topology(root, {0, 1, 2, 3});
  CHECK(t.logical_cpus == 4);
  CHECK(t.physical_cores == 2);
  CHECK(t.l1d_bytes == 48 << 10);
  CHECK(t.l2_bytes == 2 << 20);
  CHECK(t.l3_bytes == 260 << 20);
  CHECK(target::read_topology(root, {2}).physical_cores == 1);
  CHECK(target::read_topology(root / "absent", {0}).l3_bytes == 0);
}

TEST_CASE("the host has plausible facts") {
  const CpuTarget host = host_cpu();
  CHECK(host.physical_cores >= 1);
  CHECK(host.logical_cpus >= host.physical_cores);
  CHECK(host.l1d_bytes >= 8 << 10);
  CHECK(host.simd_bytes >= 16);
  CHECK(check_runs_on(host, host).has_value());
}

}  // namespace
}  // namespace parhelion
