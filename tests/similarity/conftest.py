"""The tiny models, and one thread for whatever is computed with them."""

from tests.models.fixtures import chat_llama, full_precision, llama, model, one_thread, t5

__all__ = ["chat_llama", "full_precision", "llama", "model", "one_thread", "t5"]
