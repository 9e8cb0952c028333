// What an attention prints: one factor, or three paths with their closed forms and masks.
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;

constexpr axis<"T"> T;
constexpr axis<"S"> S;
constexpr axis<"d", 8> d;
constexpr axis<"e", 6> e;

constexpr auto plain = block<"plain">(stream(T, d), [](auto x) { return x + attention<"A">(d, heads<2>, causal)(x); });
static_assert(jacobian(plain) == "I + J_A");
static_assert(identity_route(plain) == route::direct);
static_assert(jacobian(plain).expanded() == R"(J = I + J_A
J_A = J_A.o (Q_A J_A.q + K_A J_A.k + P_A J_A.v), at x
J_A.o = A.o.weight^T, at attend(A.q(x), A.k(x), A.v(x))
Q_A = (i, i): c sum_j p_ij (v_j - o_i) k_j^T, p_i = softmax_j(s_ij), s_ij = c q_i . k_j, c = 0.5, zero unless j <= i
J_A.q = A.q.weight^T, at x
K_A = (i, j): c p_ij (v_j - o_i) q_i^T, p_i = softmax_j(s_ij), s_ij = c q_i . k_j, c = 0.5, zero unless j <= i
J_A.k = A.k.weight^T, at x
P_A = (i, j): p_ij I, p_i = softmax_j(s_ij), s_ij = c q_i . k_j, c = 0.5, zero unless j <= i
J_A.v = A.v.weight^T, at x
)");
static_assert(jacobian(plain).expanded_latex().view().find(
                  R"(Q_{A} &= (i, i)\colon\; c \sum_j p_{ij} \left(v_j - o_i\right) k_j^\top,\quad p_i = \operatorname{softmax}_j(s_{ij}),\quad s_{ij} = c q_i \cdot k_j,\quad c = 0.5,\quad \text{zero unless } j \le i \\)") !=
              std::string_view::npos);
static_assert(jacobian(plain, "A.k.weight") == "J_A.o K_A D_A.k.weight");
static_assert(jacobian(plain, "A.o.weight").latex() == R"(D_{\mathrm{A.o.weight}})");

constexpr auto rich = block<"rich">(stream(T, d), [](auto x) {
  return x + attention<"A">(d, heads<2>, kv_heads<1>, sliding_window<4>, softcap<50>, softmax_scale<0.25>, alibi, rope, fused_qkv,
                            qk_norm<norm::layer>(no_affine))(x);
});
static_assert(jacobian(rich).expanded() == R"(J = I + J_A
J_A = J_A.o (Q_A R_A J_A.q_norm S_queries + K_A R_A J_A.k_norm S_keys + P_A S_values) J_A.qkv, at x
J_A.o = A.o.weight^T, at attend(rope(A.q_norm(queries(u1))), rope(A.k_norm(keys(u1))), values(u1))
Q_A = (i, i): c sum_j p_ij f_ij (v_j - o_i) k_j^T, p_i = softmax_j(s_ij), s_ij = 50 tanh(c q_i . k_j / 50) - slope |i - j|, c = 0.25, f_ij = 1 - tanh(c q_i . k_j / 50)^2, zero unless |i - j| <= 2
R_A = R(i)
J_A.q_norm = (I - 1 1^T/d - xh xh^T/d) / s, xh = (x - mean(x)) / s, s = sqrt(var(x) + 1e-5), per head of d = 4, at queries(u1)
K_A = (i, j): c p_ij f_ij (v_j - o_i) q_i^T, p_i = softmax_j(s_ij), s_ij = 50 tanh(c q_i . k_j / 50) - slope |i - j|, c = 0.25, f_ij = 1 - tanh(c q_i . k_j / 50)^2, zero unless |i - j| <= 2
J_A.k_norm = (I - 1 1^T/d - xh xh^T/d) / s, xh = (x - mean(x)) / s, s = sqrt(var(x) + 1e-5), at keys(u1)
P_A = (i, j): p_ij I, p_i = softmax_j(s_ij), s_ij = 50 tanh(c q_i . k_j / 50) - slope |i - j|, c = 0.25, f_ij = 1 - tanh(c q_i . k_j / 50)^2, zero unless |i - j| <= 2
J_A.qkv = A.qkv.weight^T, at x
u1 = A.qkv(x)
)");

constexpr auto decoder = block<"decoder">(
    stream(T, d), stream(S, e), [](auto x, auto memory) { return x + attention<"X">(d, heads<2>, cross(e))(x, memory); });
static_assert(jacobian(decoder) == "I + J_X");
static_assert(jacobian(decoder, by_memory) == "J_X.memory");
static_assert(jacobian(decoder, by_memory).latex() == R"(J_{\mathrm{X.memory}})");
static_assert(jacobian(decoder, "X.v.weight") == "J_X.o P_X D_X.v.weight");

/// A value that is both queries and memory: two paths, one from each argument.
constexpr auto itself = block<"itself">(stream(T, d), [](auto x) { return x + attention<"X">(d, heads<2>, cross)(x, x); });
static_assert(jacobian(itself) == "I + J_X + J_X.memory");

/// A stack of decoders shares one memory.
constexpr auto decoders = stack<"h", 2>(decoder);
static_assert(jacobian(decoders, by_memory) == "(I + J_h.1.X) J_h.0.X.memory + J_h.1.X.memory");

/// Names as published: paths with dots.
constexpr auto named = block<"named">(stream(T, d), [](auto x) {
  return layer_norm<"attention.output.LayerNorm">(d)(
      x + attention<"attention">(d, heads<2>, projections<"self.query", "self.key", "self.value", "output.dense">)(x));
});
static_assert(jacobian(named) == "J_attention.output.LayerNorm (I + J_attention)");
static_assert(jacobian(named, "attention.self.value.weight") ==
              "J_attention.output.LayerNorm J_attention.output.dense P_attention D_attention.self.value.weight");
}  // namespace

int main() {}
