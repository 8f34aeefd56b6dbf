"""Model files on this machine: known names, fetching, and running ONNX text models."""
