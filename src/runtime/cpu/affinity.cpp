// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/affinity.h"

#include "base/files.h"
#include "base/text.h"

#include <fmt/format.h>

#include <pthread.h>
#include <sched.h>

#include <set>
#include <string>

namespace parhelion::runtime::cpu {

std::vector<int> usable_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {0};
  std::vector<int> first, siblings;
  std::set<std::string> cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &allowed)) continue;
    const auto core =
        read_file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", i));
    const bool fresh = !core || cores.insert(*core).second;
    (fresh ? first : siblings).push_back(i);
  }
  first.insert(first.end(), siblings.begin(), siblings.end());
  return first;
}

bool pin_this_thread(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

}  // namespace parhelion::runtime::cpu
