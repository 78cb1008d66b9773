"""Little files of votes in layouts found in the wild, and what a person who knows them reads there.

Every file is about a (first column) and b, under the names `vicuna` and `alpaca`, or about what
their columns are called. `votes` is what is true of them, one word a vote: `v>a` vicuna was
preferred, `v<a` alpaca was, `v=a` a tie, `v!a` both are bad, `v?a` no answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from core.importing import Codes

V, A = "vicuna", "alpaca"


@dataclass(frozen=True)
class Wild:
    """A file: read right as it is, or refused with `refused` in the sentence and then read right
    with `way`, where there is one.
    """

    name: str
    content: str | bytes
    votes: str
    refused: str = ""
    way: dict[str, Any] = field(default_factory=dict)
    kept: bool = True  # whether the way out is one of this importer's, and not another file


def codes(first: str = "", second: str = "", tie: str = "") -> dict[str, Any]:
    return {"codes": Codes(tuple(first.split()), tuple(second.split()), tuple(tie.split()))}


def pairs(winners: list[Any], column: str = "winner", sides: str = "model_a model_b") -> str:
    """JSON lines with an item, both systems, and a winner each."""
    first, second = sides.split()
    return "".join(
        json.dumps({"item": f"q{n}", first: V, second: A, column: winner}) + "\n"
        for n, winner in enumerate(winners)
    )


def csv(
    winners: list[Any], column: str = "winner", sep: str = ",", sides: str = "model_a model_b"
) -> str:
    rows = [sep.join((f"q{n}", V, A, str(winner))) for n, winner in enumerate(winners)]
    return "\n".join([sep.join(("item", *sides.split(), column)), *rows]) + "\n"


UNSURE = "mean is not certain"
ONE_HOT = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie"
PANDALM = {
    "motivation_app": "Grammarly", "instruction": "Rewrite.", "input": "A text.",
    "response1": "One text.", "response2": "Another text.",
}  # fmt: skip
ARENA = {
    "judge": "arena_user_973", "turn": 1, "anony": True, "language": "English",
    "tstamp": 1682351591.1, "toxic_chat_tag": {"roberta-large": {"flagged": False}},
}  # fmt: skip


def talk(answer: str, question: str = "Who?") -> list[dict[str, str]]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


FILES = [
    # ---- words that say who won
    Wild("model_a.csv", csv(["model_a", "model_b", "tie", "tie (bothbad)"]), "v>a v<a v=a v!a"),
    Wild("letters.csv", csv(["A", "B", "b", "Tie"]), "v>a v<a v<a v=a"),
    Wild("brackets.csv", csv(["[[A]]", "[[B]]", "[[C]]", "[[B]]"]), "v>a v<a v=a v<a"),
    Wild("names.csv", csv([V, A, "Alpaca", "tie"]), "v>a v<a v<a v=a"),
    Wild("left.csv", csv(["left", "right", "right"], "preference", sides="left right"), "v>a v<a v<a"),
    Wild("greater.csv", csv(["A>B", "B>A", "A=B", "B>>A"], "verdict"), "v>a v<a v=a v<a"),
    Wild("sentences.csv", csv(["A is better", "B is better", "B wins"]), "v>a v<a v<a"),
    Wild("ties.csv", csv(["tie", "draw", "equal", "same", "Tied", "both good", "a"]), "v=a v=a v=a v=a v=a v=a v>a"),
    Wild("answers.csv", csv(["Response A", "Response B", "response_b"]), "v>a v<a v<a"),
    Wild("blank.csv", csv(["a", "", "N/A", "b"]), "v>a v?a v?a v<a"),
    Wild("unknown.jsonl", pairs(["A", "I cannot choose.", "B", "B"]), "v>a v?a v<a v<a"),
    Wild("arena-hard.csv", csv(["[[A>>B]]", "[[B>A]]", "[[A=B]]", "[[B>>A]]"], "verdict"), "v>a v<a v=a v<a"),
    Wild("graded.csv", csv(["A is much better", "B is slightly better", "About the same"], "preference"), "v>a v<a v=a"),
    Wild("bad-ties.csv", csv(["tie (bothbad)", "Tie (Both Bad)", "tie_bothbad", "Both are good", "a"]), "v!a v!a v!a v=a v>a"),
    Wild("case.csv", csv(["VICUNA", "Alpaca"]), "v>a v<a"),
    Wild("skipped.csv", csv(["a", "skipped", "b"]), "v>a v?a v<a"),
    Wild("third.csv", csv([V, "koala", A]), "v>a v?a v<a"),
    Wild("text.csv", f"prompt,model_a,model_b,response_a,response_b,winner\nP,{V},{A},It is.,No.,It is.\nQ,{V},{A},Red,Blue,Blue\n",
         "v>a v<a"),
    Wild("letters-as-text.csv", f"item,model_a,model_b,response_a,response_b,winner\nq,{V},{A},B,A,A\n", "v>a",
         "mean sides or texts is not certain", {"codes": Codes(means="side")}),
    Wild("explained.csv", csv(['"A, as it is short"', '"B. It is right."', "B"]), "", "most answers", kept=False),
    # ---- columns in another order, and other separators
    Wild("swapped.csv", "winner,model_b,item,model_a\nmodel_a,alpaca,q,vicuna\nmodel_b,alpaca,r,vicuna\n", "v>a v<a"),
    Wild("semicolons.csv", csv(["a", "b", "b"], sep=";"), "v>a v<a v<a"),
    Wild("tabs.tsv", csv(["a", "b", "b"], sep="\t"), "v>a v<a v<a"),
    Wild("excel.csv", b"\xef\xbb\xbf" + csv(["A", "B", "B"], sep=";").replace("\n", "\r\n").encode(), "v>a v<a v<a"),
    Wild("sep.csv", "sep=;\r\n" + csv(["A", "B", "tie"], sep=";").replace("\n", "\r\n"), "v>a v<a v=a"),
    Wild("unicode.csv", csv(["A", "B", "tie"], sep="\t").encode("utf-16"), "v>a v<a v=a"),
    Wild("german.csv", "item;model_a;model_b;winner;prob_a\nq;vicuna;alpaca;model_a;0,75\nr;vicuna;alpaca;model_b;0,25\n", "v>a v<a"),
    Wild("sides.csv", f"item,system_left,system_right,winner\nq,{A},{V},right\nr,{V},{A},left\n", "v>a v>a"),
    Wild("pandas.csv", f",item,model_a,model_b,winner\n0,q,{V},{A},a\n1,r,{V},{A},b\n", "v>a v<a"),
    Wild("deutsch.csv", f"aufgabe;modell_a;modell_b;gewinner\nq;{V};{A};A\nr;{V};{A};B\n", "v>a v<a", "winner=gewinner",
         {"mapping": {"item": "aufgabe", "system_a": "modell_a", "system_b": "modell_b", "winner": "gewinner"}}),
    Wild("windows.csv", f"item,model_a,model_b,winner,comment\nq,{V},{A},a,sch\xf6n\n".encode("latin-1"), "", "as windows-1252 it reads 'schön'",
         kept=False),
    # ---- numbers, which say nothing by themselves
    Wild("0-1.csv", csv([0, 1, 1]), "v<a v>a v>a", UNSURE, codes("1", "0")),
    Wild("0-1-index.csv", csv([0, 1, 1], "label"), "v>a v<a v<a", UNSURE, codes("0", "1")),
    Wild("-1-0-1.csv", csv([-1, 0, 1, 1]), "v>a v=a v<a v<a", UNSURE, codes("-1", "1", "0")),
    Wild("1-0--1.csv", csv([1, 0, -1, -1]), "v>a v=a v<a v<a", UNSURE, codes("1", "-1", "0")),
    Wild("halves.csv", csv([1, 0.5, 0]), "v>a v=a v<a", UNSURE, codes("1", "0", "0.5")),
    Wild("halves-german.csv", csv(["1", "0,5", "0"], sep=";"), "v>a v=a v<a", UNSURE, codes("1", "0", "0.5")),
    Wild("1-2.csv", csv([1, 2, 2]), "v>a v<a v<a", UNSURE, codes("1", "2")),
    Wild("1-2-0.csv", csv([1, 2, 0]), "v>a v<a v=a", UNSURE, codes("1", "2", "0")),
    Wild("class-labels.csv", csv([0, 1, 2], "label"), "v>a v<a v=a", UNSURE, codes("0", "1", "2")),
    Wild("numbered.csv", csv([1, 2, 2], sides="model_1 model_2"), "v>a v<a v<a"),
    Wild("numbered-0.csv", csv([1, 2, 0], sides="model_1 model_2"), "v>a v<a v=a", UNSURE, codes("1", "2", "0")),
    Wild("ones.csv", csv([1] * 3), "v<a v<a v<a", UNSURE, codes("0", "1")),
    Wild("true.jsonl", pairs([True, False, True]), "v>a v<a v>a", UNSURE, codes("true", "false")),
    Wild("prefers.csv", csv([True, False, True], "prefers_a"), "v>a v<a v>a"),
    Wild("yes-no.csv", csv(["yes", "no"], "a_better"), "v>a v<a"),
    Wild("two-marks.csv", f"item;model_a;model_b;score_a;score_b\nq;{V};{A};3,5;2,0\n", "", "no winner column", kept=False),
    Wild("dash.csv", csv(["a", "-", "b"]), "v>a v=a v<a", "what '-' in column", codes("a", "b", "-")),
    Wild("win.csv", csv(["win", "lose", "tie"]), "v<a v>a v=a", UNSURE, codes("lose", "win")),
    Wild("likert.csv", csv([1, 7, 4, 5, 2], "rating"), "v>a v<a v=a v<a v>a", UNSURE,
         {"mapping": {"winner": "rating"}, **codes("1..4", "4..7", "4")}),
    Wild("strength.csv", csv([-3, 2, 0, 1], "preference"), "v>a v<a v=a v<a", UNSURE, codes("-3..0", "0..3", "0")),
    Wild("floats.jsonl", pairs([1.0, 1.99, 2.0, 1.2], "preference", "generator_1 generator_2"), "v>a v<a v<a v>a",
         UNSURE, codes("1..1.5", "1.5..2", "1.5")),
    # ---- words that are not known
    Wild("links.csv", csv(["links", "rechts", "rechts"]), "v>a v<a v<a", "most answers", codes("links", "rechts")),
    Wild("sideways.csv", csv(["A", "B", "sideways"]), "v>a v<a v?a"),
    Wild("neither.csv", csv(["A", "B", "neither"]), "v>a v<a v!a"),
    Wild("two.csv", "item,model_a,model_b,label,choice\nq,vicuna,alpaca,a,b\n", "v<a", "with map winner=label",
         {"mapping": {"winner": "choice"}}),
    Wild("confidence.csv", "item,model_a,model_b,winner,prob\nq,vicuna,alpaca,a,0.9\nr,vicuna,alpaca,b,0.9\n", "v>a v<a",
         "with map prob_a=", {"mapping": {"prob_a": ""}}),
    Wild("toggled.csv", "item,model_a,model_b,winner,swapped\nq,vicuna,alpaca,A,0\nr,vicuna,alpaca,A,1\n", "v>a v>a",
         "may be the text shown first or a column", codes("A", "B")),
    *(
        Wild(f"shown-{column}.csv", f"item,model_a,model_b,{column},winner\nq,{V},{A},{first},{word}\nr,{V},{A},{second},{word}\n", "v>a v>a",
             "may be the text shown first or a column", codes(word, "other"))
        for column, first, second, word in (
            ("left", V, A, "left"), ("left_model", V, A, "left"), ("flipped", False, True, "A"), ("is_reversed", 0, 1, "A"),
            ("presentation_order", "AB", "BA", "A"), ("a_is_left", 1, 0, "left"), ("first_model", V, A, "first"),
        )
    ),
    Wild("a_is_left-not.csv", f"item,model_a,model_b,a_is_left,winner\nq,{V},{A},1,left\n", "v>a", "may say where each was shown",
         {"mapping": {"shown_first": ""}}),
    Wild("shown-name.csv", f"item,model_a,model_b,left,winner\nq,{V},{A},{V},{V}\nr,{V},{A},{A},{V}\n", "v>a v>a"),
    Wild("order.csv", "item,model_a,model_b,winner,order\nq,vicuna,alpaca,model_a,1\nr,vicuna,alpaca,model_b,2\n", "v>a v<a"),
    # ---- one column an outcome
    Wild("lmsys.csv", f"{ONE_HOT}\n30192,{V},{A},P,one,two,1,0,0\n53567,{V},{A},Q,one,two,0,1,0\n65089,{V},{A},R,one,two,0,0,1\n",
         "v>a v<a v=a"),
    Wild("lmsys.parquet.jsonl", pairs([None, None]).replace('"winner": null', '"winner_a": false, "winner_b": true'), "v<a v<a"),
    Wild("probabilities.csv", f"{ONE_HOT}\n1,{V},{A},P,one,two,0.6,0.3,0.1\n", "", "neither yes nor no", kept=False),
    Wild("wins.csv", f"id,model_a,model_b,a_wins,b_wins,tie\n1,{V},{A},1,0,0\n2,{V},{A},0,1,0\n3,{V},{A},0,0,1\n", "v>a v<a v=a"),
    # ---- several judges a row
    Wild("two-judges.csv", f"item,model_a,model_b,ann,bob\nq,{V},{A},A,B\nr,{V},{A},B,tie\n", "v>a v<a v<a v=a", "winner:ann=ann",
         {"mapping": {"winner:ann": "ann", "winner:bob": "bob"}}),
    Wild("pandalm.json", json.dumps(
        [{"idx": 0, "cmp_key": f"{V}_{A}", **PANDALM, "annotator1": 2, "annotator2": 1, "annotator3": 0}]), "v<a v>a v=a"),
    Wild("pandalm-like.json", json.dumps(
        [{"idx": n, "pair": f"{V} vs {A}", "response1": "One text.", "response2": "Another.", "ann": n, "bob": 0} for n in (1, 2)]),
        "v>a v=a v<a v=a", "does not say which systems wrote its texts",
        {"mapping": {"systems": "pair", "winner:ann": "ann", "winner:bob": "bob"}, **codes("1", "2", "0")}),
    # ---- the Arena, MT-Bench, AlpacaEval
    Wild("arena.jsonl", "".join(json.dumps({
        "question_id": f"{n:032x}", "model_a": V, "model_b": A, "winner": winner, "conversation_a": talk("One."),
        "conversation_b": talk("Two."), **ARENA}) + "\n" for n, winner in enumerate(["model_a", "model_b", "tie (bothbad)"])),
        "v>a v<a v!a"),
    Wild("mtbench.jsonl", "".join(json.dumps({
        "question_id": 81, "model_a": V, "model_b": A, "winner": winner, "judge": judge, "conversation_a": talk("One."),
        "conversation_b": talk("Two."), "turn": 1}) + "\n" for winner, judge in (("model_b", "author_2"), ("tie", "expert_17"))),
        "v<a v=a"),
    Wild("alpaca_eval.json", json.dumps([{
        "instruction": f"Do {n}.", "output_1": "One.", "output_2": "Two.", "generator_1": V, "generator_2": A,
        "dataset": "helpful_base", "annotator": "alpaca_eval_gpt4", "preference": value} for n, value in enumerate((1.0, 2.0, 1.5))]),
        "v>a v<a v=a"),
    Wild("alpaca_eval_0.json", json.dumps([{
        "instruction": f"Do {n}.", "output_1": "One.", "output_2": "Two.", "generator_1": V, "generator_2": A,
        "annotator": "claude", "preference": value} for n, value in enumerate((1, 2, 0))]),
        "v>a v<a v=a", "from 1 to 2 in AlpacaEval: say format votes", {"layout": "votes", **codes("1", "2", "0")}),
    # ---- exports of tools, and tables without the systems' names
    Wild("label-studio.csv", "id,text1,text2,choice,annotator\n1,One.,Two.,left,3\n2,Three.,Four.,right,3\n", "v>a v<a",
         "no columns that name the two systems", {"systems": (V, A)}),
    Wild("label-studio.json", json.dumps([{"id": 1, "data": {"text1": "One."}, "annotations": [{"result": [
        {"value": {"selected": "left"}, "type": "pairwise"}]}]}]), "", "label-studio.json", kept=False),
    Wild("argilla.jsonl", json.dumps({"prompt": "P", "response-1": "One.", "response-2": "Two.", "preference": [
        {"user_id": "u", "value": [{"rank": 1, "value": "response-1"}]}]}) + "\n", "", "no columns that name the two systems",
        kept=False),
    Wild("ours.csv", "item,ours,baseline,preference\nq,One.,Two.,ours\nr,Three.,Four.,baseline\n", "v>a v<a", "ours.csv",
         {"mapping": {"text_a": "ours", "text_b": "baseline", "winner": "preference"}, "systems": ("ours", "baseline")}),
    Wild("chosen-model.jsonl", "".join(json.dumps({"prompt": p, "chosen": "Good.", "rejected": "Bad.", "chosen_model": one,
         "rejected_model": other}) + "\n" for p, one, other in (("P", V, A), ("Q", A, V))), "v>a v<a"),
    Wild("winner-loser.csv", f"item,winner,loser\nq,{V},{A}\nr,{A},{V}\n", "v>a v<a", "",
         {"mapping": {"system_a": "winner", "system_b": "loser", "winner": "winner"}}),
    Wild("zero-based.csv", "item,model_0,model_1,winner\nq,vicuna,alpaca,model_1\nr,vicuna,alpaca,model_0\n", "v<a v>a",
         "zero-based.csv", {"mapping": {"system_a": "model_0", "system_b": "model_1"}}),
]  # fmt: skip
