"""Transformer operations in NumPy, each written as its formula.

Every function takes real or complex arrays, so that a derivative is the imaginary part of the value at x + ih (complex step).
Therefore nothing here takes abs, max, or a comparison of a complex value; where an order is needed, the real part decides.

Letters in shapes: B batch, T query positions, S key positions, d width of the stream, h query heads, k key/value heads,
w head width.
A weight is stored (in, out). The contractions are np.einsum without BLAS, so the sum is a plain loop.
"""

import math

import numpy as np


# --------------------------------------------------------------------------------------------------------------- linear and norms

def linear(x, weight, bias=None):
    """y = x W + b: (B, T, in) -> (B, T, out)."""
    y = np.einsum("bti,io->bto", x, weight)
    return y if bias is None else y + bias


def layer_norm(x, weight, bias, eps):
    """y = g .* (x - m) / sqrt(v + eps) + b over the last axis; v is the biased variance (1/n) of the centred values."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return weight * centred / np.sqrt(variance + eps) + bias


def rms_norm(x, gain, eps):
    """y = g .* x / sqrt(mean(x .* x) + eps) over the last axis. Where the stored weight w means a gain of 1 + w, pass 1 + w."""
    return gain * x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)


# -------------------------------------------------------------------------------------------------------------------- activations

_real_erf = np.vectorize(math.erf, otypes=[float])


def erf(x):
    """2/sqrt(pi) int_0^x exp(-t^2) dt. Of a complex x, the first order in the imaginary part: all that a complex step reads."""
    if not np.iscomplexobj(x):
        return _real_erf(x)
    return _real_erf(x.real) + 1j * x.imag * (2 / math.sqrt(math.pi)) * np.exp(-x.real * x.real)


def relu(x):
    """max(x, 0), picked by the real part."""
    return np.where(np.real(x) > 0, x, 0)


def gelu(x):
    """x Phi(x), Phi the standard normal distribution function (the exact form)."""
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x):
    """0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def silu(x):
    """x sigmoid(x)."""
    return x / (1 + np.exp(-x))


# --------------------------------------------------------------------------------------------------------------- rotary positions

def rope_frequencies(width, base):
    """theta_k = base^(-2k/width) for k = 0 .. width/2 - 1."""
    k = np.arange(width // 2)
    return base ** (-2.0 * k / width)


def llama3_frequencies(theta, factor, low, high, old_length):
    """The llama-3.1 map, by wavelength w = 2 pi / theta: long waves theta/factor, short ones theta, between them a blend."""
    scaled = []
    for t in theta:
        wavelength = 2 * math.pi / t
        if wavelength > old_length / low:
            scaled.append(t / factor)
        elif wavelength < old_length / high:
            scaled.append(t)
        else:
            s = (old_length / wavelength - low) / (high - low)
            scaled.append((1 - s) * t / factor + s * t)
    return np.array(scaled)


def rope(x, theta, layout):
    """Rotate pair k of each head at position i by the angle i theta_k: (B, T, h, w) -> (B, T, h, w).

    The rotary width is 2 len(theta); the channels after it pass through. The pairs are (2k, 2k + 1) when layout is "interleaved"
    and (k, k + width/2) when it is "half_split".
    """
    width = 2 * len(theta)
    first, second = {
        "interleaved": (slice(0, width, 2), slice(1, width, 2)),
        "half_split": (slice(0, width // 2), slice(width // 2, width)),
    }[layout]
    angle = np.arange(x.shape[1])[:, None] * theta[None, :]
    cos, sin = np.cos(angle)[:, None, :], np.sin(angle)[:, None, :]      # (T, 1, width/2)
    a, b = x[..., first], x[..., second]
    y = x.copy()
    y[..., first] = a * cos - b * sin
    y[..., second] = a * sin + b * cos
    return y


# ---------------------------------------------------------------------------------------------------------------------- attention

def bidirectional_mask(T, S):
    """Every key is allowed: (T, S)."""
    return np.ones((T, S), dtype=bool)


def causal_mask(T):
    """Key j is allowed for query i where j <= i: (T, T)."""
    i, j = np.arange(T)[:, None], np.arange(T)[None, :]
    return j <= i


def sliding_mask(T, window):
    """Key j is allowed for query i where 0 <= i - j < window, i itself included: (T, T)."""
    i, j = np.arange(T)[:, None], np.arange(T)[None, :]
    return (0 <= i - j) & (i - j < window)


def masked_softmax(s, allowed):
    """p_ij = exp(s_ij) / sum over allowed j of exp(s_ij), and 0 where not allowed: (B, h, T, S). Every row allows a key."""
    top = np.max(np.where(allowed, np.real(s), -np.inf), axis=-1, keepdims=True)
    e = np.where(allowed, np.exp(np.where(allowed, s - top, 0)), 0)
    return e / np.sum(e, axis=-1, keepdims=True)


def split_heads(x, heads):
    """(B, T, h w) -> (B, T, h, w)."""
    B, T, width = x.shape
    return x.reshape(B, T, heads, width // heads)


def merge_heads(x):
    """(B, T, h, w) -> (B, T, h w)."""
    B, T, h, w = x.shape
    return x.reshape(B, T, h * w)


def attention_scores(q, k, scale, cap=None):
    """s_ij = scale q_i . k_j, then cap tanh(s / cap) if there is a cap: (B, h, T, S).

    Query head a reads key head floor(a / (h/k)).
    """
    k = np.repeat(k, q.shape[2] // k.shape[2], axis=2)
    s = scale * np.einsum("bthw,bshw->bhts", q, k)
    return s if cap is None else cap * np.tanh(s / cap)


def attention(q, k, v, allowed, scale, cap=None):
    """o_i = sum_j softmax_j(s_ij) v_j over the allowed j: q (B, T, h, w), k and v (B, S, k, w) -> (B, T, h, w)."""
    p = masked_softmax(attention_scores(q, k, scale, cap), allowed)
    v = np.repeat(v, q.shape[2] // v.shape[2], axis=2)
    return np.einsum("bhts,bshw->bthw", p, v)
