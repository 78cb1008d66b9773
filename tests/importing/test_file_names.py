"""Systems and tasks in the names of a study's files."""

from __future__ import annotations

from core.importing.layouts.rating_sets import StudyName, is_certain, split_after, split_name

GPT = "gpt-3.5_turbo_instruct"


def test_a_name_is_split_as_the_study_bears_out() -> None:
    for stem, others, systems, named in [
        # the public study's files
        ("vicuna-7b_gpt-3.5-turbo-instruct_cnn_dm", [], [], ("vicuna-7b", "gpt-3.5-turbo-instruct", "cnn_dm")),
        ("vicuna-7b_gpt-3.5-turbo-instruct_samsum", [], [], ("vicuna-7b", "gpt-3.5-turbo-instruct", "samsum")),
        # a name with joints in it: a known task goes first, then what other files or the study name
        (f"flan-t5-xxl_{GPT}_cnn_dm", [], [], ("flan-t5-xxl", GPT, "cnn_dm")),
        (f"flan-t5-xxl_{GPT}_cnn_dm", [f"vicuna-7b_{GPT}_samsum"], [], ("flan-t5-xxl", GPT, "cnn_dm")),
        (f"{GPT}_flan-t5-xxl_cnn_dm", [f"vicuna-7b_{GPT}_samsum"], [], (GPT, "flan-t5-xxl", "cnn_dm")),
        (f"{GPT}_flan-t5-xxl_cnn_dm", [], [GPT, "vicuna-7b"], (GPT, "flan-t5-xxl", "cnn_dm")),
        # a task that nobody knows, but other files end in
        ("a_1_b_2_my_task", ["a_1_c_my_task", "c_b_2_my_task"], [], ("a_1", "b_2", "my_task")),
        ("x_y_z", [], [], ("x", "y", "z")),
    ]:  # fmt: skip
        assert split_name(stem, others, systems) == StudyName(*named)


def test_too_few_parts() -> None:
    assert split_name("x_y") is None
    assert split_name("x__y") is None


def test_what_is_certain() -> None:
    assert is_certain("x_y_z")
    assert is_certain("vicuna-7b_gpt-3.5_cnn_dm")
    assert not is_certain(f"flan-t5-xxl_{GPT}_cnn_dm")


def test_systems_that_are_told() -> None:
    assert split_after("a_b_c_d", ["a_b", "c"]) == StudyName("a_b", "c", "d")
    assert split_after("a_b_c_d", ["b", "c"]) is None
