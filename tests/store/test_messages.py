"""What people are told beside their pairs."""

import pytest

from core.records import Kind, TandemError
from tests.study import DATASET, judge


@pytest.fixture
def campaign(study):
    study.connection.execute(
        "INSERT INTO campaigns (dataset, name, created_at) VALUES (?, 'c', 'now')", (DATASET,)
    )
    return int(study.connection.value("SELECT max(id) FROM campaigns"))


def told(store, campaign, who):
    return [message.text for message in store.messages.for_annotator(campaign, who)]


def test_to_all_or_to_one_newest_first(study, campaign):
    ada, bo = judge(study, "Ada"), judge(study, "Bo")
    study.messages.send(campaign, " Read both. ", by="Eve")
    study.messages.send(campaign, "Slower, please.", by="Eve", judge="Ada")
    assert told(study, campaign, ada) == ["Slower, please.", "Read both."]
    assert told(study, campaign, bo) == ["Read both."]
    assert told(study, campaign + 1, ada) == []
    rows = study.messages.load_all(DATASET)
    assert rows[["campaign", "text", "sent_by"]].values.tolist() == [
        ["c", "Slower, please.", "Eve"],
        ["c", "Read both.", "Eve"],
    ]
    assert rows["judge"].fillna("").tolist() == ["Ada", ""]


def test_a_withdrawn_message_is_shown_no_longer_and_stays(study, campaign):
    ada = judge(study, "Ada")
    row = study.messages.send(campaign, "Read both.", by="Eve")
    assert study.messages.withdraw(row)
    assert not study.messages.withdraw(row)
    assert told(study, campaign, ada) == []
    assert study.messages.load_all(DATASET).empty
    assert study.connection.value("SELECT count(*) FROM messages") == 1


@pytest.mark.parametrize(
    ("text", "who", "says"),
    [
        ("  ", None, "the message is empty"),
        ("x" * 501, None, "has 501 characters, and 500 fit"),
        ("Hello", "Zoe", "nobody called 'Zoe' annotates here"),
        ("Hello", "gpt", "nobody called 'gpt' annotates here"),
    ],
)
def test_what_cannot_be_sent(study, campaign, text, who, says):
    judge(study, "gpt", Kind.LLM)
    with pytest.raises(TandemError, match=says):
        study.messages.send(campaign, text, by="Eve", judge=who)
