"""Judges that the workers of a cluster make: one that takes its time, and others that are deadly."""

import os
import time

from core.judging.judge import Judge
from core.records import Answer, JudgeSpec, Kind, Outcome

UNABLE = "the model is not there: fetch it"


class Slow(Judge):
    """Prefers A, fifty times a second."""

    spec = JudgeSpec("slow", Kind.LLM, "slow:test")

    def answers(self, questions):
        time.sleep(0.02 * len(questions))
        return [Answer(Outcome.A) for _ in questions]


class Deadly(Judge):
    """Prefers A. The process that reads of item 1 with gamma first ends at once."""

    spec = JudgeSpec("deadly", Kind.LLM, "deadly:test")

    def answers(self, questions):
        if any(q.text_a.startswith("gamma-1-") and "alpha" in q.text_b for q in questions):
            os._exit(9)
        return [Answer(Outcome.A) for _ in questions]


class Doomed(Judge):
    """The process that loads it ends at once."""

    spec = JudgeSpec("doomed", Kind.LLM, "doomed:test")

    def load(self):
        os._exit(9)

    def answers(self, questions):
        raise AssertionError("it was never loaded")


class Unable(Judge):
    """Cannot load."""

    spec = JudgeSpec("unable", Kind.LLM, "unable:test")

    def load(self):
        from core.records import TandemError

        raise TandemError(UNABLE)

    def answers(self, questions):
        raise AssertionError("it was never loaded")
