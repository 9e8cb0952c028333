"""Check reference.py against scalar loops and identities, and that the golden data can tell the usual mistakes apart."""

import math

import numpy as np

import reference as ref
from make_golden import draw_inputs, draw_parameter
from models import models

passed = 0


def check(name, holds):
    global passed
    if not holds:
        raise SystemExit(f"failed: {name}")
    passed += 1


def close(a, b, tolerance=1e-13):
    return np.abs(a - b).max() <= tolerance


def parameters_of(name):
    return {path: draw_parameter(f"{name}/{path}", shape, kind) for path, (shape, kind) in models[name].parameters.items()}


def check_operations():
    rng = np.random.Generator(np.random.PCG64(1))
    B, T, S, h, k, w = 2, 6, 6, 4, 2, 6
    q, key, v = rng.normal(size=(B, T, h, w)), rng.normal(size=(B, S, k, w)), rng.normal(size=(B, S, k, w))

    for allowed in (ref.causal_mask(T), ref.sliding_mask(T, 3), ref.bidirectional_mask(T, S)):
        for cap in (None, 2.0):
            o = np.zeros((B, T, h, w))
            for b in range(B):
                for i in range(T):
                    for a in range(h):
                        e = {}
                        for j in range(S):
                            if allowed[i, j]:
                                s = 0.7 * math.fsum(q[b, i, a, c] * key[b, j, a // 2, c] for c in range(w))
                                e[j] = math.exp(s if cap is None else cap * math.tanh(s / cap))
                        for c in range(w):
                            o[b, i, a, c] = math.fsum(e[j] * v[b, j, a // 2, c] for j in e) / math.fsum(e.values())
            check("attention is its loop", close(ref.attention(q, key, v, allowed, 0.7, cap), o))

    theta = ref.rope_frequencies(w, 1e4)
    for layout, pairs in (("interleaved", [(0, 1), (2, 3), (4, 5)]), ("half_split", [(0, 3), (1, 4), (2, 5)])):
        y = ref.rope(q, theta, layout)
        for i in range(T):
            for n, (first, second) in enumerate(pairs):
                turned = (q[:, i, :, first] + 1j * q[:, i, :, second]) * np.exp(1j * i * 1e4 ** (-2 * n / w))
                check("rope is a complex product", close(y[:, i, :, first] + 1j * y[:, i, :, second], turned))
        check("rope passes the rest", np.array_equal(ref.rope(q, theta[:2], layout)[..., 4:], q[..., 4:]))
    check("the layouts are one permutation apart",
          close(ref.rope(q, theta, "half_split")[..., [0, 3, 1, 4, 2, 5]],
                ref.rope(q[..., [0, 3, 1, 4, 2, 5]], theta, "interleaved")))

    plain = ref.rope_frequencies(128, 5e5)
    scaled = ref.llama3_frequencies(plain, 8, 1, 4, 8192)
    check("llama3 leaves short waves", np.array_equal(scaled[:29], plain[:29]))
    check("llama3 divides long waves", np.array_equal(scaled[35:], plain[35:] / 8))
    check("llama3 blends between", ((scaled[29:35] < plain[29:35]) & (scaled[29:35] > plain[29:35] / 8)).all())

    x = rng.normal(size=(2, 3, 7)) + 5
    for row, y in zip(x.reshape(-1, 7), ref.layer_norm(x, 1.0, 0.0, 1e-5).reshape(-1, 7)):
        m = math.fsum(row) / 7
        check("layer norm", close((row - m) / math.sqrt(math.fsum((r - m) ** 2 for r in row) / 7 + 1e-5), y))
    for row, y in zip(x.reshape(-1, 7), ref.rms_norm(x, 1.0, 1e-5).reshape(-1, 7)):
        check("rms norm", close(row / math.sqrt(math.fsum(r * r for r in row) / 7 + 1e-5), y))

    x = np.linspace(-6, 6, 241)
    sigmoid = [1 / (1 + math.exp(-t)) for t in x]
    check("silu", close(ref.silu(x), x * sigmoid))
    check("gelu", close(ref.gelu(x), [t * 0.5 * math.erfc(-t / math.sqrt(2)) for t in x]))
    check("gelu_tanh",
          close(ref.gelu_tanh(x), [t / (1 + math.exp(-2 * math.sqrt(2 / math.pi) * (t + 0.044715 * t ** 3))) for t in x]))
    check("the two gelus differ by 4.73e-4", abs(np.abs(ref.gelu(x) - ref.gelu_tanh(x)).max() - 4.73e-4) < 1e-6)
    derivative = ref.gelu(x + 1e-40j).imag / 1e-40
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    check("gelu'", close(derivative, 0.5 * (1 + ref.erf(x / math.sqrt(2))) + x * density))


def check_reach():
    """Which tokens a token reaches: nothing before it where causal, nothing past the window where sliding."""
    reach = {"gpt2": 99, "gptj": 99, "gpt_neox": 99, "llama2": 99, "llama3": 99, "qwen3": 99, "olmo2": 99,
             "transformer_decoder": 99,
             "mistral": 5, "gemma2": 5, "bert": None, "transformer_encoder": None, "vit": None}
    for name, window in reach.items():
        p, inputs = parameters_of(name), draw_inputs(name, models[name], 33)
        y = models[name].block(p, **inputs)
        moved = {**inputs, "x": inputs["x"].copy()}
        moved["x"][:, 10, 0] += 1.0
        changed = np.abs(models[name].block(p, **moved) - y).max(axis=(0, 2)) > 0
        expected = [True if window is None else 0 <= i - 10 < window for i in range(33)]
        check(f"{name} reaches the right tokens", list(changed) == expected)


def check_mistakes():
    """A wrong reading of a formula has to move y by far more than a tolerance; prints by how much."""
    def with_changes(changes, name, T):
        saved = {f: getattr(ref, f) for f in changes}
        try:
            for f, g in changes.items():
                setattr(ref, f, g)
            return models[name].block(parameters_of(name), **draw_inputs(name, models[name], T))
        finally:
            for f, g in saved.items():
                setattr(ref, f, g)

    rope, scores, sliding, frequencies = ref.rope, ref.attention_scores, ref.sliding_mask, ref.rope_frequencies
    other = {"interleaved": "half_split", "half_split": "interleaved"}
    layout = {"rope": lambda x, theta, name: rope(x, theta, other[name])}
    none = {"rope": lambda x, theta, name: x}
    sign = {"rope": lambda x, theta, name: rope(x, -theta, name)}
    rows = [(f"{label}", name, change)
            for name in ("gptj", "gpt_neox", "llama2", "llama3", "mistral", "gemma2", "qwen3", "olmo2")
            for label, change in (("other rope layout", layout), ("no rope", none), ("rope turned backwards", sign))]
    rows += [("base 1e4", name, {"rope_frequencies": lambda width, base: frequencies(width, 1e4)})
             for name in ("llama3", "qwen3", "olmo2")]
    rows += [("no frequency scaling", "llama3", {"llama3_frequencies": lambda theta, **_: theta})]
    rows += [("other gelu", name, {"gelu": ref.gelu_tanh}) for name in ("bert", "gpt_neox", "vit")]
    rows += [("other gelu", name, {"gelu_tanh": ref.gelu}) for name in ("gpt2", "gptj", "gemma2")]
    rows += [("window + 1", name, {"sliding_mask": lambda T, n: sliding(T, n + 1)}) for name in ("mistral", "gemma2")]
    rows += [("no softcap", "gemma2", {"attention_scores": lambda q, k, scale, cap: scores(q, k, scale)}),
             ("scale 6^-1/2", "gemma2", {"attention_scores": lambda q, k, scale, cap: scores(q, k, 6 ** -0.5, cap)})]
    rows += [("heads repeat in turn", name, {"attention_scores": lambda q, k, scale, cap=None:
              scores(q, np.concatenate([k] * (q.shape[2] // k.shape[2]), axis=2), scale, cap)})
             for name in ("llama3", "mistral", "gemma2", "qwen3")]
    for label, name, change in rows:
        moved = [np.abs(with_changes(change, name, T) - with_changes({}, name, T)).max() for T in (7, 33)]
        print(f"{name:<12} {label:<24} moves y by {moved[0]:8.1e} (T 7) {moved[1]:8.1e} (T 33)")
        same = (name, label) == ("gpt_neox", "other rope layout")      # at rotary width 2 the layouts are one
        check(f"{name}: {label}", max(moved) == 0 if same else max(moved) > 1e-5)

    for T in (7, 33):
        seen = []
        def watch(q, k, scale, cap):
            seen.append(scores(q, k, scale)[:, :, sliding(T, 5)])
            return scores(q, k, scale, cap)
        with_changes({"attention_scores": watch}, "gemma2", T)
        s = np.abs(seen[0])
        print(f"gemma2 T {T}: |score| median {np.median(s):.1f}, largest {s.max():.1f}; "
              f"of the scores past 25: {np.mean(s > 25):.2f}")
        check("scores reach the cap", s.max() > 40)


if __name__ == "__main__":
    check_operations()
    check_reach()
    check_mistakes()
    print(f"{passed} passed, 0 failed")
