// Attention by its parts: every form that stands between heads, projections and softmax has the Jacobian of its paper. Catches an
// operand that goes to another factor, and parts that are lost between attend, rotary and what is around them.
#include "../numeric/heads_blocks.hpp"

namespace {
using namespace residua::dsl;
using namespace heads_blocks;

static_assert(is<"I + J_o_proj J_Ns (Q_A R_Rq J_q_proj + K_A R_Rk J_k_proj + P_A J_v_proj) J_N">(jacobian(sub_norm)));
static_assert(identity_route(sub_norm) == route::direct);
static_assert(jacobian(sub_norm, "q_proj.weight") == "J_o_proj J_Ns Q_A R_Rq D_q_proj.weight");
static_assert(is<"I + J_o_proj (diag(sigmoid(gate(N(x)))) (Q_A J_q_proj + K_A J_k_proj + P_A J_v_proj) + "
                 "diag(attend(q_proj(u1), k_proj(u1), v_proj(u1))) diag(sigmoid') J_gate) J_N">(jacobian(gated)));
static_assert(is<"I + J_o_proj (Q_A R_Rq J_q_proj + (K_A R_Rk + P_A) J_k_proj) J_N">(jacobian(keys_are_values)));
static_assert(
    is<"I + J_o_proj (Q_A diag(q_norm.weight) J_q_norm J_q_proj + K_A R_Rk J_k_norm J_k_proj + P_A J_v_norm J_v_proj) J_N">(
        jacobian(value_norm)));
static_assert(jacobian(value_norm, "k_norm.weight") == "J_o_proj K_A R_Rk D_k_norm.weight");
static_assert(is<"I + (Q_A J_q_proj + K_A J_k_proj + P_A) J_N">(jacobian(simplified)));
static_assert(is<"Q_A + K_A + P_A">(jacobian(bare)));
static_assert(identity_route(bare) == route::absent);
static_assert(is<"I + J_o_proj (Q_A1 J_q1 + K_A1 J_k1 + P_A1 J_v_proj - lambda (Q_A2 J_q2 + K_A2 J_k2 + P_A2 J_v_proj)) J_N">(
    jacobian(differential)));
static_assert(jacobian(differential, "v_proj.weight") == "J_o_proj (P_A1 - lambda P_A2) D_v_proj.weight");
static_assert(is<"(J_h.0.o_proj P_h.0.A + J_h.1.o_proj ((Q_h.1.A R_h.1.Rq J_h.1.q_proj + K_h.1.A R_h.1.Rk J_h.1.k_proj) J_h.1.N "
                 "J_h.0.o_proj P_h.0.A + P_h.1.A (h.1.own J_h.1.v_proj J_h.1.N J_h.0.o_proj P_h.0.A + h.1.first I))) "
                 "D_h.0.v_proj.weight">(jacobian(value_residual, by_parameter<"h.0.v_proj.weight">)));
static_assert(identity_route(value_residual) == route::direct);
static_assert(is<"I + J_o_proj (Q_A diag(s) R_R J_q_proj + K_A diag(s) R_R J_k_proj + P_A J_v_proj)">(jacobian(gain_after)));
static_assert(is<"(I + J_o2 (Q_A J_q_proj + K_A J_k_proj + P_A J_v_proj)) J_o_proj (K_X J_mk + P_X J_mv) J_Nm">(
    jacobian(across, by_memory)));

// Features apart and together.
static_assert(
    is<"I + J_down (diag(h[7](gate_up(N(x)))) diag(silu') S_h[0] + diag(silu(h[0](gate_up(N(x))))) S_h[7]) J_gate_up J_N">(
        jacobian(packed_gate)));
static_assert(
    is<"I + J_o (Q_A (S_nope^T J_q_nope + S_rot^T R_R J_q_rot) + (K_A + P_A) (S_nope^T J_k_nope + S_rot^T R_R J_k_rot)) "
       "J_N">(jacobian(beside)));
static_assert(is<"S_u[0]^T (S_u[0] + J_F diag(tanh') S_u[6]) + S_u[6]^T (S_u[6] + J_G diag(tanh') (S_u[0] + J_F diag(tanh') "
                 "S_u[6]))">(jacobian(reversible)));
static_assert(is<"S_d + J_W (S_s^T (S_h[0]^T (diag(h[5](x)) S_h[0] + diag(h[0](x)) S_h[5]) + S_nope[7]^T diag(silu') S_nope[2] + "
                 "S_h[12]^T S_h[0]) + S_nope[19]^T S_nope[2])">(jacobian(overlapping)));
static_assert(is<"J_o_proj (K_X S_kv + P_X S_v)">(jacobian(packed_memory, by_memory)));
}  // namespace

int main() {}
