"""Whether the first answer equals a gold answer: Judge@1."""
