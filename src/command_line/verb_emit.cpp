// SPDX-License-Identifier: Apache-2.0
// emit and explain: what would be compiled, and why.
#include "command_line/candidate.h"
#include "command_line/output.h"
#include "command_line/verbs.h"

#include <fmt/format.h>

namespace parhelion::command_line_detail {

int verb_emit(const Options& o, Kernels kernels) {
  const auto subject = make_subject(o, kernels);
  if (!subject) return report(subject.error(), o.json);
  if (o.stage == "tile") {
    print_out(ir::print(*subject->function));
    return 0;
  }
  const auto emitted = driver::emit(subject->candidate());
  if (!emitted) return report(emitted.error(), o.json);
  const std::string& text = o.stage == "kernel" ? emitted->kernel_ir : emitted->text.text;
  if (!o.json) {
    print_out(text);
    return 0;
  }
  Json out = Json::object();
  out.set("kernel", subject->problem.source.name);
  out.set("target", name(subject->target));
  out.set("config", emitted->config.text());
  out.set("text", text);
  Json lines = Json::array();
  for (const LineTable::Entry& e : emitted->text.lines.entries) {
    Json row = Json::object();
    row.set("line", e.line);
    row.set("file", e.file);
    row.set("user_line", e.user_line);
    lines.push(std::move(row));
  }
  out.set("lines", std::move(lines));
  print_json(out);
  return 0;
}

int verb_explain(const Options& o, Kernels kernels) {
  const auto subject = make_subject(o, kernels);
  if (!subject) return report(subject.error(), o.json);
  const auto emitted = driver::emit(subject->candidate());
  if (!emitted) return report(emitted.error(), o.json);
  const plan::Estimate& e = emitted->estimate;
  if (o.json) {
    Json out = Json::object();
    out.set("kernel", subject->problem.source.name);
    out.set("target", name(subject->target));
    out.set("config", emitted->config.text());
    Json notes = Json::array();
    for (const plan::Note& n : emitted->notes) {
      Json row = Json::object();
      row.set("choice", n.choice);
      row.set("reason", n.reason);
      notes.push(std::move(row));
    }
    out.set("notes", std::move(notes));
    out.set("bytes_read", e.bytes_read);
    out.set("bytes_written", e.bytes_written);
    out.set("flops", e.flops);
    out.set("special_functions", e.special_functions);
    out.set("programs", e.programs);
    print_json(out);
    return 0;
  }
  print_out(fmt::format("{} {} on {}\n", subject->problem.source.name, shape_text(subject->problem),
                        name(subject->target)));
  print_out(fmt::format("configuration: {}\n", emitted->config.text()));
  for (const plan::Note& n : emitted->notes) {
    print_out(fmt::format("  {:<24} {}\n", n.choice, n.reason));
  }
  print_out(
      fmt::format("work: {:.4g} bytes read, {:.4g} written, {:.4g} operations, {:.4g} "
                  "functions, {} programs\n",
                  e.bytes_read, e.bytes_written, e.flops, e.special_functions, e.programs));
  return 0;
}

}  // namespace parhelion::command_line_detail
