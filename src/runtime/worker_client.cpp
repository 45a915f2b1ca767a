// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_client.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace parhelion::runtime {

namespace {

constexpr std::string_view program_name = "parhelion-worker";

/// Nearest first: the folder itself (a program carried with its worker), then those above, since
/// the library lies in lib/, programs in bin/ and tests deeper.
std::optional<fs::path> search_above(fs::path folder) {
  for (int level = 0; level < 6 && !folder.empty(); ++level) {
    for (const std::string_view inside : {"libexec", "."}) {
      std::error_code error;
      const fs::path candidate = folder / inside / program_name;
      if (fs::is_regular_file(candidate, error)) return fs::canonical(candidate, error);
    }
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

WorkerFailure not_started(Diagnostics diagnostics) {
  return {WorkerFailure::Kind::NotStarted, 0, std::move(diagnostics), {}};
}

}  // namespace

Result<fs::path> find_worker() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&find_worker), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code error;
    const fs::path library = fs::canonical(info.dli_fname, error);
    if (auto found = search_above(library.parent_path())) return *found;
  }
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (auto found = search_above(self.parent_path())) return *found;
  return fail(8701, fmt::format("{} is not beside the library or the program", program_name), {},
              "install Parhelion, or name the worker in the session's options");
}

std::string_view name(WorkerFailure::Kind kind) {
  switch (kind) {
    case WorkerFailure::Kind::Refused: return "refused";
    case WorkerFailure::Kind::Crashed: return "crashed";
    case WorkerFailure::Kind::Exited: return "exited";
    case WorkerFailure::Kind::TimedOut: return "timed out";
    case WorkerFailure::Kind::ProtocolError: return "protocol error";
    case WorkerFailure::Kind::NotStarted: return "not started";
  }
  return "";
}

std::string WorkerFailure::text() const {
  std::string text(name(kind));
  if (signal != 0) text += fmt::format(" by signal {} ({})", signal, strsignal(signal));
  if (!diagnostics.empty()) text += ": " + diagnostics[0].message;
  return text;
}

WorkerOutcome<WorkerClient> WorkerClient::start(WorkerOptions options) {
  if (options.program.empty()) {
    auto program = find_worker();
    if (!program) return std::unexpected(not_started(program.error()));
    options.program = *program;
  }
  WorkerClient client(std::move(options));
  auto shared = SharedMemory::create(1 << 16);
  if (!shared) return std::unexpected(not_started(shared.error()));
  client.shared_ = std::move(*shared);
  if (auto spawned = client.spawn(); !spawned) return std::unexpected(spawned.error());
  return client;
}

WorkerOutcome<void> WorkerClient::spawn() {
  Command command;
  command.arguments = {
      options_.program.string(), "--shared",  fmt::format("{}", shared_.descriptor()), "--device",
      name(options_.device),     "--threads", fmt::format("{}", options_.threads)};
  if (options_.pin) command.arguments.emplace_back("--pin");
  if (options_.memory_limit_bytes > 0) {
    command.arguments.emplace_back("--memory-limit");
    command.arguments.push_back(fmt::format("{}", options_.memory_limit_bytes));
  }
  auto process = LineProcess::start(command, {shared_.descriptor()});
  if (!process) return std::unexpected(not_started(process.error()));
  process_ = std::move(*process);
  auto hello = ask_for<HelloAnswer>(HelloRequest{}, options_.start_timeout);
  if (!hello) {
    WorkerFailure failure = std::move(hello.error());
    if (failure.kind == WorkerFailure::Kind::Refused)
      failure.kind = WorkerFailure::Kind::NotStarted;
    process_.reset();
    return std::unexpected(std::move(failure));
  }
  hello_ = std::move(*hello);
  return {};
}

WorkerOutcome<void> WorkerClient::restart() {
  process_.reset();
  if (auto spawned = spawn(); !spawned) return spawned;
  for (const auto& [set, made] : sets_) {
    auto answer = ask_for<DoneAnswer>(made.first, made.second);
    if (!answer) return std::unexpected(answer.error());
  }
  return {};
}

WorkerFailure WorkerClient::ended(WorkerFailure::Kind kind, Diagnostics diagnostics) {
  process_->kill();
  const Finished finished = process_->finished();
  process_.reset();
  // Our own SIGKILL is no finding about the kernel.
  const bool own = kind == WorkerFailure::Kind::Crashed || kind == WorkerFailure::Kind::Exited;
  if (own) {
    kind = finished.signal != 0 ? WorkerFailure::Kind::Crashed : WorkerFailure::Kind::Exited;
  }
  return {kind, own ? finished.signal : 0, std::move(diagnostics), finished.errors};
}

WorkerOutcome<Answer> WorkerClient::ask(const Request& request, Milliseconds deadline) {
  if (!process_) {
    return std::unexpected(not_started({diag(8701, "the worker has ended: restart it")}));
  }
  std::string line;
  // A worker that has ended may have said why: its answer is read although the request got lost.
  (void)process_->write_line(to_json(request).dump());
  const auto status = process_->read_line(line, deadline);
  if (status == LineProcess::Status::Timeout) {
    return std::unexpected(ended(WorkerFailure::Kind::TimedOut, {}));
  }
  if (status == LineProcess::Status::Exited) {
    return std::unexpected(ended(WorkerFailure::Kind::Exited, {}));
  }
  auto answer = read_answer(line);
  if (!answer) {
    return std::unexpected(ended(WorkerFailure::Kind::ProtocolError, answer.error()));
  }
  if (auto* refused = std::get_if<Diagnostics>(&*answer)) {
    return std::unexpected(WorkerFailure{WorkerFailure::Kind::Refused, 0, std::move(*refused), {}});
  }
  return std::move(*answer);
}

template <class T>
WorkerOutcome<T> WorkerClient::ask_for(const Request& request, Milliseconds deadline) {
  auto answer = ask(request, deadline);
  if (!answer) return std::unexpected(answer.error());
  if (auto* wanted = std::get_if<T>(&*answer)) return std::move(*wanted);
  return std::unexpected(ended(WorkerFailure::Kind::ProtocolError,
                               {diag(8702, "the worker answered another question")}));
}

WorkerOutcome<void> WorkerClient::tensors(const TensorsRequest& request, Milliseconds deadline) {
  auto answer = ask_for<DoneAnswer>(request, deadline);
  if (!answer) return std::unexpected(answer.error());
  sets_.insert_or_assign(request.set, std::pair(request, deadline));
  return {};
}

WorkerOutcome<void> WorkerClient::load(int kernel, const fs::path& artifact,
                                       Milliseconds deadline) {
  auto answer = ask_for<DoneAnswer>(LoadRequest{kernel, artifact.string()}, deadline);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

WorkerOutcome<void> WorkerClient::unload(int kernel, Milliseconds deadline) {
  auto answer = ask_for<DoneAnswer>(UnloadRequest{kernel}, deadline);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

WorkerOutcome<RunAnswer> WorkerClient::run(const RunRequest& request, Milliseconds deadline) {
  return ask_for<RunAnswer>(request, deadline);
}

WorkerOutcome<TimeAnswer> WorkerClient::time(const TimeRequest& request, Milliseconds deadline) {
  return ask_for<TimeAnswer>(request, deadline);
}

WorkerOutcome<ClockAnswer> WorkerClient::clock(Milliseconds deadline) {
  return ask_for<ClockAnswer>(ClockRequest{}, deadline);
}

}  // namespace parhelion::runtime
