"""A whole data set: deleted in one transaction after a backup, or worded otherwise, and logged."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from core import access, campaigns
from core.access import LinkTerms
from core.campaigns import enrol
from core.importing import importer
from core.judging import PROBES, make
from core.pairing import Request, open_default, planning
from core.records import Answer, Attribute, Dataset, Outcome, Role, Score, TandemError, TextFormat
from core.runs import execution, probe
from core.store import Check, Store, dataset_decisions
from core.store.dataset_changes import _ROWS
from tests.paths import ROOT
from tests.study import DATASET, ask, fill, kept_tally, kept_votes, recounted_tally, recounted_votes

OTHER, NEW = "other", "renamed"
SHARED = {"prompts", "sources", "judges", "people", "invitations", "secrets", "settings", "audit"}
"""Tables that are not of one data set."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two data sets with what one can have; Bo and one of the judges are in the first alone."""
    path = tmp_path / "store.sqlite3"
    with Store(path) as store:
        _study(store, OTHER, ["Ada"], "baseline:longer")
        _study(store, DATASET, ["Ada", "Bo"], "baseline:random")
        store.exclusions.add(DATASET, "Bo", reason="a test", by="test")
    return path


def _study(store: Store, name: str, people: list[str], judge: str) -> None:
    fill(store, dataset=name)
    open_default(store, name)
    campaign = store.campaigns.default(name)
    for person in people:
        enrol(store, person)
        shown = ask(store, person, name)
        assert campaigns.answer(store, person, shown, Answer(Outcome.A))
    by = make(judge)
    run = planning.enqueue(store, by.spec, Request(name))
    sent = [question.comparison for question in store.runs.list_pending(run, 2)]
    store.batches.keep_votes(run, [(sent[0], "its name", "{}")])
    execution.execute(store, run, by=by)
    store.batches.add(run, sent)
    asked = probe.ProbeRequest(name, probes=(PROBES["praise"],), number=1)
    execution.execute(store, probe.enqueue(store, by, asked), by=by)
    ada, row = store.judges.id_of("Ada"), store.datasets.attribute_id(name, "coherence")
    pair = sorted(store.texts.generations(name)["generation"].tolist())[:2]
    store.checks.add(campaign.id, [Check("gold", row, *pair, "1")])  # type: ignore[call-arg]
    [check] = store.checks.list_active(campaign.id)
    store.checks.answer(check.id, ada, Answer(Outcome.A), passed=True)
    store.connection.execute("INSERT INTO check_screens VALUES (?, ?, '1')", (check.id, ada))
    store.connection.execute(
        """INSERT INTO pair_screens SELECT q.id, ?, 0, q.generation_1 FROM campaign_pairs q
        JOIN campaign_attributes p ON p.id = q.campaign_attribute WHERE p.campaign = ? LIMIT 1""",
        (ada, campaign.id),
    )
    store.similarities.add([("a metric", *pair, 0.5)])
    store.scores.add(name, [Score("i0", "alpha", "coherence", "Ada", 1.0)])
    store.messages.send(campaign.id, "Thank you", by="test")
    store.campaigns.consent(campaign.id, ada, "Agreed?")
    store.connection.execute(
        """INSERT INTO promises (campaign, votes, stopping, attributes, judges, reason, votes_before,
        created_at) VALUES (?, 9, 'number', '[]', '[]', '', 0, 'now')""",
        (campaign.id,),
    )
    store.item_sets.save(name, "hard", ["i0"], search={}, by_answers=False, by="test")
    store.campaign_drafts.save(name, "Ada", "{}")
    access.open_crowd(store, "test", campaign, access.CrowdTerms())
    store.crowds.add_participant(campaign.id, store.people.of_judge(ada).id, "a hash", "", {})
    participant = store.crowds.participant(campaign.id, "a hash")
    store.crowds.answer(participant.id, "before", {"How old?": "30"})
    access.invite(store, "test", [f"Cleo of {name}"], LinkTerms(Role.ANNOTATOR, campaign.id))


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, without asking Tandem's own queries."""
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )]  # fmt: skip
        return {table: db.execute(f'SELECT * FROM "{table}"').fetchall() for table in tables}


def triggers(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as db:
        return dict(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))


def of(store: Store, name: str) -> list[pd.DataFrame]:
    """What the store says of a data set."""
    summary = store.datasets.summary()
    return [
        summary[summary["dataset"] == name].reset_index(drop=True),
        store.judgement_frames.load_exported(name),
        store.texts.generations(name),
        store.scores.load_all(name),
        store.runs.list_all(dataset=name),
    ]


FINAL = "judgements check_answers consents promises questionnaire_answers"


def test_all_of_a_data_set_goes_and_nothing_else(path: Path) -> None:
    """The log and the backup have what went, and what stays is as final as before."""
    before, guards = rows(path), triggers(path)
    assert not {*before} - {*_ROWS} - SHARED, "whose rows are these? deleting must know"
    with Store(path) as store:
        others = of(store, OTHER)
        gone = dataset_decisions.delete(store, "Grace", DATASET)
        assert store.connection.check()["ok"]
        assert store.datasets.names() == [OTHER]
        for kept, now in zip(others, of(store, OTHER), strict=True):
            pd.testing.assert_frame_equal(kept, now)
        assert kept_tally(store) == recounted_tally(store)
        assert kept_votes(store) == recounted_votes(store)
        judges = set(store.judges.load_all()["judge"])
        assert judges == {"Ada", "Bo", "baseline:longer"}  # Bo is a person
        log = store.audit.load_all().iloc[0]
        links = store.connection.rows(
            """SELECT p.name, i.campaign IS NULL, i.revoked_at IS NULL FROM invitations i
            JOIN people p ON p.id = i.person ORDER BY p.name"""
        )
    assert links == [(f"Cleo of {OTHER}", 0, 1), (f"Cleo of {DATASET}", 1, 0)]
    after = rows(path)
    for table in set(_ROWS) - {"leases", "repeats"}:
        assert 0 < len(after[table]) < len(before[table]) or table == "exclusions", table
        assert set(after[table]) < set(before[table])
    assert triggers(path) == guards
    with Store(path) as store:
        for table in FINAL.split():
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                store.connection.execute(f"DELETE FROM {table}")
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            store.connection.execute("DELETE FROM items")

    assert rows(gone.backup) == before
    entry = ["Grace", dataset_decisions.DELETED, DATASET]
    assert log[["who", "action", "subject"]].tolist() == entry
    details = json.loads(log["details"])
    # counted by hand: 3 items x 3 systems; both orders of 3 pairs of 3 items
    counts = {"items": 3, "systems": 3, "texts": 9, "votes": 2, "people": 2, "answers": 18}
    assert {name: details[name] for name in counts} == counts
    assert details["backup"] == str(gone.backup)
    assert dataset_decisions.describe_contents(gone.contents) == (
        "3 items, 3 systems, 9 texts, 2 votes of 2 people, 18 answers of 1 judge, 1 score, 2 runs, "
        "1 item set, 1 campaign"
    )


DYING = """
import os, sys
from core.importing import importer
from core.store import dataset_decisions
from core.store import Store
from core.store.connection import Connection
execute, done = Connection.execute, 0
def dying(self, sql, parameters=()):
    global done
    done += self._db.in_transaction
    if done == int(sys.argv[2]):
        os._exit(9)
    return execute(self, sql, parameters)
Connection.execute = dying
with Store(sys.argv[1]) as store:
    dataset_decisions.delete(store, "Grace", "tiny")
"""


OTHERS = [pytest.param(number, marks=pytest.mark.slow) for number in (3, 29)]


@pytest.mark.parametrize("statement", [14, *OTHERS])
def test_killed_midway_nothing_is_gone(path: Path, statement: int) -> None:
    """After the guards are down, amid the rows, and before the last of the guards is up again."""
    before, guards = rows(path), triggers(path)
    words = [sys.executable, "-c", DYING, str(path), str(statement)]
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 9
    with Store(path) as store:
        assert store.connection.check()["ok"]
    assert rows(path) == before
    assert triggers(path) == guards
    assert list(path.parent.glob("*before-deleting*"))


def test_nothing_goes_while_a_run_of_it_waits_or_without_a_backup(path: Path) -> None:
    nowhere = path.parent / "nowhere" / "b.sqlite3"
    with Store(path) as store:
        with pytest.raises(TandemError, match=f"{nowhere.parent}: create"):
            dataset_decisions.delete(store, "Grace", DATASET, nowhere)
        planning.enqueue(store, make("baseline:longer").spec, Request(DATASET))
        before, change = rows(path), {"question": "?"}
        with pytest.raises(TandemError, match=r"\b1 run of 'tiny'.*\bstop\b"):
            dataset_decisions.delete(store, "Grace", DATASET)
        with pytest.raises(TandemError, match=r"\b1 run of 'tiny'.*\bstop\b"):
            dataset_decisions.reword_attribute(store, "Grace", DATASET, "coherence", change)
        with pytest.raises(TandemError, match=r"'tidy'.*: other, tiny"):
            dataset_decisions.delete(store, "Grace", "tidy")
        assert rows(path) == before
        dataset_decisions.delete(store, "Grace", OTHER)


def test_other_words_are_kept_with_how_many_answered_the_old_ones(path: Path) -> None:
    change, question, guideline = dataset_decisions.reword_attribute, "Which is clearer?", "Read."
    with Store(path) as store:
        asked = {"question": question, "adjective": "coherence-ish"}
        for words, changed in (
            (asked, ["question"]), (asked, []), ({"guideline": guideline}, ["guideline"]),
        ):  # fmt: skip
            assert change(store, "Grace", DATASET, "coherence", words) == changed
        [attribute] = store.datasets.attributes(DATASET)
        assert (attribute.question, attribute.guideline) == (question, guideline)
        old = dataset_decisions.list_wordings(store, DATASET, attribute)
        # 2 votes, 18 answers of a judge, 1 score
        assert old[["answers", "adjective", "question", "guideline"]].to_numpy().tolist() == [
            [21, "coherence-ish", question, ""], [21, "coherence-ish", "", ""],
        ]  # fmt: skip
        assert dataset_decisions.list_wordings(store, OTHER, attribute).empty
        with pytest.raises(TandemError, match=r"unknown attribute 'style'.*: coherence"):
            change(store, "Grace", DATASET, "style", asked)

        dataset_decisions.rename(store, "G", DATASET, NEW)
        change(store, "G", NEW, "coherence", {"question": "Two?"})
        old = dataset_decisions.list_wordings(store, NEW, store.datasets.attributes(NEW)[0])
        assert old["question"].tolist() == [question, question, ""]


def test_a_data_set_is_described_otherwise(path: Path) -> None:
    with Store(path) as store:
        words = {"instructions": "Read both.", "context_noun": "story"}
        assert dataset_decisions.reword(store, "Grace", DATASET, words) == [*words]
        assert store.datasets.nouns(DATASET) == ("story", "summary")
        assert store.datasets.nouns(OTHER) == ("article", "summary")
        with pytest.raises(TandemError, match=r"context noun .*empty.*\barticle\b"):
            dataset_decisions.reword(store, "Grace", DATASET, {"context_noun": " "})


REFUSED = {
    " ": "cannot be empty",
    OTHER: f"'{OTHER}' already.*another name",
    DATASET: f"'{DATASET}' .*its name already",
    "a\x1b[2J": r"name 'a\\x1b\[2J' .*control character",
}


def test_a_renamed_data_set_keeps_what_it_has(path: Path) -> None:
    was = rows(path)
    with Store(path) as store:
        for name, said in REFUSED.items():
            with pytest.raises(TandemError, match=said):
                dataset_decisions.rename(store, "Grace", DATASET, name)
        assert rows(path) == was
        others, before = of(store, OTHER), of(store, DATASET)
        dataset_decisions.rename(store, "Grace", DATASET, f" {NEW} ")
        assert store.connection.check()["ok"]
        assert store.datasets.names() == [OTHER, NEW]
        for kept, now in zip(others, of(store, OTHER), strict=True):
            pd.testing.assert_frame_equal(kept, now)
        for frames in zip(before[:4], of(store, NEW)[:4], strict=True):
            kept, now = (frame.drop(columns="dataset", errors="ignore") for frame in frames)
            pd.testing.assert_frame_equal(kept, now)
        assert store.exclusions.kinds(NEW) == {"Bo": "human"}
        assert store.audit.load_all().iloc[0][["who", "subject"]].tolist() == ["Grace", NEW]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        texts = "".join(text for (text,) in db.execute("SELECT settings FROM runs"))
        assert f'"dataset": "{DATASET}"' not in texts


def test_the_same_request_continues_the_same_run_under_another_name(path: Path) -> None:
    """Four of six comparisons an item are drawn at random: by the new name others would be."""
    by = make("baseline:longer")
    with Store(path) as store:
        run = planning.enqueue(store, by.spec, Request(DATASET, "random", budget=4))
        execution.execute(store, run, by=by)
        planned = kept_votes(store)
        dataset_decisions.rename(store, "Grace", DATASET, NEW)
        again = Request(NEW, "random", budget=4)
        assert planning.enqueue(store, by.spec, again) == run
        assert kept_votes(store) == planned
        assert planning.preview_questions(store, again, 99)[0].text_a
        dataset_decisions.rename(store, "Grace", NEW, DATASET)
        assert store.datasets.origin(DATASET) == DATASET
        assert planning.enqueue(store, by.spec, Request(DATASET, "random", budget=4)) == run
        assert kept_votes(store) == planned


def test_a_file_is_known_under_another_name_and_new_to_a_new_data_set(tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("item,left,right,winner,judge\ni,x,y,a,Ada\nj,x,y,b,Ada\n")

    def added(store: Store, name: str) -> int:
        return importer.load(store, [votes], Dataset(name)).added["judgements"]

    with Store(tmp_path / "store.sqlite3") as store:
        assert added(store, "first") == 2
        dataset_decisions.rename(store, "Grace", "first", "second")
        assert [added(store, name) for name in ("second", "first")] == [0, 2]
        dataset_decisions.delete(store, "Grace", "second")
        [(source,)] = store.connection.rows("SELECT name FROM sources")
        assert source == "first/votes.csv"
        assert added(store, "second") == 2
        assert store.connection.check()["ok"]


def test_how_texts_are_shown_is_chosen_for_one_attribute_or_all(path: Path) -> None:
    with Store(path) as store:
        store.datasets.add_attributes(DATASET, [Attribute("brevity")])
        names = [attribute.name for attribute in store.datasets.attributes(DATASET)]
        choose = dataset_decisions.set_text_format
        assert choose(store, "Eve", DATASET, TextFormat.MARKDOWN, "brevity") == ["brevity"]
        assert choose(store, "Eve", DATASET, TextFormat.MARKDOWN) == names[:-1]
        assert choose(store, "Eve", DATASET, TextFormat.MARKDOWN) == []
        shown = {each.name: each.text_format for each in store.datasets.attributes(DATASET)}
        assert set(shown.values()) == {TextFormat.MARKDOWN}
        assert store.datasets.text_format(OTHER) is TextFormat.PLAIN
        log = store.audit.load_all()
        noted = log[log["action"] == dataset_decisions.FORMATTED]
        assert [json.loads(each)["attribute"] for each in noted["details"]].count("brevity") == 1
        assert len(noted) == len(names)
        with pytest.raises(TandemError):
            choose(store, "Eve", DATASET, TextFormat.PLAIN, "nothing")
        first = store.datasets.attributes(DATASET)[0]
        wordings = dataset_decisions.list_wordings(store, DATASET, first)
        assert wordings.empty  # no other words were asked
