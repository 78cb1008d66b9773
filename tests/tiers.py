"""The two tiers of tests. The first is `./run test`, before every commit; `--all` adds the second.

CI runs the first tier, what of the second a change touches, and the journeys in a browser.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.layers import count_steps, read_tree
from tests.paths import ROOT

THOROUGH = (
    *("attacks", "bench", "coverage", "evidence", "faults", "fuzz", "models/cluster"),
    "models/local/test_loading.py",
    "runs/test_killed_runs.py",
    "runs/test_sorted_runs.py", "similarity/test_metrics_of_models.py",
    "importing/test_wild_files.py", "importing/test_cases.py", "pages/test_every_way.py",
    "pages/test_import_form.py", "pages/test_attacks.py", "test_deployment.py",
    "test_doors_agree.py", "test_package.py", "access/test_guessing.py",
    "campaigns/test_interleavings.py", "cli/test_faults.py",
    "importing/layouts/test_published_layouts.py", "importing/test_mirrored_winners.py",
    "judging/judges/test_local_classifier.py", "judging/judges/test_local_reply.py",
    "judging/test_squeezing.py", "models/local/test_encoder.py",
    "models/local/test_small_model.py", "pages/test_item_sets.py", "pages/test_one_verdict.py",
    "pages/test_separability_page.py", "pages/test_server_list.py", "pages/test_simulated.py",
    "reporting/test_report.py", "runs/test_served_runs.py", "test_additions.py",
    "test_app_server.py", "test_documented_tables.py", "test_frames.py",
    "test_golden_documents.py", "test_guides.py", "test_mutants.py", "test_platforms.py",
    "test_readme.py",
)  # fmt: skip
"""Folders and files of the second tier, below `tests`."""

LONG = frozenset(
    {
        "test_a_column_of_answers_is_read_by_name_and_words",
        "test_a_disk_that_is_full_or_read_only_is_said_everywhere_and_a_vote_is_pressed_again",
        "test_a_field_of_ten_megabytes",
        "test_a_file_of_which_some_rows_are_taken",
        "test_a_gzip_bomb",
        "test_a_long_and_a_wide_table_in_every_format",
        "test_a_model_that_follows_the_order_has_no_verdict_at_any_door",
        "test_a_name_that_is_also_a_word_is_what_the_other_rows_hold",
        "test_a_prompt_is_made_of_all_its_columns",
        "test_an_owner_lists_a_provider_by_a_choice_and_pairs_its_key_by_a_command",
        "test_as_many_votes_say_more_where_the_ranking_is_least_certain",
        "test_each_pair_is_drawn_as_often_as_its_probability_says",
        "test_each_reply_is_what_its_row_says",
        "test_examples_print_what_the_page_says",
        "test_export_and_import_give_the_same_figures_and_the_same_files",
        "test_few_or_no_judgements",
        "test_g_eval_is_the_expected_mark_of_a_plain_computation",
        "test_honest_judges_are_rarely_accused",
        "test_intervals_stay_in_their_range",
        "test_it_is_a_failure_of_that_question_alone",
        "test_it_is_chosen_once_and_taken_again",
        "test_judges_are_held_against_votes_and_against_themselves",
        "test_kappa_is_scikit_learns_and_no_name_changes_it",
        "test_killed_at_random_moments_it_ends_with_the_same_numbers",
        "test_killed_in_the_middle_and_repeated",
        "test_killed_it_goes_on_to_the_same_marks",
        "test_memory_does_not_grow_with_the_file",
        "test_names_and_words_keep_their_wins",
        "test_next_to_nothing",
        "test_no_interval_is_wider_than_from_votes_alone",
        "test_no_stated_reply_cut_anywhere_gives_another_verdict",
        "test_of_twenty_careful_people_anybody_is_named_in_at_most_one_study_of_twenty",
        "test_pages_are_worded_as_approved",
        "test_rank_by_every_method",
        "test_recorded_similarities_and_answers_are_what_the_encoder_gives",
        "test_report_and_notebook_say_it",
        "test_results_become_the_charts_of_the_pages",
        "test_results_of_tools_dry_and_counted_where_they_lie",
        "test_samples_differ_and_come_again",
        "test_settings_of_each_part_are_chosen_and_each_fails_alone",
        "test_stopped_after_any_chunk_and_repeated",
        "test_the_same_votes_in_another_order_or_spelling_are_the_same",
        "test_two_halves_are_the_whole",
        "test_what_rows_repeat_is_staged_as_if_each_were_read",
    }
)
"""Tests of other files that took 8 s or more each, or repeat at length what a shorter one shows."""

MARKS = ("browser", "weights", "shared", "slow")
"""What tests of the second tier need: a browser, real weights, published data sets, or time."""

JOURNEYS = tuple(
    f"pages/test_{name}.py" for name in ("journeys", "newcomer", "two_people", "wording")
)
"""Journeys in a browser and the words of pages, which CI takes whatever has changed."""

DOCUMENTED = tuple(
    f"tests/test_{name}.py" for name in ("documented_tables", "guides", "python_face", "readme")
)
"""Tests that run what documents say."""

MOST = 24
"""Test files that CI takes whole of what a change touches: those that most of it is nearest to. The
rest of a wide change is for `--all`.
"""

CLOSE = 2
"""Imports from a test file to what has changed, at most: itself, or a helper, imports it."""


def is_thorough(item: pytest.Item) -> bool:
    """Return whether a test is of the second tier."""
    if getattr(item, "originalname", "") in LONG:
        return True
    return any(map(item.get_closest_marker, MARKS)) or is_thorough_file(item.path)


def is_thorough_file(path: Path) -> bool:
    """Return whether all tests of a file are of the second tier."""
    below = path.relative_to(ROOT / "tests") if path.is_relative_to(ROOT / "tests") else path
    return path.suffix == ".py" and any(below.is_relative_to(part) for part in THOROUGH)


def list_changes(root: Path = ROOT) -> list[str]:
    """List files changed since $TANDEM_BASE: this branch's start, the last tag, or 20 commits."""
    base = (
        os.environ.get("TANDEM_BASE")
        or _ask_git(root, "merge-base", "origin/main", "HEAD")
        or _ask_git(root, "describe", "--tags", "--abbrev=0")
        or "HEAD~20"
    )
    changed = _ask_git(root, "diff", "--name-only", base).splitlines()
    return [path for path in changed if not _only_reads_differently(root, base, path)]


def _only_reads_differently(root: Path, base: str, path: str) -> bool:
    """Return whether a file's program is that of `base`, however it is laid out."""
    if not path.endswith(".py") or not (root / path).is_file():
        return False
    before = _ask_git(root, "show", f"{base}:{path}")
    if not before:
        return False
    folder = path.rpartition("/")[0]
    trees = [
        read_tree(source, folder) for source in (before, (root / path).read_text(encoding="utf-8"))
    ]
    for node in (node for tree in trees for node in ast.walk(tree)):
        for lines in (value for value in vars(node).values() if isinstance(value, list)):
            imports = [one for one in lines if isinstance(one, ast.Import | ast.ImportFrom)]
            rest = [one for one in lines if one not in imports]
            lines[:] = [*sorted(imports, key=ast.dump), *rest]
    one, other = map(ast.dump, trees)
    return one == other


def find_touched_tests(changed: Iterable[str], root: Path = ROOT) -> set[str]:
    """Find journeys, and the nearest test files that changed or import what has."""
    near: Counter[str] = Counter()
    for path in changed:
        if path.endswith(".md"):
            near.update(DOCUMENTED)
        if path.startswith("pages/"):  # Streamlit runs pages by their path: no test imports them
            words = _split_words(path)
            tests = (root / "tests" / "pages").glob("test_*.py")
            near.update(
                f"tests/pages/{test.name}" for test in tests if words & _split_words(test.name)
            )
        if path.endswith(".py") and (root / path).is_file():
            for file, steps in count_steps(root, path).items():
                near[file] += CLOSE + 1 - steps if steps <= CLOSE else 0
    touched = [name for name, _ in near.most_common() if Path(name).name.startswith("test_")]
    touched = [name for name in touched if near[name]]
    return {*touched[:MOST], *(f"tests/{name}" for name in JOURNEYS)}


def _split_words(path: str) -> set[str]:
    """Split a path into its words, but for those that all paths of pages have."""
    return set(re.split(r"[/_.]", path)) - {"pages", "components", "shared", "test", "page", "py"}


def _ask_git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
