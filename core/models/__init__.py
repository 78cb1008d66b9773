"""Models. The only folder that may import torch, transformers and sentence_transformers, and only inside functions."""
