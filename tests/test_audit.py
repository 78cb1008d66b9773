"""What is made of what pip-audit says."""

from tests.audit import verdict

WELL = {"name": "streamlit", "version": "1.67.0", "vulns": []}
ILL = {
    "name": "jinja2",
    "version": "3.1.3",
    "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["3.1.4"], "description": "..."}],
}
UNKNOWN = {"name": "torch", "skip_reason": "Dependency not found on PyPI"}


def test_a_vulnerability_fails_and_says_what_mends_it() -> None:
    status, sentence = verdict({"dependencies": [WELL, ILL, UNKNOWN]})
    assert status == 1
    assert "jinja2 3.1.3: PYSEC-2026-1, mended in 3.1.4" in sentence


def test_what_was_not_audited_is_not_called_clean() -> None:
    status, sentence = verdict({"dependencies": [UNKNOWN]})
    assert status == 0
    assert sentence.startswith("Not audited")
    status, sentence = verdict({"dependencies": [WELL, UNKNOWN]})
    assert status == 0
    assert sentence.startswith("1 of 2 packages have advisories that were read, and none")
