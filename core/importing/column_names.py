"""Names of columns, by the field they fill, and words in a name that hint at answers, people and
prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache


@lru_cache(4096)
def normalise_name(name: str) -> str:
    """Return the name of a column as names are compared: without case, spaces and signs between
    words.
    """
    return re.sub(r"[\s_.\-]+", "", name.casefold())


def is_damaged(name: str, words: Iterable[str]) -> bool:
    """Return whether a name is one of these words but for a letter: one is too many or too few,
    another, or in another place. At least four letters are the same.
    """
    name = normalise_name(name)
    for each in map(normalise_name, words):
        same = sum(block.size for block in SequenceMatcher(None, name, each).get_matching_blocks())
        if name != each and same >= max(len(name), len(each), 5) - 1:
            return True
    return False


VERSUS = r"\svs\.?\s|[_-]vs[_-]"
"""What joins two systems in one cell, in any case."""
PAIRED = ("system", "text", "conversation", "winner", "wins")
PAIRS = tuple((f"{name}_a", f"{name}_b") for name in PAIRED)
"""Fields that come in twos."""
_FIRST = re.compile(
    r"left|first|[ax01](?=(?:_(?:source|name|model|response|output|answer|text))?$)"
)
_SECOND = {"left": "right", "first": "second", "a": "b", "x": "y", "0": "1", "1": "2"}


def _with_second(synonyms: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each field with its synonyms; the second of a pair is called as the first is, or as
    the word behind a stroke.
    """
    for name, words in synonyms.items():
        parts = [each.partition("/") for each in words.split()]
        yield name, tuple(first for first, *_ in parts)
        if name in {*dict(PAIRS), "sample_a", "length_a"}:
            second = (b or _FIRST.sub(lambda sign: _SECOND[sign[0]], a) for a, _, b in parts)
            yield f"{name[:-1]}b", tuple(second)


# What a column may be called, by the field it fills; the field's own name always counts. Names are
# compared by `normalise_name`.
SYNONYMS: dict[str, tuple[str, ...]] = dict(
    _with_second(
        {
            "item": "item_id id doc_id example_id question_id prompt_id instance case_id "
            "scenario_id eval_question_id query_id problem_id topic_id article_id segment_id "
            "sentence_id story_id",
            "context": "source input article document dialogue prompt question instruction src "
            "passage paragraph query instructions",  # as version 1.0 looked for them
            "system": "system_id model model_id generator system_name model_name",
            "text": "output generation response summary candidate system_output decoded answer "
            "prediction hypothesis completion",
            "sample": "sample_id sample_index",
            "reference": "references ref gold target",
            "subset": "task split language category dataset source",
            "family": "family_id template_id document_id passage_id",
            "system_a": "model_a left model_x system_x model_1 system_1 generator_1 a generator_a "
            "model_left system_left left_model left_system player_1 player_a team_1 team_a item_1 "
            "sys_1 sys_a item_a response_0_source system_1_name system_a_name model_1_name "
            "model_a_name first_model first_system response_a_model output_a_model answer_a_model "
            "completion_a_model response_1_model output_1_model answer_1_model completion_1_model "
            "model/opponent system/opponent player/opponent team/opponent name/opponent "
            "candidate/baseline model/baseline system/baseline",
            "systems": "pair matchup model_pair system_pair comparison",
            "text_a": "response_a output_a answer_a output_1 response_1 text_left summary_a "
            "text_1 answer_1 summary_1 completion_a response_0 answer_0 output_0 completion_0 "
            "reply_a generation_a story_a translation_a model_1_response model_1_output "
            "model_1_answer model_1_text model_a_response model_a_output model_a_answer "
            "model_a_text system_1_output system_1_response system_a_output system_a_response "
            "first_text first_response first_output first_answer response/baseline_model_response "
            "candidate_response/baseline_response candidate_output/baseline_output "
            "output/baseline_output",
            "conversation_a": "messages_a conversation_1 messages_1",
            "sample_a": "",
            "length_a": "len_a len_1 length_1",
            "winner": "preference label choice verdict vote preferred outcome overall_preference "
            "winner_index winner_idx",
            "winner_a": "winner_model_a",
            "winner_tie": "is_tie is_draw tied",
            "winner_swapped": "",
            "winner_both_bad": "winner_bothbad winner_tie_bothbad",
            "wins_a": "win_1 wins_1 win_a wins_model_a n1 count_a votes_a votes_1 wins/losses "
            "win/loss won/lost n_wins/n_losses num_wins/num_losses model_a_wins/model_b_wins "
            "a_wins/b_wins",
            "wins_tie": "ties draws tie_count tie draw tied drawn n_ties num_ties n_draws",
            "rank": "",
            "judge": "judge_id worker worker_id annotator rater user annotator_id annotator_index "
            "judge_name evaluator ranker voter participant participant_id respondent email "
            "email_address",
            "judge_kind": "kind",
            "attribute": "dimension criterion aspect metric",
            "prob_a": "p_a probability prob p",
            "shown_first": "first_shown first order presentation_order display_order first_model "
            "first_system left left_model left_system model_left system_left",
            "swapped": "toggle swap is_swapped flipped is_flipped flip reversed is_reversed",
            **dict.fromkeys(("order_known", "failure", "strength", "confidence"), ""),
            "comment": "reason rationale explanation",
            "seconds": "",
            "text_format": "",
            "raw": "raw_answer",
            "created_at": "tstamp timestamp time date voted_at submitted_at answered_at "
            "annotated_at rated_at judged_at",
        }
    )
)

_INSTRUCTION, _ASKED = ("instruction", "instructions"), ("question", "query", "prompt")
PROMPT_PARTS = (
    _INSTRUCTION,
    ("context", *(set(SYNONYMS["context"]) - {"source", "input", *_INSTRUCTION, *_ASKED})),
    ("input",),
    _ASKED,
)
"""Columns that make a prompt together, one of each line, in the order in which they are shown.
Beside these `source` says where the prompt comes from.
"""

# Columns that name the winner and the loser of a row, in the order they are looked for. `won` and
# `lost` are left out: league tables count with them. So are TRL's `chosen` and `rejected`: texts.
_SORTS = ("", "_name", "_id", "_system", "_model", "_item")
WINNERS_LOSERS = tuple(
    (winner, loser)
    for pair in (
        *(f"winner{sort} loser{sort}" for sort in _SORTS),
        *(f"winning{sort} losing{sort}" for sort in _SORTS),
        *(f"preferred{sort} rejected{sort}" for sort in _SORTS),
        "winning loser", "better worse", "better_id worse_id", "preferred other",
        "chosen_id rejected_id", "chosen other", "selected rejected", "selected other",
    )
    for winner, loser in [map(normalise_name, pair.split())]
)  # fmt: skip
CHOSEN = re.compile("chosen|preferred|selected")
"""Words in the name of a column of winners; that of losers has a `not` before it."""
DRAWS = ("draw", "tie", "drawn", "winner_tie", *SYNONYMS["winner_tie"])
"""Flags beside winners and losers: in a row without a winner, either system comes first."""


def _find_words(field: str, *others: str, without: str = "") -> re.Pattern[str]:
    names = set(SYNONYMS[field]) - set(without.split())
    return re.compile("|".join([*sorted(names), *others]))


ANSWER = _find_words(
    "winner", "pref", "favou?r", "chos|choos|select|accept|pick", "better|best|winn?(er|s)?",
    "answer|decision|judge?ment|result|gold", "rating|score", "^pw$",
)  # fmt: skip
RATER = _find_words(
    "judge", "annotated_?by|annotateur|anotador|аннотатор|标注", "coder|assessor|reviewer|评审",
    "label?ler|judge(?!ment)|expert_?(id|name)|e-?mail|user_?(id|name)",
    "bewerter|gutachter|évaluateur|evaluador|評価者|оценщик", without="user",
)  # fmt: skip
PROMPT = _find_words(
    "context", "^doc$", "source_text", "frage|aufgabe|consigne|pregunta|问题|提示|質問|вопрос",
    without="source input src",
)  # fmt: skip
TEXT = _find_words(  # MTurk puts `Answer.` before what a worker said
    "text", "reply|story|translation|utterance", r"answer(?!\.)", without="answer"
)
PREFERENCE = re.compile("prefer|favou?r|better|best|winn|choice|chos|verdict|vote|which")
REMARK = re.compile(
    r"(?<![a-z])(comments?|remarks?|notes?|feedback|reasons?|explanations?|justification)(?![a-z])"
)
MARK = re.compile("score|rating|grade|quality|rank$|^rank")
TIMES = re.compile(
    "n|times|counts?|weights?|freq(uency)?|((n|num|no|number|total)_?(of_)?)?"
    "(votes|answers|annotators|raters|voters|judge?ments|ratings)(_?counts?)?|vote_?counts?"
)
COUNTING = re.compile("(^|_)((in)?valid|spam|ignored?|discard(ed)?|excluded?)$")
"""Words in the names of columns, in small letters."""
