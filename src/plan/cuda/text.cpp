// SPDX-License-Identifier: Apache-2.0
// The Plan as `explain` and the golden tests show it: one line a fact.
#include "plan/cuda/plan.h"

#include <fmt/format.h>

namespace parhelion::plan::cuda {
namespace {

class Printer {
 public:
  Printer(const Plan& plan, const ir::Function& function) : plan_(plan), f_(function) {}

  std::string run() {
    for (std::size_t i = 0; i < plan_.roots.size(); ++i)
      root(plan_.roots[i], plan_.common.programs[i]);
    classes();
    for (std::size_t s = 0; s < plan_.paths.size(); ++s) site(s);
    for (const Note& note : plan_.common.notes) add("note {}: {}", note.choice, note.reason);
    return std::move(text_);
  }

 private:
  template <class... A>
  void add(fmt::format_string<A...> format, A&&... arguments) {
    text_ += fmt::format(format, std::forward<A>(arguments)...) + "\n";
  }

  void root(const RootPlan& root, const ProgramPlan& program) {
    std::string tile;
    for (std::size_t d = 0; d < program.axes.size(); ++d) {
      tile += fmt::format("{}{}={}", d == 0 ? "" : " ", f_.axis(program.axes[d]).name,
                          program.block[d]);
    }
    add("program {} | group {} | warps {} | registers about {} | shared {} bytes", tile,
        program.group, root.warps, root.registers, root.shared_bytes);
    for (const DotPlan& dot : root.dots) {
      const bool mma = dot.family == DotFamily::Mma;
      add("dot {} | warps {}x{} | k {} | {}", mma ? "mma.m16n8k16" : "fma", dot.warps_m,
          dot.warps_n, dot.k, dot.loop ? fmt::format("ring of {}", dot.stages) : "from registers");
      operand("a", dot.a);
      operand("b", dot.b);
    }
  }

  void operand(const char* label, const OperandPlan& o) {
    add("  {} {}x{} {} {}-major, rows of {} bytes{}", label, o.rows, o.columns, name(o.dtype),
        o.k_major ? "k" : "mn", o.width(),
        o.load ? fmt::format(", cp.async {}", o.copy_bytes) : std::string());
  }

  void classes() {
    for (std::size_t i = 0; i < plan_.classes.size(); ++i) {
      const ClassPlan& c = plan_.classes[i];
      const std::pair<std::string, layout::Stripe> axis[] = {{f_.axis(c.axis).name, c.stripe}};
      add("class {} {}{}{}", i, layout::layout_of(axis).text(), c.chunk > 0 ? " chunked" : "",
          c.masked ? " masked" : "");
    }
  }

  void site(std::size_t s) {
    const SitePath& path = plan_.paths[s];
    add("site s{} | {} elements an access{}", s, path.vector, path.guarded ? ", guarded" : "");
  }

  const Plan& plan_;
  const ir::Function& f_;
  std::string text_;
};

}  // namespace

std::string text(const Plan& plan, const ir::Function& function) {
  return Printer(plan, function).run();
}

}  // namespace parhelion::plan::cuda
