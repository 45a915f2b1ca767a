// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/engine.h"

namespace parhelion::runtime::cuda {

/// GPU `index`. PH8601 without a driver, PH8603 without such a GPU.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_cuda_engine(int index);

}  // namespace parhelion::runtime::cuda
