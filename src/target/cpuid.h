// SPDX-License-Identifier: Apache-2.0
// CPUID and sysfs decoded into facts. Both come in as values: tests replay recorded machines.
#pragma once

#include <parhelion/target.h>

#include "base/files.h"

#include <cstdint>
#include <functional>

namespace parhelion::target {

struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
/// CPUID of (leaf, subleaf); zeros where the CPU has no such leaf.
using Cpuid = std::function<Registers(std::uint32_t leaf, std::uint32_t subleaf)>;

/// Vendor, brand, features, level, vector facts. `xcr0` is XGETBV(0): what the system saves.
[[nodiscard]] CpuTarget decode_cpuid(const Cpuid& cpuid, std::uint64_t xcr0);
/// The highest level all of whose features are there.
[[nodiscard]] CpuLevel level_of(const CpuFeatures& features);

struct Topology {
  int physical_cores = 0, logical_cpus = 0;                // 0: unknown
  std::int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // 0: unknown
};
/// Reads `root`/cpu*/{cache,topology} for the CPUs of `allowed`; root is
/// /sys/devices/system/cpu on a real machine.
[[nodiscard]] Topology read_topology(const fs::path& root, const std::vector<int>& allowed);

}  // namespace parhelion::target
