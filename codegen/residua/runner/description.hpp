// A plan as the description that the runtime's engine runs: what the C++ target writes as constant tables.
#pragma once

#include <residua/runner/stage.hpp>

#include <deque>
#include <memory>

namespace residua::runner {

/// Owns all that its block_description points to; stays where it is made.
template <class Real>
class description {
 public:
  description(std::shared_ptr<codegen::block_plan const> plan, rt::instruction_set set);
  description(description const&) = delete;
  description& operator=(description const&) = delete;

  codegen::block_plan const& plan() const { return *plan_; }
  rt::block_description<Real> const& block() const { return block_; }

 private:
  /// The tables of one program.
  struct program_tables {
    std::vector<rt::whole_description> whole;
    std::vector<decoded_stage> decoded;
    std::vector<rt::stage_description<Real>> stages;
    std::vector<rt::segment_description> segments;
  };

  std::span<rt::axis_description const> stream_axes(graph::shape_value const& shape, graph::axis_value const& feature);
  void describe_streams();
  void describe_parameters();
  void describe_attentions();
  rt::program_description<Real> describe(codegen::tile_program const& program, program_tables& into) const;

  std::shared_ptr<codegen::block_plan const> plan_;
  std::deque<std::vector<rt::axis_description>> axes_;
  std::deque<std::string> names_;  // of results
  std::vector<rt::stream_description> inputs_, outputs_;
  std::vector<rt::parameter_description> parameters_;
  std::vector<std::string_view> sizes_;
  std::vector<rt::renamed_width> renamed_;
  std::vector<rt::attention_description> attentions_;
  std::vector<rt::cached_description> cached_;
  program_tables forward_, jvp_, vjp_;
  rt::instruction_set set_;
  rt::block_description<Real> block_{};
};

}  // namespace residua::runner
