"""What a server tells of why a request came to nothing."""

from email.utils import formatdate

from core.models.served.server_errors import retry_after

NOW = 1_800_000_000.0


def test_retry_after() -> None:
    """RFC 9110, section 10.2.3: seconds or a date, and servers' fractions and milliseconds."""
    for headers, seconds in [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0),
        ({"retry-after": "soon"}, 0),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "nan"}, 0),
        ({"retry-after": "9" * 400}, 0),
        ({}, 0),
    ]:
        assert retry_after(headers, NOW) == seconds
