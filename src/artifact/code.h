// SPDX-License-Identifier: Apache-2.0
// What machine code says about itself: its hash, and the resources it takes.
#pragma once

#include "artifact/artifact.h"

namespace parhelion::artifact {

/// Fills code_hash and those facts of `artifact` that its bytes tell and that are not known yet.
///
/// The hash covers what the processor executes and reads as constants: .text, .rodata and .data of
/// a shared object; .text and .nv.constant sections and the registers and shared memory of each
/// kernel of a cubin; the instructions of a PTX (comments and blank lines left out). Names, debug
/// information, notes and times are not in it, so two builds with one hash run alike.
/// PH8203 when the bytes are not of the artifact's kind.
[[nodiscard]] Result<void> read_code(Artifact& artifact);

}  // namespace parhelion::artifact
