"""Which addresses of servers can be asked, and what they are called."""

import re

import pytest

from core.models.respondent import Options
from core.models.served.endpoint import Endpoint
from core.models.served.providers import checked_url
from core.records import TandemError


class TestAddress:
    def test_is_kept_as_people_call_it(self) -> None:
        for url, kept, address in [
            ("", "", "api.openai.com"),
            ("https://api.openai.com/v1/", "", "api.openai.com"),
            ("http://localhost:11434/v1", "http://localhost:11434/v1", "localhost:11434"),
            ("http://10.0.0.7:8000/v1/", "http://10.0.0.7:8000/v1", "10.0.0.7:8000"),
            ("https://host/api/v1", "https://host/api/v1", "host/api"),
            ("http://[::1]:8080", "http://[::1]:8080", "[::1]:8080"),
        ]:
            endpoint = Endpoint("m", Options(base_url=url))
            assert (endpoint.base_url, endpoint.address) == (kept, address)

    def test_one_that_is_none_is_refused(self) -> None:
        for url in [
            "localhost:8000",
            "ftp://host/v1",
            "http://",
            "http://host:99999/v1",
            "http://host:0",
            "///",
            "http://[x",
            "http://\u200bhost/v1",
            "http://ho st/v1",
            "http://gpu 1:8000/v1",
            "http://gpu-1:8000/v1\nhttp://gpu-2:8000/v1",
        ]:
            said = rf"^base url {re.escape(ascii(url))} .*\baddress\b.* http://localhost:8000/v1$"
            with pytest.raises(TandemError, match=said):
                checked_url(url)

    def test_one_with_a_secret_in_it_is_refused_without_repeating_it(self) -> None:
        for url in [
            "http://me:secret@host/v1",
            "https://host/v1?api-key=secret",
            "http://h/#secret",
        ]:
            with pytest.raises(
                TandemError, match=r"^base url .*\baddress\b.*OPENAI_API_KEY$"
            ) as error:
                checked_url(url)
            assert "secret" not in str(error.value)
