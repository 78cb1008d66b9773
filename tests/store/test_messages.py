"""What people are told beside their pairs."""

import pytest

from core.records import Kind, TandemError
from core.store import Store
from tests.study import DATASET, judge


@pytest.fixture
def campaign(study: Store) -> int:
    study.connection.execute(
        "INSERT INTO campaigns (dataset, name, created_at) VALUES (?, 'c', 'now')", (DATASET,)
    )
    return int(study.connection.value("SELECT max(id) FROM campaigns"))


def told(store: Store, campaign: int, who: int) -> list[str]:
    return [message.text for message in store.messages.for_annotator(campaign, who)]


REFUSED = (
    ("  ", None, "message .*empty"),
    ("x" * 501, None, r"\b501 characters\b.*\b500\b"),
    ("Hello", "Zoe", "nobody .*'Zoe' annotates"),
    ("Hello", "gpt", "nobody .*'gpt' annotates"),
)


def test_to_all_or_to_one_newest_first_until_withdrawn(study: Store, campaign: int) -> None:
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    judge(study, "gpt", Kind.LLM)
    for text, who, says in REFUSED:
        with pytest.raises(TandemError, match=says):
            study.messages.send(campaign, text, by="Eve", judge=who)
    row = study.messages.send(campaign, " Read both. ", by="Eve")
    study.messages.send(campaign, "Slower, please.", by="Eve", judge="Ada")
    assert told(study, campaign, ada) == ["Slower, please.", "Read both."]
    assert told(study, campaign, bo) == ["Read both."]
    assert told(study, campaign + 1, ada) == []
    sent = study.messages.load_all(DATASET).fillna("")
    assert sent[["campaign", "text", "sent_by", "judge"]].values.tolist() == [
        ["c", "Slower, please.", "Eve", "Ada"], ["c", "Read both.", "Eve", ""],
    ]  # fmt: skip
    assert study.messages.withdraw(row)
    assert not study.messages.withdraw(row)
    assert told(study, campaign, bo) == []
    assert len(study.messages.load_all(DATASET)) == 1
    assert study.connection.value("SELECT count(*) FROM messages") == 2  # it stays
