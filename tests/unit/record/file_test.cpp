// SPDX-License-Identifier: Apache-2.0
#include "support.h"
#include "support/skip.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace parhelion::record {
namespace {

bool is_there(const fs::path& path) { return fs::exists(path); }

std::string message(const auto& result) { return result.error()[0].message; }

TEST_CASE("one file is left when a record is closed") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  {
    Record record = open_new(path);
    REQUIRE(record.add(sample_trial("run-1", 0)).has_value());
    CHECK(is_there(path.string() + "-wal"));
    CHECK(is_there(path.string() + "-writer"));
  }
  CHECK(is_there(path));
  CHECK_FALSE(is_there(path.string() + "-wal"));
  CHECK_FALSE(is_there(path.string() + "-shm"));
  CHECK_FALSE(is_there(path.string() + "-writer"));
  CHECK(Record::open(path, Record::Mode::Read).value().verify().has_value());
}

TEST_CASE("one process writes, others read meanwhile") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  Record writer = open_new(path);
  REQUIRE(writer.add(sample_trial("run-1", 0)).has_value());
  const Record reader = Record::open(path, Record::Mode::Read).value();
  CHECK(reader.trials("run-1").value().size() == 1);
  REQUIRE(writer.add(sample_trial("run-1", 1)).has_value());
  CHECK(reader.trials("run-1").value().size() == 2);
  const auto second = Record::open(path, Record::Mode::Write);
  CHECK(code_of(second) == 9006);
  CHECK(message(second) ==
        "process " + std::to_string(getpid()) + " writes record " + path.string());
  REQUIRE(writer.close().has_value());
  CHECK(Record::open(path, Record::Mode::Write).has_value());
}

TEST_CASE("a reader cannot write") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  open_new(path);
  Record reader = Record::open(path, Record::Mode::Read).value();
  CHECK(code_of(reader.add(sample_trial("run-1", 0))) == 9007);
}

TEST_CASE("killing the writer loses at most the trial on its way") {
  for (const int after_ms : {5, 20, 45}) {
    const TemporaryDirectory folder;
    const fs::path path = folder.path() / "records.db";
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      Record record = open_new(path);
      for (char i = 0;; i = static_cast<char>((i + 1) % 100)) {
        static std::int64_t proposal = 0;
        if (!record.add(sample_trial("run-1", proposal++))) _exit(1);
        if (write(pipe_ends[1], &i, 1) != 1) _exit(2);
      }
    }
    close(pipe_ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    std::int64_t reported = 0;
    char byte = 0;
    while (read(pipe_ends[0], &byte, 1) == 1) ++reported;
    close(pipe_ends[0]);
    {
      const auto reader = Record::open(path, Record::Mode::Read);
      if (reported > 0) REQUIRE(reader.has_value());  // else killed before there was a file
      const auto count = reader ? reader->trials("run-1").value().size() : 0;
      CHECK(static_cast<std::int64_t>(count) >= reported);
      CHECK(static_cast<std::int64_t>(count) <= reported + 1);
    }
    // The next writer finds the lock free, the log moved in, and goes on.
    auto opened = Record::open(path, Record::Mode::Write);
    if (!opened) FAIL(message(opened));
    Record next = std::move(*opened);
    CHECK(next.verify().has_value());
    CHECK(next.add(sample_trial("run-1", 100000)).has_value());
  }
}

TEST_CASE("files that are no record are refused and stay as they are") {
  const TemporaryDirectory folder;
  const fs::path text = folder.path() / "notes.txt";
  const std::string content(5000, 'x');
  REQUIRE(write_file(text, content).has_value());
  CHECK(code_of(Record::open(text, Record::Mode::Write)) == 9002);
  CHECK(code_of(Record::open(text, Record::Mode::Read)) == 9002);
  CHECK(read_file(text).value() == content);
  CHECK_FALSE(is_there(text.string() + "-writer"));

  const fs::path other = folder.path() / "other.db";
  {
    Database database = Database::open(other.string(), Database::Mode::Write).value();
    REQUIRE(database.execute("CREATE TABLE songs (name TEXT)").has_value());
  }
  const auto foreign = Record::open(other, Record::Mode::Write);
  CHECK(code_of(foreign) == 9004);
  CHECK(message(foreign) == other.string() + " is an SQLite database, but no record");
  CHECK(code_of(Record::open(folder.path() / "absent.db", Record::Mode::Read)) == 9001);
  REQUIRE(write_file(folder.path() / "empty.db", "").has_value());
  CHECK(code_of(Record::open(folder.path() / "empty.db", Record::Mode::Read)) == 9001);
  CHECK_FALSE(is_there(folder.path() / "absent.db"));
}

TEST_CASE("a newer schema is refused") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  open_new(path);
  {
    Database database = Database::open(path.string(), Database::Mode::Write).value();
    REQUIRE(database.execute("PRAGMA user_version = 2").has_value());
  }
  const auto newer = Record::open(path, Record::Mode::Write);
  CHECK(code_of(newer) == 9003);
  CHECK(message(newer) == "record " + path.string() + " has schema 2, this version knows 1");
  CHECK(code_of(Record::open(path, Record::Mode::Read)) == 9003);
}

TEST_CASE("damage is found") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  {
    Record record = open_new(path);
    for (std::int64_t i = 0; i < 200; ++i) REQUIRE(record.add(sample_trial("r", i)).has_value());
  }
  std::string content = read_file(path).value();
  for (std::size_t i = 3 * 4096; i < 9 * 4096; ++i) content[i] = static_cast<char>(i * 7);
  REQUIRE(write_file(path, content).has_value());
  const auto record = Record::open(path, Record::Mode::Read);
  if (record) {
    CHECK(code_of(record->verify()) == 9002);
    CHECK(code_of(record->trials("r")) == 9002);
  } else {
    CHECK(code_of(record) == 9002);
  }
  CHECK(code_of(Record::open(folder.path() / "cut.db", Record::Mode::Read)) == 9001);
}

TEST_CASE("a word that no version wrote is damage") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  {
    Record record = open_new(path);
    REQUIRE(record.add(sample_trial("r", 0)).has_value());
  }
  {
    Database database = Database::open(path.string(), Database::Mode::Write).value();
    REQUIRE(database.execute("UPDATE trials SET outcome = 'fine'").has_value());
  }
  const auto rows = Record::open(path, Record::Mode::Read).value().trials("r");
  CHECK(code_of(rows) == 9002);
  CHECK(message(rows) ==
        "record " + path.string() + ": a row of trials holds a outcome that cannot be read");
}

/// Runs `action` as a user who may not write root's files; nothing to do for ordinary users.
void unprivileged(auto action) {
  const bool root = geteuid() == 0;
  if (root) REQUIRE(seteuid(65534) == 0);
  action();
  if (root) REQUIRE(seteuid(0) == 0);
}

TEST_CASE("a record in a folder that cannot be written is read, not written") {
  constexpr auto everybody = fs::perms(0755), nobody_writes = fs::perms(0555);
  const TemporaryDirectory folder;
  const fs::path shelf = folder.path() / "shelf";
  fs::create_directory(shelf);
  const fs::path path = shelf / "records.db";
  {
    Record record = open_new(path);
    REQUIRE(record.add(sample_trial("r", 0)).has_value());
  }
  fs::permissions(folder.path(), everybody);
  fs::permissions(shelf, nobody_writes);
  unprivileged([&] {
    const auto reader = Record::open(path, Record::Mode::Read);
    if (!reader) FAIL(message(reader));
    CHECK(reader->trials("r").value().size() == 1);
    CHECK(code_of(Record::open(path, Record::Mode::Write)) == 9007);
  });
  fs::permissions(shelf, everybody);
  REQUIRE(write_file(path.string() + "-wal", "the rest of a search").has_value());
  fs::permissions(shelf, nobody_writes);
  unprivileged([&] { CHECK(code_of(Record::open(path, Record::Mode::Read)) == 9008); });
  fs::permissions(shelf, everybody);
}

TEST_CASE("a full disk is an error with a name, and the record stays whole") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "records.db";
  open_new(path);
  {
    Database database = Database::open(path.string(), Database::Mode::Write).value();
    REQUIRE(database.execute("PRAGMA max_page_count = 20").has_value());
    Result<void> grown;
    for (int i = 0; i < 100 && grown; ++i) {
      grown = database.execute(
          "INSERT INTO runs SELECT hex(randomblob(2000)),'','','','','','',"
          "0,0.0,'running','','',0.0,'','',''");
    }
    REQUIRE_FALSE(grown.has_value());
    CHECK(code_of(grown) == 9007);
    CHECK(grown.error()[0].help == "make room on the disk, then resume");
  }
  CHECK(Record::open(path, Record::Mode::Read).value().verify().has_value());
}

TEST_CASE("network file systems are known by their number") {
  CHECK(network_file_system(0x6969) == "NFS");
  CHECK(network_file_system(static_cast<int>(0xff534d42)) == "CIFS");
  CHECK_FALSE(network_file_system(0xef53).has_value());     // ext4
  CHECK_FALSE(network_file_system(0x1021994).has_value());  // tmpfs
  const auto refused = check_file_system("/home/records.db", 0x6969);
  CHECK(code_of(refused) == 9005);
  CHECK(message(refused) == "record /home/records.db lies on a network file system (NFS)");
  const TemporaryDirectory folder;
  CHECK(check_local(folder.path() / "a" / "b" / "records.db").has_value());
}

}  // namespace
}  // namespace parhelion::record
