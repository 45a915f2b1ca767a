// SPDX-License-Identifier: Apache-2.0
// Operations of a warp: the lanes of the mask meet, the last one to arrive does the work.
#include "emulation/execution.h"

#include "emulation/half.h"

#include <fmt/format.h>

#include <bit>

namespace parhelion::emulation {

namespace {

constexpr u32 all_lanes = 0xffffffffu;

template <class Visit>
void each_lane(u32 mask, Visit visit) {
  for (u32 lanes = mask; lanes != 0; lanes &= lanes - 1) {
    visit(static_cast<u32>(std::countr_zero(lanes)));
  }
}

/// The lane that a shuffle reads, by the rule of the instruction: segments of `width` lanes.
u32 shuffle_source(WarpKind kind, u32 lane, u32 operand, u32 width) {
  const u32 first = lane & ~(width - 1), last = first + width - 1;
  switch (kind) {
    case WarpKind::ShuffleIdx: return first | (operand & (width - 1));
    case WarpKind::ShuffleUp: return lane >= first + operand ? lane - operand : lane;
    case WarpKind::ShuffleDown: return lane + operand <= last ? lane + operand : lane;
    default: return (lane ^ operand) <= last ? lane ^ operand : lane;
  }
}

}  // namespace

void Execution::warp(const WarpCall& call, Place place) {
  Thread& me = *current_;
  const u32 bit = 1u << me.lane;
  if ((call.mask & bit) == 0) {
    fatal(Kind::Divergent, place,
          fmt::format("the mask {:#010x} does not hold lane {}, which executes this", call.mask,
                      me.lane));
  }
  if ((call.mask & exited_lanes_[me.warp]) != 0) {
    fatal(Kind::Divergent, place,
          fmt::format("the mask {:#010x} names lanes {:#010x}, which have ended", call.mask,
                      call.mask & exited_lanes_[me.warp]));
  }
  me.call = &call;
  auto& pending = collectives_[me.warp];
  std::size_t at = 0;
  while (at < pending.size() && (pending[at].mask & call.mask) == 0) ++at;
  if (at == pending.size()) pending.push_back({call.kind, call.mask, call.argument, 0, place});
  Collective& collective = pending[at];
  // __syncwarp may stand in two places; anything else is one instruction for all lanes.
  const bool same = collective.kind == call.kind && collective.mask == call.mask &&
                    collective.argument == call.argument &&
                    (call.kind == WarpKind::Sync || collective.place == place);
  if (!same) {
    findings_.add(Kind::Divergent, place, collective.place, block_, {static_cast<int>(me.index())},
                  fmt::format("lane {} is here while lanes {:#010x} of its warp are at another "
                              "operation",
                              me.lane, collective.arrived));
    stop();
  }
  collective.arrived |= bit;
  if (collective.arrived != collective.mask) {
    block_on(Thread::Wait::Warp, static_cast<u32>(call.kind), 0, place);
    return;
  }
  const Collective done = collective;
  pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(at));
  complete(done);
  each_lane(done.mask & ~bit, [&](u32 l) { make_ready(lane(l).index()); });
}

void Execution::complete(const Collective& collective) {
  switch (collective.kind) {
    case WarpKind::Sync: synchronise(collective); return;
    case WarpKind::ShuffleIdx:
    case WarpKind::ShuffleUp:
    case WarpKind::ShuffleDown:
    case WarpKind::ShuffleXor: shuffle(collective); return;
    case WarpKind::Uniform:
    case WarpKind::Elect:
    case WarpKind::VoteAny:
    case WarpKind::VoteAll:
    case WarpKind::Ballot: vote(collective); return;
    case WarpKind::LoadMatrix: load_matrix(false, collective.place); return;
    case WarpKind::LoadMatrixTrans: load_matrix(true, collective.place); return;
    case WarpKind::StoreMatrix: store_matrix(collective.place); return;
    case WarpKind::MmaF16: multiply(false); return;
    case WarpKind::MmaBf16: multiply(true); return;
  }
}

void Execution::synchronise(const Collective& collective) {
  Knowledge joined;
  each_lane(collective.mask, [&](u32 l) { joined.join(lane(l).accessor.knowledge); });
  each_lane(collective.mask, [&](u32 l) {
    Accessor& who = lane(l).accessor;
    who.knowledge.join(joined);
    who.knowledge.happened.tick(who.thread);
  });
}

// value[0] is the lane's operand, the rest its data.
void Execution::shuffle(const Collective& collective) {
  const u32 width = collective.argument & 0xff;
  const u32 count = current_->call->words;
  u32 before[32][warp_words];
  each_lane(collective.mask, [&](u32 l) { std::copy_n(words(l), count, before[l]); });
  each_lane(collective.mask, [&](u32 l) {
    const u32 source = shuffle_source(collective.kind, l, before[l][0], width);
    if ((collective.mask >> source & 1) == 0) {
      report(Kind::Divergent, collective.place,
             fmt::format("lane {} reads lane {}, which the mask {:#010x} does not hold", l, source,
                         collective.mask));
      return;
    }
    std::copy_n(before[source] + 1, count - 1, words(l) + 1);
  });
}

void Execution::vote(const Collective& collective) {
  if (collective.kind == WarpKind::Elect) {
    const u32 chosen = static_cast<u32>(rng_.below(32));
    each_lane(all_lanes, [&](u32 l) { words(l)[0] = l == chosen ? 1 : 0; });
    return;
  }
  u32 set = 0, differing = 0;
  each_lane(collective.mask, [&](u32 l) {
    if (words(l)[0] != 0) set |= 1u << l;
    if (words(l)[0] != words(0)[0] && collective.kind == WarpKind::Uniform) differing |= 1u << l;
  });
  if (differing != 0) {
    report(Kind::Divergent, collective.place,
           fmt::format("lanes {:#010x} disagree with lane 0 on a uniform value", differing));
  }
  u32 result = set;
  if (collective.kind == WarpKind::Uniform) result = words(0)[0];
  if (collective.kind == WarpKind::VoteAny) result = set != 0;
  if (collective.kind == WarpKind::VoteAll) result = set == collective.mask;
  each_lane(collective.mask, [&](u32 l) { words(l)[0] = result; });
}

// Lane 8j + r gives the address of row r of matrix j; register j of a lane holds two elements.
void Execution::load_matrix(bool transposed, Place place) {
  std::uint16_t matrices[4][8][8];
  for (u32 l = 0; l < 32; ++l) {
    const u32 at = words(l)[0];
    check_shared_range(lane(l), at, 16, 16, place);
    shadow_.read(lane(l).accessor, at, 16, place);
    std::copy_n(shared_bytes(at), 16, reinterpret_cast<unsigned char*>(matrices[l / 8][l % 8]));
  }
  for (u32 l = 0; l < 32; ++l) {
    const u32 outer = l / 4, inner = l % 4 * 2;
    for (u32 j = 0; j < 4; ++j) {
      const auto& m = matrices[j];
      const u32 low = transposed ? m[inner][outer] : m[outer][inner];
      const u32 high = transposed ? m[inner + 1][outer] : m[outer][inner + 1];
      words(l)[j] = low | high << 16;
    }
  }
}

void Execution::store_matrix(Place place) {
  for (u32 l = 0; l < 32; ++l) {
    const u32 at = words(l)[0];
    check_shared_range(lane(l), at, 16, 16, place);
    shadow_.write(lane(l).accessor, at, 16, place);
    for (u32 pair = 0; pair < 4; ++pair) {
      const u32 word = words(l % 8 * 4 + pair)[1 + l / 8];
      std::copy_n(reinterpret_cast<const unsigned char*>(&word), 4, shared_bytes(at + 4 * pair));
    }
  }
}

// d (16 x 8) += a (16 x 16) * b (16 x 8): exact products, added in f32 with k ascending. The device
// adds groups with aligned exponents and truncates: bits differ, not the error's order.
void Execution::multiply(bool bf16) {
  float a[16][16], b[16][8];
  const auto value = [bf16](u32 half) { return bf16 ? float_of_bf16(half) : float_of_f16(half); };
  for (u32 l = 0; l < 32; ++l) {
    const u32* w = words(l);
    const u32 outer = l / 4, inner = l % 4 * 2;
    for (u32 half = 0; half < 2; ++half) {
      for (u32 i = 0; i < 4; ++i) {
        a[outer + 8 * (i % 2)][inner + 8 * (i / 2) + half] = value(w[i] >> 16 * half & 0xffff);
      }
      for (u32 i = 0; i < 2; ++i) {
        b[inner + 8 * i + half][outer] = value(w[4 + i] >> 16 * half & 0xffff);
      }
    }
  }
  for (u32 l = 0; l < 32; ++l) {
    u32* w = words(l);
    for (u32 i = 0; i < 4; ++i) {
      const u32 row = l / 4 + 8 * (i / 2), column = l % 4 * 2 + i % 2;
      float sum = std::bit_cast<float>(w[6 + i]);
      for (u32 k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      w[i] = std::bit_cast<u32>(sum);
    }
  }
}

}  // namespace parhelion::emulation
