"""Constants of the hash of texts, which is stored on disk: they never change within a format of graphs.

`graphbrick.language.folding.hash_bytes` is the readable version of the hash,
`graphbrick.kernels.strings.spans.hash_span` the compiled one.
"""

START, LENGTH, STEP, LAST = 0x243F6A8885A308D3, 0xC2B2AE3D27D4EB4F, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
