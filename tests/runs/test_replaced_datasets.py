"""A run whose data set goes while its judge still answers: nothing of it is kept for other texts."""

from __future__ import annotations

import pytest

from core.pairing.planning import Request, enqueue
from core.records import TandemError
from core.runs.execution import cancel, execute
from core.store import Store, dataset_decisions
from tests.asking import Moody
from tests.study import DATASET, fill


def test_what_a_judge_still_answers_is_not_kept_for_other_texts(study: Store) -> None:
    run = enqueue(study, Moody.spec, Request(DATASET))

    def meanwhile(batches: int) -> None:
        if batches == 1:
            with Store(study.path) as other:
                cancel(other, run)
                dataset_decisions.delete(
                    other, "test", DATASET, study.path.with_name("before.sqlite3")
                )
                fill(other)
                assert enqueue(other, Moody.spec, Request(DATASET)) != run

    with pytest.raises(TandemError, match=rf"^run {run} .*\bdeleted\b.*\bdata set\b"):
        execute(study, run, by=Moody(before=meanwhile))
    assert study.connection.value("SELECT count(*) FROM judgements") == 0
    assert study.connection.check()["ok"]


def test_an_export_is_of_one_data_set(study: Store) -> None:
    execute(study, enqueue(study, Moody.spec, Request(DATASET)), by=Moody())
    portions = study.judgement_frames.exported_portions(DATASET, size=5)
    assert len(next(portions)) == 5
    with Store(study.path) as other:
        dataset_decisions.delete(other, "test", DATASET, study.path.with_name("before.sqlite3"))
        fill(other)
        execute(other, enqueue(other, Moody.spec, Request(DATASET)), by=Moody())
    with pytest.raises(TandemError, match="begin again"):
        next(portions)
