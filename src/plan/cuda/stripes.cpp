// SPDX-License-Identifier: Apache-2.0
#include "plan/cuda/stripes.h"

#include <algorithm>
#include <bit>

namespace parhelion::plan::cuda {

using layout::Input;
using layout::Stripe;

namespace {

int log2_floor(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }

int power_above(std::int64_t n) {
  std::int64_t power = 1;
  while (power < n && power < 1 << 30) power *= 2;
  return static_cast<int>(power);
}

// Bits below, then registers until the stripe holds `extent` elements, the odd rest as repeat.
void fill_registers(Stripe& stripe, std::int64_t extent) {
  const std::int64_t atom = stripe.extent();
  auto rest = static_cast<std::uint64_t>(std::max<std::int64_t>((extent + atom - 1) / atom, 1));
  for (; rest % 2 == 0; rest /= 2) stripe.bits.push_back({});
  stripe.repeat = static_cast<int>(rest);
}

void push(Stripe& stripe, Input input, int first, int count) {
  for (int i = 0; i < count; ++i) stripe.bits.push_back({input, first + i});
}

}  // namespace

StripeAssigner::StripeAssigner(const ir::Function& function, const Facts& facts,
                               const Choices& choices, const ClassMap& map, Plan& plan, int warps)
    : f_(function),
      facts_(facts),
      choices_(choices),
      map_(map),
      plan_(plan),
      warps_(warps),
      done_(map.axes.size()) {}

layout::FreeBits StripeAssigner::free_bits(ClassId id) const {
  layout::FreeBits free{31, static_cast<layout::Bits>(warps_ - 1)};
  for (const ClassId other : map_.apart[id.index()]) {
    if (!done_[other.index()]) continue;
    free.lanes &= ~plan_.of(other).stripe.lane_mask();
    free.warps &= ~plan_.of(other).stripe.warp_mask();
  }
  return free;
}

std::int64_t StripeAssigner::most(ClassId id) const {
  const ClassPlan& c = plan_.of(id);
  if (c.chunk > 0) return c.chunk;
  return std::max<std::int64_t>(c.extent.value_or(1), 1);
}

void StripeAssigner::fix_dot(const DotPlan& dot) {
  Stripe m, n;
  const int warp_bits_m = log2_floor(dot.warps_m), warp_bits_n = log2_floor(dot.warps_n);
  if (dot.family == DotFamily::Mma) {
    // D of m16n8: registers n1 m8, lanes n2 n4 m1 m2 m4; warps next, so that tiles interleave.
    push(m, Input::Lane, 2, 3);
    push(m, Input::Register, 0, 1);
    push(m, Input::Warp, warp_bits_n, warp_bits_m);
    push(n, Input::Register, 0, 1);
    push(n, Input::Lane, 0, 2);
    push(n, Input::Register, 0, 1);  // two n8 tiles of one ldmatrix.x4
    push(n, Input::Warp, 0, warp_bits_n);
  } else {
    // Four rows and four columns side by side a thread; lanes 8 along n, 4 along m.
    push(m, Input::Register, 0, 2);
    push(m, Input::Lane, 3, 2);
    push(m, Input::Warp, warp_bits_n, warp_bits_m);
    push(n, Input::Register, 0, 2);
    push(n, Input::Lane, 0, 3);
    push(n, Input::Warp, 0, warp_bits_n);
  }
  fill_registers(m, most(dot.m));
  fill_registers(n, most(dot.n));
  plan_.classes[dot.m.index()].stripe = m;
  plan_.classes[dot.n.index()].stripe = n;
  done_[dot.m.index()] = done_[dot.n.index()] = true;
}

int StripeAssigner::vector_of(ClassId id, const std::vector<Site>& sites) const {
  std::int64_t widest = 1;
  for (const Site& site : sites) {
    const ir::Op& op = f_.op(site.op);
    const auto along = facts_.contiguous(op);
    if (!along || site.classes[*along] != id) continue;
    const auto limit = choices_.vector_bytes.find(access_of(op).site);
    const std::int64_t bytes = limit == choices_.vector_bytes.end() ? 16 : limit->second;
    widest = std::max(widest, facts_.vector(op, bytes));
  }
  return static_cast<int>(widest);
}

void StripeAssigner::assign(ClassId id, int vector, int lanes, int warps) {
  if (done_[id.index()]) return;
  layout::FreeBits free = free_bits(id);
  plan_.classes[id.index()].stripe = layout::blocked_stripe(
      most(id), {.vector = vector, .lanes = std::max(lanes, 1), .warps = std::max(warps, 1)}, free);
  done_[id.index()] = true;
}

// The contiguous dimension gets its vector and lanes for 128 bytes or more a row; outer dimensions
// then take lanes and warps; the contiguous one takes the warps that they leave.
void StripeAssigner::assign_site(const Site& site, const std::vector<Site>& sites) {
  const ir::Op& op = f_.op(site.op);
  const auto along = facts_.contiguous(op);
  const ClassId fast = along ? site.classes[*along] : ClassId{};
  std::int64_t outer = 1;
  for (const ClassId id : site.classes) {
    if (id.valid() && id != fast) outer *= most(id);
  }
  const int outer_power = power_above(outer);
  if (fast.valid()) {
    int vector = vector_of(fast, sites);
    // Idle lanes cost more than narrow accesses.
    while (vector > 1 && most(fast) * outer < std::int64_t{vector} * 32 * warps_) vector /= 2;
    const int lanes = std::min(32, power_above((most(fast) + vector - 1) / vector));
    const int left = std::max(1, warps_ / std::max(1, outer_power * lanes / 32));
    assign(fast, vector, 32, std::max(left, warps_ / outer_power));
  }
  for (std::size_t i = site.classes.size(); i-- > 0;) {
    if (site.classes[i].valid()) assign(site.classes[i], 1, 32, warps_);
  }
}

void StripeAssigner::take_rest(const Classes& classes) {
  for (std::size_t i = classes.size(); i-- > 0;) {
    if (classes[i].valid()) assign(classes[i], 1, 32, warps_);
  }
}

void StripeAssigner::run(const std::vector<ir::OpId>& ops) {
  std::vector<Site> sites;
  for (const ir::OpId id : ops) {
    const ir::Op& op = f_.op(id);
    if (ir::row(op.code).group != ir::OpGroup::Memory) continue;
    const bool store = op.code == ir::OpCode::Store;
    Site site{id, store ? plan_.places.at(id) : plan_.values[op.results[0].index()], 1};
    for (const ClassId c : site.classes) {
      if (c.valid()) site.elements *= static_cast<double>(most(c));
    }
    site.elements *= size_bytes(f_.tensor(access_of(op).tensor).dtype);
    sites.push_back(std::move(site));
  }
  std::ranges::stable_sort(sites, std::greater<>(), &Site::elements);
  for (const Site& site : sites) assign_site(site, sites);
  for (const ir::OpId id : ops) {
    for (const ir::ValueId v : f_.op(id).results) take_rest(plan_.values[v.index()]);
    for (const ir::RegionId region : f_.op(id).regions) {
      for (const ir::ValueId v : f_.region(region).arguments) take_rest(plan_.values[v.index()]);
    }
  }
}

}  // namespace parhelion::plan::cuda
