#!/usr/bin/env python3
"""placements.py OUT_DIR: every placement with every norm, and every norm with every branch, before and after.

Writes placements.hpp (blocks with run-time widths d and h, so that one kernel serves every extent), placements.txt (their
names) and placements_test.cpp (each block at extents around a register's lanes, at primes and at 1).
"""
import sys
from pathlib import Path

from activations import ACTIVATIONS

NORMS = {
    "layer_norm": 'layer_norm<"{0}">({1})',
    "layer_norm_no_bias": 'layer_norm<"{0}">({1}, no_bias, epsilon<1e-6>)',
    "layer_norm_no_affine": 'layer_norm<"{0}">({1}, no_affine)',
    "rms_norm": 'rms_norm<"{0}">({1}, epsilon<1e-6>)',
    "rms_norm_unit_offset": 'rms_norm<"{0}">({1}, unit_offset)',
    "rms_norm_no_affine": 'rms_norm<"{0}">({1}, no_affine)',
    "dyt": 'dyt<"{0}">({1})',
    "dyt_no_affine": 'dyt<"{0}">({1}, no_affine)',
}


def plain(activation, options=", with_bias"):
    return f'branch<"{{0}}">(linear<"up">(d, h{options}) | {activation} | linear<"down">(h, d{options}))'


def gated(activation):
    return ('branch<"{0}">([](auto z) { return linear<"down">(h, d)(hadamard(' + activation +
            '(linear<"gate">(d, h)(z)), linear<"up">(d, h)(z))); })')


BRANCHES = {f"plain_{a}": plain(a) for a in ACTIVATIONS}
BRANCHES |= {"linear": 'branch<"{0}">(linear<"W">(d, d))', "no_bias_relu": plain("relu", "")}
BRANCHES |= {f"gated_{a}": gated(a) for a in ("silu", "gelu_tanh", "relu", "relu_squared")}
# A norm inside the branch, on the hidden axis (NormFormer, Sub-LN).
BRANCHES["sub_norm"] = 'branch<"{0}">(linear<"up">(d, h) | gelu_erf | layer_norm<"n">(h) | linear<"down">(h, d))'

ATTENTIONS = {
    "attention": 'attention<"{0}">(d, heads<2>, head_width<3>, causal, with_bias)',
    "grouped_attention": 'attention<"{0}">(d, heads<4>, kv_heads<2>, head_width<4>, rope, qk_norm<norm::rms>())',
    "local_attention": 'attention<"{0}">(d, heads<3>, kv_heads<1>, head_width<5>, causal, sliding_window<2>, alibi, softcap<5>, fused_qkv)',
}
BRANCHES |= ATTENTIONS

# Two sublayers each, as in section 1.E of the catalogue; N1, N2, ... and A, M stand for what the row names.
PLACEMENTS = {
    "pre_norm": ("auto u = x + A(N1(x)); return u + M(N2(u));", "(I + J_M J_N2) (I + J_A J_N1)"),
    "post_norm": ("auto u = N1(x + A(x)); return N2(u + M(u));", "J_N2 (I + J_M) J_N1 (I + J_A)"),
    "sandwich": ("auto u = x + N2(A(N1(x))); return u + N4(M(N3(u)));", "(I + J_N4 J_M J_N3) (I + J_N2 J_A J_N1)"),
    "res_post": ("auto u = x + N1(A(x)); return u + N2(M(u));", "(I + J_N2 J_M) (I + J_N1 J_A)"),
    "deep_norm": ("auto a = constant<\"a\">(1.5); auto u = N1(a * x + A(x)); return N2(a * u + M(u));", "J_N2 (a I + J_M) J_N1 (a I + J_A)"),
    "normed_skip": ("auto a = constant<\"a\">(1.5); auto z = N1(x); auto u = a * z + A(z); auto v = N2(u); return a * v + M(v);",
                    "(a I + J_M) J_N2 (a I + J_A) J_N1"),
    "parallel_one_norm": ("auto z = N1(x); return x + A(z) + M(z);", "I + (J_A + J_M) J_N1"),
    "parallel_two_norms": ("return x + A(N1(x)) + M(N2(x));", "I + J_A J_N1 + J_M J_N2"),
    "b2t": ("auto u = N1(x + A(x)); return N2(u + M(u) + x);", "J_N2 ((I + J_M) J_N1 (I + J_A) + I)"),
    "span_norm": ("auto u = N1(x + A(x)); return N2(x + M(u));", "J_N2 (I + J_M J_N1 (I + J_A))"),
    "hybrid_norm": ("auto u = x + A(x); auto z = N1(u); return z + M(z);", "(I + J_M) J_N1 (I + J_A)"),
    "layer_scale": ("auto u = x + g1 * A(N1(x)); return u + g2 * M(N2(u));", "(I + diag(g2) J_M J_N2) (I + diag(g1) J_A J_N1)"),
    "lns": ("auto c = constant<\"s\">(0.5); auto u = x + A(c * N1(x)); return u + M(c * N2(u));",
            "(I + s J_M J_N2) (I + s J_A J_N1)"),
    "rezero": ("auto u = x + alpha * A(x); return u + alpha * M(u);", "(I + alpha J_M) (I + alpha J_A)"),
    "macaron": ("auto u = x + 0.5 * M(N1(x)); auto v = u + A(N2(u)); auto w = v + 0.5 * M2(N3(v)); return N4(w);",
                "J_N4 (I + 0.5 J_M2 J_N3) (I + J_A J_N2) (I + 0.5 J_M J_N1)"),
    "learned_skip": ("return N1(g1 * x + A(x)) - M(N2(x));", "J_N1 (diag(g1) + J_A) - J_M J_N2"),
}


def block(name, body, norm, branches, jacobian):
    used = [n for n in ("N1", "N2", "N3", "N4") if n + "(" in body]
    parts = [f'inline constexpr auto {n} = {NORMS[norm].format(n, "d")};' for n in used]
    for i, letter in enumerate(["A", "M", "M2"]):
        if letter + "(" in body:
            parts.append(f"inline constexpr auto {letter} = {branches[i % len(branches)].replace('{0}', letter)};")
    return "\n".join([f"namespace {name}_parts {{", *parts,
                      f'inline constexpr auto {name} = block<"{name}">(stream(B, T, d), [](auto x) {{ {body} }});',
                      f'static_assert(jacobian({name}) == "{jacobian}");', f"}}  // namespace {name}_parts",
                      f"using {name}_parts::{name};", ""])


def main(folder):
    branch_names = list(BRANCHES)
    blocks = {}
    turn = 0
    for placement, (body, jacobian) in PLACEMENTS.items():
        for norm in NORMS:
            pair = [BRANCHES[branch_names[(turn + k) % len(branch_names)]] for k in range(3)]
            if turn % 2:  # the first branch of half of them is an attention
                pair[0] = list(ATTENTIONS.values())[turn // 2 % len(ATTENTIONS)]
            turn += 1
            blocks[f"{placement}_{norm}"] = block(f"{placement}_{norm}", body, norm, pair, jacobian)
    for side, (body, jacobian) in {"before": ("return x + A(N1(x));", "I + J_A J_N1"), "after": ("return N1(x + A(x));", "J_N1 (I + J_A)")}.items():
        for i, branch in enumerate(BRANCHES):
            norm = list(NORMS)[(i + (side == "after") * 3) % len(NORMS)]
            blocks[f"{branch}_{side}"] = block(f"{branch}_{side}", body, norm, [BRANCHES[branch]], jacobian)

    header = ["// Written by placements.py.", "#pragma once", "#include <residua/dsl.hpp>", "", "namespace placements {", "using namespace residua::dsl;",
              'inline constexpr axis<"B"> B;', 'inline constexpr axis<"T"> T;', 'inline constexpr axis<"d"> d;', 'inline constexpr axis<"h"> h;',
              'inline constexpr auto alpha = learned_scalar<"alpha">;', 'inline constexpr auto g1 = learned_vector<"g1">(d);',
              'inline constexpr auto g2 = learned_vector<"g2">(d);', "", *blocks.values(), "}  // namespace placements"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "placements.hpp").write_text("\n".join(header) + "\n")
    # Each block at lengths that leave registers part empty, just full and just over; a different set each, all in turn. In
    # float a norm over one or two features cancels to noise.
    sizes = [(1, 1, 1, 1), (1, 3, 7, 9), (2, 2, 8, 16), (1, 5, 9, 17), (3, 1, 15, 31), (1, 2, 16, 8), (1, 4, 17, 13), (2, 3, 13, 33), (1, 1, 31, 32), (1, 2, 33, 15)]
    test = ["// Written by placements.py.", "#define BOOST_TEST_MODULE placements", '#include "placements.hpp"', '#include "runner_calls.hpp"', ""]
    for i, name in enumerate(blocks):
        test.append(f"BOOST_AUTO_TEST_CASE({name}) {{")
        for k in range(2):
            batch, tokens, width, hidden = sizes[(i + k * 3) % len(sizes)]
            test.append(f'  residua::oracle::check_by_runner(placements::{name}.view(), {{{{"d", {width}}}, {{"h", {hidden}}}}}, '
                        f"{{{batch}, {tokens}, {width}}}, {i}, {'true' if width > 2 else 'false'});")
        test.append("}")
    (folder / "placements_test.cpp").write_text("\n".join(test) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
