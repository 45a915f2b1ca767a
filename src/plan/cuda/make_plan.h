// SPDX-License-Identifier: Apache-2.0
// Tile IR + what a configuration says -> Plan, or the row of the constraint table that refuses it.
#pragma once

#include "ir/tile/function.h"
#include "ir/tile/specialization.h"
#include "plan/cuda/plan.h"

#include <expected>

namespace parhelion::plan::cuda {

/// `choices.blocks` holds every block. The Plan of a function with several roots has one entry
/// each.
[[nodiscard]] std::expected<Plan, Refusal> make_plan(const ir::Function& function,
                                                     const Choices& choices,
                                                     const ir::Specialization& specialization,
                                                     const Machine& machine);

/// What the configuration says; blocks that it leaves out get a default.
[[nodiscard]] Choices read_choices(const ir::Function& function, const config::Config& config);

/// The Plan of a configuration: its text is read, blocks that it leaves out get their default.
[[nodiscard]] std::expected<Plan, Refusal> make_plan(const ir::Function& function,
                                                     const config::Config& config,
                                                     const ir::Specialization& specialization,
                                                     const Machine& machine);

}  // namespace parhelion::plan::cuda
