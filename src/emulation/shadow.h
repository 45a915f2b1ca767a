// SPDX-License-Identifier: Apache-2.0
// What is known of each word of a block's shared memory: the last write and the reads since, by
// whom and when. A word that is accessed in parts is kept by bytes.
#pragma once

#include "emulation/clock.h"
#include "emulation/findings.h"

#include <array>
#include <vector>

namespace parhelion::emulation {

/// A thread as the shadow sees it. Entities: threads, then their copies, then mbarriers.
struct Accessor {
  u32 thread = 0;
  Knowledge knowledge;
};

class Shadow {
 public:
  Shadow(Findings& findings, u32 threads) : findings_(findings), threads_(threads) {}
  void reset(u32 bytes, int block);

  void read(const Accessor& who, u32 at, u32 bytes, Place place) {
    each(at, bytes, [&](Cell& cell, u32 byte) { read_cell(cell, who, byte, place); });
  }
  void write(const Accessor& who, u32 at, u32 bytes, Place place) {
    each(at, bytes, [&](Cell& cell, u32 byte) { write_cell(cell, who, byte, place); });
  }
  enum class Copy : std::uint8_t { Thread, Bulk };  // cp_async is of the generic proxy, bulk is not
  /// A copy that `who` issues writes as `entity` at `epoch`: known to those that waited for it.
  void copy(const Accessor& who, Copy kind, u32 entity, u32 epoch, u32 at, u32 bytes, Place place) {
    each(at, bytes, [&](Cell& cell, u32 byte) {
      copy_cell(cell, who, kind, byte, place);
      cell.writer = entity;
      cell.epoch = epoch;
    });
  }
  /// The 8 bytes at `at` are an mbarrier from here on.
  void make_barrier(const Accessor& who, u32 at, Place place);

 private:
  static constexpr u32 nobody = 0xffffffffu;
  enum class Written : std::uint8_t { Never, Generic, ThreadCopy, BulkCopy, Barrier };
  struct Reader {  // lanes of one warp that read at the same epoch
    u32 warp, epoch, lanes;
    Place place;
  };
  struct Cell {
    u32 writer = nobody, epoch = 0;
    Place place = 0;
    Written written = Written::Never;
    u32 parts = 0;  // index of its four bytes, when kept apart
    u32 more = 0;   // index of further readers
    Reader reader = {0, 0, 0, 0};
  };

  template <class Visit>
  void each(u32 at, u32 bytes, Visit visit) {
    for (u32 byte = at, end = at + bytes; byte < end;) {
      Cell& cell = cells_[byte / 4];
      const bool whole = byte % 4 == 0 && byte + 4 <= end;
      if (whole && cell.parts == 0) {
        visit(cell, byte);
        byte += 4;
        continue;
      }
      const u32 stop = std::min(end, byte / 4 * 4 + 4);
      for (; byte < stop; ++byte) visit(part(cell, byte % 4), byte);
    }
  }
  Cell& part(Cell& cell, u32 byte);
  void read_cell(Cell& cell, const Accessor& who, u32 byte, Place place);
  void write_cell(Cell& cell, const Accessor& who, u32 byte, Place place);
  void copy_cell(Cell& cell, const Accessor& who, Copy kind, u32 byte, Place place);
  void add_reader(Cell& cell, const Accessor& who, Place place);
  void check_writer(const Cell& cell, const Accessor& who, u32 byte, const char* verb, Place place);
  template <class Check>
  void each_reader(const Cell& cell, Check check) const;
  void clear_readers(Cell& cell);
  void report(Kind kind, const Accessor& who, u32 byte, const char* verb, Place place,
              std::string_view what, u32 other, Place other_place);

  Findings& findings_;
  u32 threads_;
  int block_ = 0;
  std::vector<Cell> cells_;
  std::vector<std::array<Cell, 4>> parts_;
  std::vector<std::vector<Reader>> more_;
};

}  // namespace parhelion::emulation
