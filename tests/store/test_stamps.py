"""What is computed of a data set is kept until its own answers change, whatever else is answered."""

from core.records import Answer, JudgeSpec, Kind, Outcome, Score
from core.store import Store
from tests.study import fill, judge


def comparison_in(study: Store, dataset: str) -> int:
    attribute = study.datasets.attribute_id(dataset, "coherence")
    pair = study.connection.rows(
        """SELECT min(g.id), max(g.id) FROM generations g JOIN items i ON i.id = g.item
        WHERE i.dataset = ? AND i.key = 'i0'""",
        (dataset,),
    )[0]
    study.judgements.add_comparisons(attribute, [pair])
    return study.judgements.comparison_id(attribute, *pair)


def test_an_answer_changes_the_stamp_of_its_data_set_alone(store: Store) -> None:
    for dataset in ("mine", "others"):
        fill(store, dataset=dataset)
    ada = judge(store)
    store.judges.add([JudgeSpec("expert", Kind.HUMAN)])

    def vote(dataset: str, outcome: Outcome = Outcome.A) -> int:
        row = store.judgements.add_vote(None, comparison_in(store, dataset), ada, Answer(outcome))
        assert row is not None
        return row

    def withdraw() -> None:
        assert store.judgements.withdraw(latest["mine"], ada)

    def mark(dataset: str) -> None:
        store.scores.add(dataset, [Score("i0", "alpha", "coherence", "expert", 3.0)])

    campaign = store.campaigns.add("mine", "more")
    latest = {dataset: vote(dataset) for dataset in ("mine", "others")}
    seen = [store.judgement_frames.stamp("mine")]
    for change, is_mine in (
        (lambda: store.judgements.withdraw(latest["others"], ada), False),
        (lambda: vote("others", Outcome.B), False),
        (lambda: mark("others"), False),
        (withdraw, True),
        (lambda: vote("mine"), True),  # the same answer anew: all counts are as before
        (lambda: mark("mine"), True),
        (lambda: store.campaigns.set_status(campaign.id, "paused"), True),
        (lambda: store.campaigns.set_status(campaign.id, "closed"), True),
    ):
        before = store.judgement_frames.stamp("mine")
        change()
        after = store.judgement_frames.stamp("mine")
        assert (after != before) == is_mine
        seen += [after] * is_mine
    assert len(set(seen)) == len(seen)
