// SPDX-License-Identifier: Apache-2.0
#include "emulation/shadow.h"

#include <fmt/format.h>

#include <bit>

namespace parhelion::emulation {

void Shadow::reset(u32 bytes, int block) {
  block_ = block;
  cells_.assign((bytes + 3) / 4, Cell{});
  parts_.assign(1, {});  // index 0 means none
  more_.assign(1, {});
}

Shadow::Cell& Shadow::part(Cell& cell, u32 byte) {
  if (cell.parts == 0) {
    std::array<Cell, 4> four;
    four.fill(cell);
    for (std::size_t i = 1; i < 4 && cell.more != 0; ++i) {
      four[i].more = static_cast<u32>(more_.size());
      more_.push_back(std::vector<Reader>(more_[cell.more]));
    }
    cell.parts = static_cast<u32>(parts_.size());
    parts_.push_back(four);
  }
  return parts_[cell.parts][byte];
}

void Shadow::report(Kind kind, const Accessor& who, u32 byte, const char* verb, Place place,
                    std::string_view what, u32 other, Place other_place) {
  if (!findings_.wanted(kind, place, other_place)) return;
  std::vector<int> threads = {static_cast<int>(who.thread)};
  std::string by;
  if (other != nobody) {
    const bool thread = other < 2 * threads_;
    by = thread ? fmt::format(" {} thread {}", other < threads_ ? "by" : "by a copy of",
                              other % threads_)
                : std::string(" by a bulk copy");
    if (thread) threads.push_back(static_cast<int>(other % threads_));
  }
  findings_.add(kind, place, other_place, block_, std::move(threads),
                fmt::format("{} of {} by thread {}: {}{}", verb,
                            findings_.image().shared_name(byte), who.thread, what, by));
}

void Shadow::check_writer(const Cell& cell, const Accessor& who, u32 byte, const char* verb,
                          Place place) {
  if (who.knowledge.happened.of(cell.writer) >= cell.epoch) return;
  const bool copied = cell.written == Written::ThreadCopy || cell.written == Written::BulkCopy;
  report(copied ? Kind::NotWaited : Kind::Race, who, byte, verb, place,
         copied ? "not waited for, copied" : "not ordered after the write", cell.writer,
         cell.place);
}

void Shadow::add_reader(Cell& cell, const Accessor& who, Place place) {
  const Reader mine{who.thread / 32, who.knowledge.happened.of(who.thread), 1u << (who.thread % 32),
                    place};
  const auto joins = [&](Reader& reader) {
    if (reader.warp != mine.warp || reader.epoch != mine.epoch) return false;
    reader.lanes |= mine.lanes;
    return true;
  };
  if (cell.reader.lanes == 0) {
    cell.reader = mine;
    return;
  }
  if (joins(cell.reader)) return;
  if (cell.more == 0) {
    cell.more = static_cast<u32>(more_.size());
    more_.emplace_back();
  }
  for (Reader& reader : more_[cell.more]) {
    if (joins(reader)) return;
  }
  more_[cell.more].push_back(mine);
}

template <class Check>
void Shadow::each_reader(const Cell& cell, Check check) const {
  if (cell.reader.lanes == 0) return;
  const auto one = [&](const Reader& reader) {
    for (u32 lanes = reader.lanes; lanes != 0; lanes &= lanes - 1) {
      check(reader.warp * 32 + static_cast<u32>(std::countr_zero(lanes)), reader.epoch,
            reader.place);
    }
  };
  one(cell.reader);
  if (cell.more == 0) return;
  for (const Reader& reader : more_[cell.more]) one(reader);
}

void Shadow::clear_readers(Cell& cell) {
  cell.reader.lanes = 0;
  if (cell.more != 0) more_[cell.more].clear();
}

void Shadow::read_cell(Cell& cell, const Accessor& who, u32 byte, Place place) {
  if (cell.written == Written::Never) {
    report(Kind::Uninitialised, who, byte, "read", place, "never written", nobody, 0);
    add_reader(cell, who, place);
    return;
  }
  if (cell.written == Written::Barrier) {
    report(Kind::MbarrierAccess, who, byte, "read", place, "an mbarrier", nobody, 0);
    return;
  }
  check_writer(cell, who, byte, "read", place);
  add_reader(cell, who, place);
}

void Shadow::write_cell(Cell& cell, const Accessor& who, u32 byte, Place place) {
  if (cell.written == Written::Barrier) {
    report(Kind::MbarrierAccess, who, byte, "write", place, "an mbarrier", nobody, 0);
    return;
  }
  if (cell.written != Written::Never) check_writer(cell, who, byte, "write", place);
  each_reader(cell, [&](u32 thread, u32 epoch, Place read_at) {
    if (who.knowledge.happened.of(thread) >= epoch) return;
    report(Kind::Race, who, byte, "write", place, "not ordered after the read", thread, read_at);
  });
  clear_readers(cell);
  cell.writer = who.thread;
  cell.epoch = who.knowledge.happened.of(who.thread);
  cell.place = place;
  cell.written = Written::Generic;
}

void Shadow::copy_cell(Cell& cell, const Accessor& who, Copy kind, u32 byte, Place place) {
  if (cell.written == Written::Barrier) {
    report(Kind::MbarrierAccess, who, byte, "copy", place, "an mbarrier", nobody, 0);
    return;
  }
  // Ordinary accesses must have happened before, and for the copy engine passed a fence as well.
  const auto ordinary = [&](u32 thread, u32 epoch, const char* what, Place at) {
    if (who.knowledge.happened.of(thread) < epoch) {
      report(Kind::Race, who, byte, "copy", place, what, thread, at);
    } else if (kind == Copy::Bulk && who.knowledge.fenced.of(thread) < epoch) {
      report(Kind::Proxy, who, byte, "copy", place, "no fence_async_shared after the access",
             thread, at);
    }
  };
  if (cell.written == Written::Generic) {
    ordinary(cell.writer, cell.epoch, "not ordered after the write", cell.place);
  } else if (cell.written != Written::Never) {
    check_writer(cell, who, byte, "copy", place);
  }
  each_reader(cell, [&](u32 thread, u32 epoch, Place at) {
    ordinary(thread, epoch, "not ordered after the read", at);
  });
  clear_readers(cell);
  cell.place = place;
  cell.written = kind == Copy::Bulk ? Written::BulkCopy : Written::ThreadCopy;
}

void Shadow::make_barrier(const Accessor& who, u32 at, Place place) {
  write(who, at, 8, place);
  each(at, 8, [](Cell& cell, u32) { cell.written = Written::Barrier; });
}

}  // namespace parhelion::emulation
