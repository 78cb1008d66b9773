"""Servers that draw their replies when they are asked to in their own way, and one that never does."""

from __future__ import annotations

from itertools import product

import pytest

from core.models.respondent import Options
from core.models.served.concurrent_requests import wait_for
from core.models.served.endpoint import Endpoint
from core.models.served.sampling_ways import OPEN_QUESTION, PROBES
from tests.server import Server


def endpoint_of(server):
    return Endpoint("fake", Options(base_url=server.url, timeout=5.0), backoff=0.001)


def texts(endpoint, temperature, n=4, prompt="Which one?"):
    asked = endpoint.complete(
        [{"role": "user", "content": prompt}], max_tokens=9, temperature=temperature, n=n
    )
    return [choice.text for choice in wait_for(asked).choices]


def test_each_is_asked_in_the_way_in_which_it_draws(subtests: pytest.Subtests) -> None:
    for draws_by, several in product(
        ["temperature", "seed", "do_sample", "generation_config"], [True, False]
    ):
        with subtests.test(draws_by=draws_by), Server(draws_by=draws_by, several=several) as server:
            endpoint = endpoint_of(server)
            assert endpoint.samples()
            prompt = OPEN_QUESTION[0]["content"]
            assert len(set(texts(endpoint, 0.7, prompt=prompt))) > 1
            # The same question has the same seeds, so that a run that is repeated hears the same.
            assert not (draws_by == "seed" and texts(endpoint, 0.7) != texts(endpoint, 0.7))
            server.forget()
            texts(endpoint, 0.0)
            assert not any({"seed", "do_sample", "generation_config"} & set(r) for r in server.seen)


def test_the_usual_way_costs_one_request_where_the_server_writes_several() -> None:
    with Server() as server:
        assert endpoint_of(server).samples()
        assert [request["n"] for request in server.seen] == [PROBES]


def test_one_that_never_draws_is_found_out() -> None:
    with Server(draws_by="") as server:
        endpoint = endpoint_of(server)
        assert not endpoint.samples()
        server.forget()
        texts(endpoint, 0.7)
        assert set(server.seen[0]) == {"model", "messages", "temperature", "max_tokens", "n"}


def test_what_a_server_refuses_is_no_way() -> None:
    for refused in [["do_sample"], ["seed", "do_sample", "generation_config"]]:
        with Server(draws_by="generation_config", refuses=refused) as server:
            assert endpoint_of(server).samples() == (len(refused) == 1)


def test_where_nothing_is_written_nothing_is_known_against_it() -> None:
    """Models that think first spend the few tokens of the question on that."""
    for reply in ["", "refusal"]:
        with Server(open_reply=reply) as server:
            assert endpoint_of(server).samples()
