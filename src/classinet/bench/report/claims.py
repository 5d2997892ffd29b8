"""What the paper says of its tables, judged by ours and by the paper's own numbers.

Enter: the results of the paper's study. Leave: one `Claim` a statement: held, did not hold, or could not be judged,
with the numbers that decide it. A statement about order is judged by the order of accuracies alone, as the paper does;
p beside it tells whether the same texts could show a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from classinet.bench.comparisons import Paired
from classinet.bench.published import LOCAL, PUBLISHED, TABLE_1, TABLE_2, TITLES
from classinet.bench.report.results import Results, p_text, percent
from classinet.bench.tables import MISSING, Table, plain_table

HELD, FAILED, UNKNOWN = "held", "did not hold", "could not be judged"
Accuracy = Callable[[str, str], "float | None"]


@dataclass(frozen=True)
class Statement:
    """A statement of the form: each of these methods is above each of those, on each of these tasks.

    Attributes
    ----------
    text : as the paper has it.
    tasks : where.
    above, below : methods.
    ties : whether equal accuracies are in accord with it.
    significant : whether p < 0.01 is claimed as well.
    """

    text: str
    tasks: tuple[str, ...]
    above: tuple[str, ...]
    below: tuple[str, ...]
    ties: bool = False
    significant: bool = False


@dataclass(frozen=True)
class Claim:
    """A statement, judged.

    Attributes
    ----------
    text : the statement.
    verdict : by our numbers: held, did not hold, or could not be judged.
    against : tasks that speak against it.
    numbers : for each task the weakest method that should be above and the strongest that should be below.
    in_paper : verdict by the numbers that the paper prints, and the tasks that speak against it.
    """

    text: str
    verdict: str
    against: tuple[str, ...]
    numbers: str
    in_paper: str


def _rest(methods: tuple[str, ...], but: str) -> tuple[str, ...]:
    return tuple(method for method in methods if method != but)


FOUR, OTHERS = TABLE_1.tasks, _rest(TABLE_1.methods, "global")
STATEMENTS = (
    Statement("Global is best on all four sets", FOUR, ("global",), OTHERS),
    Statement(
        "Global is significantly better than the second best on MR and CR",
        ("mr", "cr"), ("global",), OTHERS, significant=True,
    ),
    Statement("Global is better than every local method on all sets", FOUR, ("global",), LOCAL),
    Statement("No local method beats no expansion on SUBJ", ("subj",), ("none",), LOCAL, ties=True),
    Statement(
        "Independent is worse than no expansion on TR, CR and SUBJ", ("tr", "cr", "subj"), ("none",), ("independent",)
    ),
    Statement("SCL and CBOW beat the local methods †", FOUR, ("scl", "cbow"), LOCAL),
    Statement("FTS is worst †", FOUR, _rest(TABLE_1.methods, "fts"), ("fts",)),
    Statement("WordNet beats FTS in all cases †", FOUR, ("wordnet",), ("fts",)),
    Statement(
        "Global is significantly better than the sentence embeddings on MR and CR",
        ("mr", "cr"), ("global",), _rest(TABLE_2.methods, "global"), significant=True,
    ),
    Statement(
        "Skip-thought is best of table 2 on SUBJ and TREC",
        ("subj", "trec"), ("skip-thought",), _rest(TABLE_2.methods, "skip-thought"),
    ),
)  # fmt: skip


def claims(results: Results, corpus: str) -> list[Claim]:
    """Judge what the paper says by the scores of methods that learnt from a corpus.

    Examples
    --------
    >>> from classinet.bench.report.labels import Labels
    >>> found = claims(Results("paper", [], [], Labels({}, {})), "imdb")
    >>> found[0].verdict, found[0].in_paper, found[7].in_paper
    ('could not be judged', 'held', 'did not hold (MR)')
    """

    def ours(method: str, task: str) -> float | None:
        score = results.find(task, corpus, method)
        return None if score is None else score.accuracy.mean

    def test(task: str, first: str, second: str) -> Paired | None:
        return results.compared(task, corpus, first, second)

    return [_judged(statement, ours, test) for statement in STATEMENTS]


def claims_table(found: list[Claim], name: str = "claims") -> Table:
    """Return judged statements as a table.

    >>> claim = Claim("A is best", "did not hold", ("MR",), "MR 70.00 (A) against 80.00 (B)", "held")
    >>> claims_table([claim]).rows[0].entries[1].text
    'did not hold (MR)'
    """
    return plain_table(
        name,
        "Statements of the paper, judged",
        ["statement", "by our numbers", "weakest above against strongest below (%)", "by the paper's own table"],
        [[claim.text, _told(claim.verdict, claim.against), claim.numbers, claim.in_paper] for claim in found],
        [
            "Order is judged by accuracy alone, as in the paper; p is of the exact McNemar test on the same texts. The "
            "last column asks the numbers that the paper prints, where significance is taken as printed. In brackets: "
            "the sets that speak against a statement.",
            "† A remark in the source of the paper; the text says more cautiously that FTS performs poorly, WordNet "
            "much better than FTS, and SCL and CBOW competitively with Global.",
        ],
    )


def _judged(statement: Statement, ours: Accuracy, test: Callable[[str, str, str], Paired | None]) -> Claim:
    verdicts, numbers = [], []
    for task in statement.tasks:
        verdict, above, below = _order(statement, task, ours)
        title = task.upper()  # as the paper writes it
        if above is None or below is None:
            verdicts.append(verdict)
            numbers.append(f"{title} {MISSING}")
            continue
        compared = test(task, above[1], below[1])
        if verdict == HELD and statement.significant:
            verdict = UNKNOWN if compared is None else HELD if compared.significant else FAILED
        verdicts.append(verdict)
        chance = "" if compared is None else f", p {_equals(p_text(compared.p))}"
        numbers.append(
            f"{title} {percent(above[0], 2)} ({TITLES[above[1]]}) against {percent(below[0], 2)} "
            f"({TITLES[below[1]]}){chance}"
        )
    against = _against(statement, verdicts)
    return Claim(statement.text, _together(verdicts), against, "; ".join(numbers), _in_paper(statement))


def _order(
    statement: Statement, task: str, accuracy: Accuracy
) -> tuple[str, tuple[float, str] | None, tuple[float, str] | None]:
    """Return the verdict on one task, and the two methods that decide it, of those with a number."""
    sides = [
        [(value, method) for method in methods if (value := accuracy(method, task)) is not None]
        for methods in (statement.above, statement.below)
    ]
    above, below = min(sides[0], default=None), max(sides[1], default=None)
    if above is None or below is None:
        return UNKNOWN, above, below
    if above[0] < below[0] or (above[0] == below[0] and not statement.ties):
        return FAILED, above, below
    # A method without a number could still speak against the statement.
    whole = len(sides[0]) == len(statement.above) and len(sides[1]) == len(statement.below)
    return (HELD if whole else UNKNOWN), above, below


def _in_paper(statement: Statement) -> str:
    def printed(method: str, task: str) -> float | None:
        found = PUBLISHED.get((method, task))
        return None if found is None else found.accuracy

    verdicts = []
    for task in statement.tasks:
        verdict = _order(statement, task, printed)[0]
        if verdict == HELD and statement.significant and not PUBLISHED[statement.above[0], task].star:
            verdict = FAILED
        verdicts.append(verdict)
    return _told(_together(verdicts), _against(statement, verdicts))


def _against(statement: Statement, verdicts: list[str]) -> tuple[str, ...]:
    return tuple(task.upper() for task, verdict in zip(statement.tasks, verdicts, strict=True) if verdict == FAILED)


def _told(verdict: str, against: tuple[str, ...]) -> str:
    return verdict + (f" ({', '.join(against)})" if against else "")


def _together(verdicts: list[str]) -> str:
    return FAILED if FAILED in verdicts else UNKNOWN if UNKNOWN in verdicts else HELD


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"
