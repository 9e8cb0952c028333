// Prints the table of docs/placements.md from the blocks: check_table.py compares the two.
#include "placement_blocks.hpp"
#include "table.hpp"

namespace {
using namespace placement_blocks;

void row(std::string_view placement, std::string_view final_norm, std::string_view source, auto block) {
  begin_row(placement, block);
  std::cout << final_norm << " | " << source << " |\n";
}
}  // namespace

int main() {
  std::cout << "| placement | a layer | its Jacobian | identity route | final norm | source |\n|---|---|---|---|---|---|\n";
  row("`post_norm`", "no", "Vaswani et al. 2017, 1706.03762", post_norm);
  row("`pre_norm`", "yes", "Radford et al. 2019; Xiong et al. 2020, 2002.04745", pre_norm);
  row("`peri_norm`", "yes", "Ding et al. 2021, 2105.13290; Kim et al. 2025, 2502.02732", peri_norm);
  row("`res_post_norm`", "yes", "Liu et al. 2021, 2111.09883; OLMo Team 2024, 2501.00656", res_post_norm);
  row("`normed_skip`", "yes", "Zeng et al. 2022, 2210.02414", normed_skip);
  row("`peri_norm`, `norm_former`", "yes", "Shleifer et al. 2021, 2110.09456", norm_former);
  row("`deep_norm`", "no", "Wang et al. 2022, 2203.00555", deep_norm);
  row("`admin`", "no", "Liu et al. 2020, 2004.08249", admin);
  row("`rezero`", "no", "Bachlechner et al. 2020, 2003.04887; De, Smith 2020, 2002.10444", rezero);
  row("`fixup`, one branch", "no", "Zhang et al. 2019, 1901.09321", fixup);
  row("`layer_scale`", "yes", "Touvron et al. 2021, 2103.17239", layer_scale);
  row("`resi_dual`, one branch", "on r", "Xie et al. 2023, 2304.14802", resi_dual);
  row("`b2t`", "no", "Takase et al. 2022, 2206.00330", b2t);
  row("`hybrid_norm`", "yes", "Zhuo et al. 2025, 2503.04598", hybrid_norm);
  row("`layer_norm_scaling`", "yes", "Sun et al. 2025, 2502.05795", layer_norm_scaling);
  row("`parallel`", "yes", "Wang, Komatsuzaki 2021; Chowdhery et al. 2022, 2204.02311", parallel);
  row("`parallel_two_norms`", "yes", "Black et al. 2022, 2204.06745", parallel_two_norms);
  row("`half_step`, `pre_norm`", "in each layer", "Gulati et al. 2020, 2005.08100", conformer);
  row("`highway`, one branch", "no", "Srivastava et al. 2015, 1505.00387", highway);
  row("`drop_path`, one branch", "yes", "Huang et al. 2016, 1603.09382", drop_path);
  row("`siamese_norm`, one branch", "yes", "Li et al. 2026, 2602.08064", siamese_norm);
  row("`gpas` on `pre_norm`, one branch", "yes", "2506.22049", gpas);
  row("`prores`, one branch", "yes", "2603.05369", prores);
  row("`dense_former`, two layers of one branch", "yes", "Pagliardini et al. 2024, 2402.02622", dense_former);
  row("`u_net_skip`, in the middle of two sublayers", "yes", "modded-nanogpt", u_net);
  row("`embedding_again`, in the middle of two sublayers", "yes", "modded-nanogpt", embedding_again);
}
