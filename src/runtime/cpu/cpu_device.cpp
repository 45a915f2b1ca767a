// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/cpu_device.h"

namespace parhelion::runtime::cpu {

bool CpuDevice::reserve(std::size_t bytes) {
  const std::scoped_lock lock(launching_);
  if (bytes <= workspace_.bytes()) return true;
  PageRegion larger = PageRegion::make(bytes);
  if (!larger.valid()) return false;
  workspace_ = std::move(larger);
  return true;
}

}  // namespace parhelion::runtime::cpu
