// SPDX-License-Identifier: Apache-2.0
#include "target/cpuid.h"

#include <cpuid.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace parhelion {

namespace {

target::Registers query(std::uint32_t leaf, std::uint32_t subleaf) {
  target::Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) return {};
  return r;
}

std::uint64_t read_xcr0() {
  const target::Registers one = query(1, 0);
  if ((one.ecx >> 27 & 1u) == 0) return 0;  // XGETBV would fault
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) cpus.push_back(i);
    }
  }
  if (!cpus.empty()) return cpus;
  const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int i = 0; i < count; ++i) cpus.push_back(i);
  return cpus;
}

void take_known(std::int64_t& fact, std::int64_t first, long second) {
  if (first > 0) {
    fact = first;
  } else if (second > 0) {
    fact = second;
  }
}

}  // namespace

CpuTarget host_cpu() {
  CpuTarget host = target::decode_cpuid(query, read_xcr0());
  const target::Topology t = target::read_topology("/sys/devices/system/cpu", allowed_cpus());
  host.logical_cpus = std::max(1, t.logical_cpus);
  host.physical_cores = t.physical_cores > 0 ? t.physical_cores : host.logical_cpus;
  // Some virtual machines have no cache folders in sysfs: the C library reads CPUID then.
  take_known(host.l1d_bytes, t.l1d_bytes, sysconf(_SC_LEVEL1_DCACHE_SIZE));
  take_known(host.l2_bytes, t.l2_bytes, sysconf(_SC_LEVEL2_CACHE_SIZE));
  take_known(host.l3_bytes, t.l3_bytes, sysconf(_SC_LEVEL3_CACHE_SIZE));
  return host;
}

CpuTarget CpuTarget::at_level(CpuLevel wanted) const {
  CpuTarget t = *this;
  for (const CpuFeatureRow& row : cpu_feature_rows()) {
    if (wanted > level) {
      t.features.*row.member = row.level <= static_cast<int>(wanted);
    } else if (row.level > static_cast<int>(wanted) && wanted != level) {
      t.features.*row.member = false;
    }
  }
  t.level = wanted;
  t.vector_registers = t.features.avx512f ? 32 : 16;
  t.simd_bytes = t.features.avx512f ? 64 : t.features.avx ? 32 : 16;
  return t;
}

}  // namespace parhelion
