// SPDX-License-Identifier: Apache-2.0
// Names that every other part of the prelude uses. No headers anywhere in the prelude: only what
// NVRTC and nvcc have built in. Each wrapper stands for one instruction, begins with PH_DEVICE in
// the first column (after its `template <...>`), and ends in a line that begins or ends with `}`:
// the standalone printer cuts the texts by this rule.
#pragma once

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

#define PH_DEVICE __device__ __forceinline__
