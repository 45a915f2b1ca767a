// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/op.h"

#include <array>

namespace parhelion::ir {

namespace {

constexpr std::array rows = {
#define PH_OP(code, text, group, operands, pure) \
  OpRow{OpCode::code, text, OpGroup::group, operands, pure},
#include "ir/tile/ops.def"
#undef PH_OP
};

}  // namespace

std::span<const OpRow> op_rows() { return rows; }

const OpRow& row(OpCode code) { return rows[static_cast<std::size_t>(code)]; }

}  // namespace parhelion::ir
