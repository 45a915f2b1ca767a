// SPDX-License-Identifier: Apache-2.0
// cp_async: copies of a thread, in commit groups. Group g is written by the entity of the thread's
// copies at epoch g; waiting puts that epoch into what the thread knows.
#include "emulation/execution.h"

#include <fmt/format.h>

#include <cstring>

namespace parhelion::emulation {

namespace {
constexpr int unwritten = 0xff;  // what a target holds until its copy lands
}

void Execution::copy(u32 shared, const void* global, u32 bytes, u32 source_bytes, Place place) {
  maybe_yield();
  Thread& me = *current_;
  me.issued_load = true;
  if (source_bytes > bytes) {
    fatal(Kind::Bounds, place,
          fmt::format("{} source bytes for a copy of {}", source_bytes, bytes));
  }
  check_shared_range(me, shared, bytes, bytes, place);
  const unsigned char* from = check_global_source(global, source_bytes, bytes, place);
  accesses_ += 2;
  const u32 entity = static_cast<u32>(launch_.threads) + me.index();
  const u32 group = me.groups_committed + 1;
  shadow_.copy(me.accessor, Shadow::Copy::Thread, entity, group, shared, bytes, place);
  Thread::Copy made{shared, from, bytes, source_bytes, group, false, place};
  const bool at_once =
      landing() == Landing::Early || (landing() == Landing::Random && rng_.below(3) == 0);
  if (at_once) {
    land(made);
  } else {
    std::memset(shared_bytes(shared), unwritten, bytes);
  }
  me.copies.push_back(made);
}

void Execution::land(Thread::Copy& copy) {
  if (copy.landed) return;
  copy.landed = true;
  std::memcpy(shared_bytes(copy.to), copy.from, copy.source_bytes);
  std::memset(shared_bytes(copy.to + copy.source_bytes), 0, copy.bytes - copy.source_bytes);
}

void Execution::copy_commit() { ++current_->groups_committed; }

void Execution::copy_wait(u32 pending) {
  Thread& me = *current_;
  if (me.groups_committed <= pending) return;
  const u32 done = me.groups_committed - pending;
  if (done <= me.groups_waited) return;
  me.groups_waited = done;
  // Newest first: nothing may depend on the order inside what is waited for.
  for (std::size_t i = me.copies.size(); i-- > 0;) {
    if (me.copies[i].group <= done) land(me.copies[i]);
  }
  std::erase_if(me.copies, [&](const Thread::Copy& copy) { return copy.group <= done; });
  me.accessor.knowledge.happened.set(static_cast<u32>(launch_.threads) + me.index(), done);
}

}  // namespace parhelion::emulation
