"""The tiny models, one thread for whatever is computed with them, and no key of OpenAI's."""

from tests.models.fixtures import chat_llama, full_precision, llama, model, no_key, one_thread, t5

__all__ = ["chat_llama", "full_precision", "llama", "model", "no_key", "one_thread", "t5"]
