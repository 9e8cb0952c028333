"""Transformer blocks, one function each, read as their papers write them: y = block(p, x) with p the parameters by path.

`models` at the end names every block with its parameters (path -> (shape, kind)); make_golden.py draws values by kind.
"""

from collections import namedtuple

import reference as ref

Model = namedtuple("Model", "block parameters width memory", defaults=(False,))


# ------------------------------------------------------------------------------------------------------------------------ by path

def linear(p, path, x):
    """x W + b, with b where the parameters have one."""
    return ref.linear(x, p[path + ".weight"], p.get(path + ".bias"))


def layer_norm(p, path, x, eps):
    return ref.layer_norm(x, p[path + ".weight"], p[path + ".bias"], eps)


def rms_norm(p, path, x, eps):
    return ref.rms_norm(x, p[path + ".weight"], eps)


def gemma_norm(p, path, x, eps):
    return ref.rms_norm(x, 1 + p[path + ".weight"], eps)


def gated_mlp(p, z, activation):
    """down(act(gate z) .* up z)."""
    return linear(p, "mlp.down_proj", activation(linear(p, "mlp.gate_proj", z)) * linear(p, "mlp.up_proj", z))


def fused_attention(p, qkv_path, out_path, z, heads, allowed):
    """One matrix gives the columns q | k | v, each of the stream's width."""
    d = z.shape[-1]
    qkv = linear(p, qkv_path, z)
    q, k, v = (ref.split_heads(qkv[..., n * d:(n + 1) * d], heads) for n in range(3))
    o = ref.attention(q, k, v, allowed, scale=(d // heads) ** -0.5)
    return linear(p, out_path, ref.merge_heads(o))


def separate_attention(p, q_path, k_path, v_path, out_path, z, memory, heads, allowed):
    """Queries from z, keys and values from memory (z itself in self-attention)."""
    q = ref.split_heads(linear(p, q_path, z), heads)
    k = ref.split_heads(linear(p, k_path, memory), heads)
    v = ref.split_heads(linear(p, v_path, memory), heads)
    o = ref.attention(q, k, v, allowed, scale=q.shape[-1] ** -0.5)
    return linear(p, out_path, ref.merge_heads(o))


def rotary_attention(p, prefix, out, z, heads, kv_heads, allowed, theta, layout="half_split", scale=None, cap=None,
                     names=("q_proj", "k_proj", "v_proj"), head_norm=None, full_norm=None):
    """Self-attention with rotary positions: project, full_norm on all, split heads, head_norm in each, rotate, attend."""
    q, k, v = (linear(p, prefix + name, z) for name in names)
    if full_norm:
        q, k = full_norm(prefix + "q_norm", q), full_norm(prefix + "k_norm", k)
    q, k, v = ref.split_heads(q, heads), ref.split_heads(k, kv_heads), ref.split_heads(v, kv_heads)
    if head_norm:
        q, k = head_norm(prefix + "q_norm", q), head_norm(prefix + "k_norm", k)
    q, k = ref.rope(q, theta, layout), ref.rope(k, theta, layout)
    o = ref.attention(q, k, v, allowed, scale=q.shape[-1] ** -0.5 if scale is None else scale, cap=cap)
    return linear(p, prefix + out, ref.merge_heads(o))


# ----------------------------------------------------------------------------------------------------------------- classic blocks

def gpt2(p, x):
    """u = x + A(LN1(x)); y = u + M(LN2(u)); causal, GELU tanh."""
    allowed = ref.causal_mask(x.shape[1])
    u = x + fused_attention(p, "attn.c_attn", "attn.c_proj", layer_norm(p, "ln_1", x, 1e-5), 3, allowed)
    z = layer_norm(p, "ln_2", u, 1e-5)
    return u + linear(p, "mlp.c_proj", ref.gelu_tanh(linear(p, "mlp.c_fc", z)))


def bert(p, x):
    """u = LN1(x + A(x)); y = LN2(u + M(u)); bidirectional, exact GELU."""
    allowed = ref.bidirectional_mask(x.shape[1], x.shape[1])
    a = separate_attention(p, "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                           x, x, 3, allowed)
    u = layer_norm(p, "attention.output.LayerNorm", x + a, 1e-12)
    m = linear(p, "output.dense", ref.gelu(linear(p, "intermediate.dense", u)))
    return layer_norm(p, "output.LayerNorm", u + m, 1e-12)


def _transformer_attention(p, path, z, memory, allowed):
    return separate_attention(p, path + ".q_proj", path + ".k_proj", path + ".v_proj", path + ".out_proj", z, memory, 3, allowed)


def _transformer_mlp(p, z):
    return linear(p, "fc2", ref.relu(linear(p, "fc1", z)))


def transformer_encoder(p, x):
    """u = LN1(x + A(x)); y = LN2(u + M(u)); bidirectional, ReLU."""
    allowed = ref.bidirectional_mask(x.shape[1], x.shape[1])
    u = layer_norm(p, "self_attn_layer_norm", x + _transformer_attention(p, "self_attn", x, x, allowed), 1e-6)
    return layer_norm(p, "final_layer_norm", u + _transformer_mlp(p, u), 1e-6)


def transformer_decoder(p, x, memory):
    """u = LN1(x + A(x)); c = LN2(u + X(u, memory)); y = LN3(c + M(c)); A causal, X sees the whole memory, ReLU."""
    causal = ref.causal_mask(x.shape[1])
    whole = ref.bidirectional_mask(x.shape[1], memory.shape[1])
    u = layer_norm(p, "self_attn_layer_norm", x + _transformer_attention(p, "self_attn", x, x, causal), 1e-6)
    c = layer_norm(p, "encoder_attn_layer_norm", u + _transformer_attention(p, "encoder_attn", u, memory, whole), 1e-6)
    return layer_norm(p, "final_layer_norm", c + _transformer_mlp(p, c), 1e-6)


def vit(p, x):
    """u = x + A(LN1(x)); y = u + M(LN2(u)); bidirectional, exact GELU."""
    allowed = ref.bidirectional_mask(x.shape[1], x.shape[1])
    u = x + fused_attention(p, "attn.qkv", "attn.proj", layer_norm(p, "norm1", x, 1e-6), 3, allowed)
    z = layer_norm(p, "norm2", u, 1e-6)
    return u + linear(p, "mlp.fc2", ref.gelu(linear(p, "mlp.fc1", z)))


# ---------------------------------------------------------------------------------------------------------------- parallel blocks

def gptj(p, x):
    """z = LN(x); y = x + A(z) + M(z); causal, interleaved rotary width 4 of 8, GELU tanh."""
    z = layer_norm(p, "ln_1", x, 1e-5)
    a = rotary_attention(p, "attn.", "out_proj", z, 3, 3, ref.causal_mask(x.shape[1]), ref.rope_frequencies(4, 1e4),
                         "interleaved")
    m = linear(p, "mlp.fc_out", ref.gelu_tanh(linear(p, "mlp.fc_in", z)))
    return x + a + m


def gpt_neox(p, x):
    """y = x + A(LN1(x)) + M(LN2(x)); causal, half-split rotary width 2 of 8, exact GELU."""
    z = layer_norm(p, "input_layernorm", x, 1e-5)
    a = rotary_attention(p, "attention.", "dense", z, 3, 3, ref.causal_mask(x.shape[1]), ref.rope_frequencies(2, 1e4),
                         "half_split", names=("query", "key", "value"))
    w = layer_norm(p, "post_attention_layernorm", x, 1e-5)
    m = linear(p, "mlp.dense_4h_to_h", ref.gelu(linear(p, "mlp.dense_h_to_4h", w)))
    return x + a + m


# ------------------------------------------------------------------------------------------------------------ sequential decoders

def _llama(p, x, kv_heads, allowed, theta, eps=1e-5, head_norm=None):
    """u = x + A(R1(x)); y = u + M(R2(u)); half-split rotary positions over the whole head, SwiGLU."""
    z = rms_norm(p, "input_layernorm", x, eps)
    u = x + rotary_attention(p, "self_attn.", "o_proj", z, 4, kv_heads, allowed, theta, head_norm=head_norm)
    return u + gated_mlp(p, rms_norm(p, "post_attention_layernorm", u, eps), ref.silu)


def llama2(p, x):
    return _llama(p, x, 4, ref.causal_mask(x.shape[1]), ref.rope_frequencies(6, 1e4))


def llama3(p, x):
    theta = ref.llama3_frequencies(ref.rope_frequencies(6, 5e5), factor=8, low=1, high=4, old_length=8192)
    return _llama(p, x, 2, ref.causal_mask(x.shape[1]), theta)


def mistral(p, x):
    return _llama(p, x, 2, ref.sliding_mask(x.shape[1], 5), ref.rope_frequencies(6, 1e4))


def qwen3(p, x):
    """llama with an RMS norm in each head of q and k, before the rotation; the weight (w) is shared by the heads."""
    return _llama(p, x, 2, ref.causal_mask(x.shape[1]), ref.rope_frequencies(6, 1e6), eps=1e-6,
                  head_norm=lambda path, q: rms_norm(p, path, q, 1e-6))


def gemma2(p, x):
    """u = x + G2(A(G1(x))); y = u + G4(M(G3(u))); G has the gain 1 + w; window 5, softcap 50, scale 10^-1/2, GeGLU tanh."""
    a = rotary_attention(p, "self_attn.", "o_proj", gemma_norm(p, "input_layernorm", x, 1e-6), 4, 2,
                         ref.sliding_mask(x.shape[1], 5), ref.rope_frequencies(6, 1e4), scale=10 ** -0.5, cap=50.0)
    u = x + gemma_norm(p, "post_attention_layernorm", a, 1e-6)
    m = gated_mlp(p, gemma_norm(p, "pre_feedforward_layernorm", u, 1e-6), ref.gelu_tanh)
    return u + gemma_norm(p, "post_feedforward_layernorm", m, 1e-6)


def olmo2(p, x):
    """u = x + R1(A(x)); y = u + R2(M(u)); q and k are normed over their whole width before the split and the rotation; SwiGLU."""
    a = rotary_attention(p, "self_attn.", "o_proj", x, 4, 4, ref.causal_mask(x.shape[1]), ref.rope_frequencies(6, 5e5),
                         full_norm=lambda path, q: rms_norm(p, path, q, 1e-6))
    u = x + rms_norm(p, "post_attention_layernorm", a, 1e-6)
    return u + rms_norm(p, "post_feedforward_layernorm", gated_mlp(p, u, ref.silu), 1e-6)


# --------------------------------------------------------------------------------------------------------------------- parameters

def _layer_norms(d, *paths):
    return {f"{path}.{part}": ((d,), kind) for path in paths for part, kind in (("weight", "gain"), ("bias", "bias"))}


def _rms_norms(d, *paths, kind="gain"):
    return {f"{path}.weight": ((d,), kind) for path in paths}


def _linear(path, inputs, outputs, bias=True, kind="weight"):
    weight = {path + ".weight": ((inputs, outputs), kind)}
    return {**weight, path + ".bias": ((outputs,), "bias")} if bias else weight


def _square(d, *paths, bias=True):
    return {name: row for path in paths for name, row in _linear(path, d, d, bias).items()}


def _rotary_projections(d, heads, kv_heads, w, prefix="self_attn.", score_kind="weight"):
    return {**_linear(prefix + "q_proj", d, heads * w, False, score_kind),
            **_linear(prefix + "k_proj", d, kv_heads * w, False, score_kind),
            **_linear(prefix + "v_proj", d, kv_heads * w, False), **_linear(prefix + "o_proj", heads * w, d, False)}


def _gated(d, ff):
    return {**_linear("mlp.gate_proj", d, ff, False), **_linear("mlp.up_proj", d, ff, False),
            **_linear("mlp.down_proj", ff, d, False)}


def _llama_parameters(d, kv_heads):
    return {**_rms_norms(d, "input_layernorm"), **_rotary_projections(d, 4, kv_heads, 6),
            **_rms_norms(d, "post_attention_layernorm"), **_gated(d, 40)}


_gpt2 = {**_layer_norms(15, "ln_1"), **_linear("attn.c_attn", 15, 45), **_linear("attn.c_proj", 15, 15),
         **_layer_norms(15, "ln_2"), **_linear("mlp.c_fc", 15, 60), **_linear("mlp.c_proj", 60, 15)}

_bert = {**_square(15, "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
         **_layer_norms(15, "attention.output.LayerNorm"), **_linear("intermediate.dense", 15, 60),
         **_linear("output.dense", 60, 15), **_layer_norms(15, "output.LayerNorm")}

_encoder = {**_square(15, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj"),
            **_layer_norms(15, "self_attn_layer_norm"), **_linear("fc1", 15, 40), **_linear("fc2", 40, 15),
            **_layer_norms(15, "final_layer_norm")}

_decoder = {**_encoder,
            **_square(15, "encoder_attn.q_proj", "encoder_attn.k_proj", "encoder_attn.v_proj", "encoder_attn.out_proj"),
            **_layer_norms(15, "encoder_attn_layer_norm")}

_vit = {**_layer_norms(15, "norm1"), **_linear("attn.qkv", 15, 45), **_linear("attn.proj", 15, 15), **_layer_norms(15, "norm2"),
        **_linear("mlp.fc1", 15, 60), **_linear("mlp.fc2", 60, 15)}

_gptj = {**_layer_norms(24, "ln_1"), **_square(24, "attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.out_proj", bias=False),
         **_linear("mlp.fc_in", 24, 40), **_linear("mlp.fc_out", 40, 24)}

_gpt_neox = {**_layer_norms(24, "input_layernorm", "post_attention_layernorm"),
             **_square(24, "attention.query", "attention.key", "attention.value", "attention.dense"),
             **_linear("mlp.dense_h_to_4h", 24, 40), **_linear("mlp.dense_4h_to_h", 40, 24)}

_gemma2 = {**_rms_norms(20, "input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm",
                        "post_feedforward_layernorm", kind="gain_offset"),
           **_rotary_projections(20, 4, 2, 6, score_kind="large_weight"), **_gated(20, 40)}

_qwen3 = {**_llama_parameters(20, 2), **_rms_norms(6, "self_attn.q_norm", "self_attn.k_norm")}

_olmo2 = {**_rotary_projections(24, 4, 4, 6), **_rms_norms(24, "self_attn.q_norm", "self_attn.k_norm"),
          **_rms_norms(24, "post_attention_layernorm", "post_feedforward_layernorm"), **_gated(24, 40)}

models = {
    "gpt2": Model(gpt2, _gpt2, 15),
    "bert": Model(bert, _bert, 15),
    "transformer_encoder": Model(transformer_encoder, _encoder, 15),
    "transformer_decoder": Model(transformer_decoder, _decoder, 15, memory=True),
    "gptj": Model(gptj, _gptj, 24),
    "gpt_neox": Model(gpt_neox, _gpt_neox, 24),
    "llama2": Model(llama2, _llama_parameters(24, 4), 24),
    "llama3": Model(llama3, _llama_parameters(24, 2), 24),
    "mistral": Model(mistral, _llama_parameters(24, 2), 24),
    "gemma2": Model(gemma2, _gemma2, 20),
    "qwen3": Model(qwen3, _qwen3, 20),
    "olmo2": Model(olmo2, _olmo2, 24),
    "vit": Model(vit, _vit, 15),
}
