"""Recipe texts and questions that were changed or made up: an answer, or one line, in bounded work."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from mutating import TOKENS, mutated_text
from trying import Fault, Surface, command, forked, held, same, warmed

from graphbrick import build, parse
from graphbrick.cli.app import main
from graphbrick.core.errors import PipelineError
from graphbrick.recipes import all_recipes
from graphbrick.testing import TINY

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
ANSWER = "Kenyan shilling"
_RECIPES = [
    "PPR(k=300) >> ShortestPaths(max_hops=2) >> Rerank(BM25(), n=32) >> PathAnswer()",
    "KHop(max_hops=2) >> PruneEdges(BM25(), n=8) >> ShortestPaths() >> PathAnswer()",
    "(PPR(k=9) | KHop()) >> (ShortestPaths() | AllPaths(max_hops=2)) >> Rerank(NGram(), n=4) >> PathAnswer()",
    "RandomWalk(walks=8, length=3, seed=1) >> PruneNodes(BM25(), n=4) >> BeamSearch(BM25()) >> PathAnswer()",
    "LinkLabels() >> Repeat(Expand() >> ShortestPaths(), until=EnoughPaths(n=2), at_most=3) >> PathAnswer()",
    "PageRank(k=5, restart=0.3) >> AllPaths(max_hops=3, cap=50) >> PathAnswer(min_confidence=0.1)",
    "Operators(Patterns(BM25(), max_hops=2)) >> PathAnswer()",
    "PPR(solver=FORA(epsilon=0.5), k=20) >> ShortestPaths() >> PathAnswer()",
]
_NUMBERS = ["0", "-1", "1", "2", "17", "0.5", "1e-9", "-0.0", "1e999", "nan", "None", "True", "'x'", "2147483648",
            "9" * 30, "9" * 5_000, "10**9", "[1]", "{}", "()", "b'x'", "...", "1_000", "0x10", "1j"]  # fmt: skip
_PIECES = [" >> ", " | ", "(", ")", ",", "=", "()", "**", "*", ":", "\n", "#", "'", '"', "\\", "lambda: 0", "f'{x}'",
           "__import__('os').system('touch broken')", "open('/etc/passwd')", "exec('1')", "x.y", "x[0]", "LLM()",
           "Generate(LLM())", "MiniLM()", "Repeat(", "until=", "n=", "k=", "-", "not ", "await x", "\u202e",
           "РPR()"]  # fmt: skip


def changed_recipe(draw: random.Random, text: str, bricks: list[str]) -> str:
    """Return a recipe text after changes of its parts and of its letters."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        words = _words(text)
        numbers = [at for at, word in enumerate(words) if word.isdigit()]
        names = [at for at, word in enumerate(words) if word[:1].isupper()]
        at, kind = draw.randrange(len(words)), draw.randrange(10)
        if kind < 3 and numbers:
            words[draw.choice(numbers)] = draw.choice(_NUMBERS) if draw.random() < 0.4 else str(draw.randint(0, 99))
        elif kind < 5 and names:
            words[draw.choice(names)] = draw.choice(bricks)
        elif kind == 5:
            words.insert(at, draw.choice(_PIECES))
        elif kind == 6:
            del words[at : at + draw.randint(1, 3)]
        elif kind == 7:
            words[at:at] = words[at : at + draw.randint(1, 12)] * draw.choice((1, 2, 30, 700))
        elif kind == 8:
            stages = text.split(" >> ")
            draw.shuffle(stages)
            words = [" >> ".join(stages)]
        else:
            words = [mutated_text(draw, text)]
        text = "".join(words)[:30_000] or "("
    return text


def _words(text: str) -> list[str]:
    """Return names, numbers, blanks and signs of a text, one after the other."""
    words = [""]
    for letter in text:
        if letter.isalnum() != words[-1][-1:].isalnum() or not letter.isalnum():
            words.append("")
        words[-1] += letter
    return words


class Recipes(Surface):
    """`graphbrick ask --pipeline` with a changed recipe over the tiny graph."""

    tries = 1_200

    def prepare(self) -> None:
        """Answer with every good recipe."""
        self.graph = build(TINY, self.folder / "tiny.graph").path
        self.bricks = sorted({word for text in _RECIPES for word in _words(text) if word[:1].isupper()})
        self.texts = [*_RECIPES, *(one.template for one in all_recipes().values())]
        for text in _RECIPES:
            warmed("ask", self.graph, QUESTION, "--pipeline", text)

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Read a recipe, write it and read that again; answer by it if it asks no language model."""
        text = changed_recipe(draw, draw.choice(self.texts if draw.random() < 0.2 else _RECIPES), self.bricks)
        done = held(forked(lambda: _read_twice(text)), (0, 1))
        if done.code:
            return "refused"
        if any(word in text for word in ("LLM", "MiniLM", "Path(", "path=", "SentenceTransformer", "CrossEncoder")):
            return "read"
        asked = held(command("ask", self.graph, QUESTION, "--seed", "Nairobi", "--pipeline", text), (0, 1, 2))
        same([entry.name for entry in work.iterdir()], [], "written by a recipe")
        return "asked" if asked.code != 1 else "refused when asked"


def _read_twice(text: str) -> int:
    """Read a recipe, and its text; return 1 if it is refused in one line."""
    try:
        pipeline = parse(text)
    except PipelineError as error:
        if "\n" in str(error) or len(str(error)) > 3_000:
            raise Fault(f"a message of {len(str(error))} characters") from error
        sys.stderr.write("error: refused\n")
        return 1
    assert parse(repr(pipeline)) == pipeline
    return 0


_STEPS = ["the capital of", "the country that borders", "the currency of", "whose capital is", "except", "more than",
          "the largest city of", "which countries", "how many", "and", "or", "not", "that is not", "is it true that",
          "the most", "the second", "before 1900", "between 3 and", "each", "all", "of", "in", "'s", "?", "(",
          ")"]  # fmt: skip


def made_question(draw: random.Random, labels: list[str]) -> str:
    """Return a question: words of the language in any order, letters of any script, brackets, names again and again."""
    kind = draw.randrange(7)
    if kind == 0:
        return mutated_text(draw, QUESTION)
    if kind == 1:
        pieces = [draw.choice((*labels, *_STEPS)) for _ in range(draw.choice((1, 3, 9, 40, 300, 2_000)))]
        return " ".join(pieces)
    if kind == 2:
        return f"{draw.choice((*labels, *_STEPS))} " * draw.choice((2, 30, 400, 1_500, 9_000))
    if kind == 3:
        blocks = ((0x20, 0x7F), (0xA0, 0x24F), (0x300, 0x36F), (0x400, 0x6FF), (0x900, 0x97F), (0x4E00, 0x4FFF),
                  (0x2000, 0x206F), (0x1F300, 0x1F6FF), (0, 0x1F), (0xD800, 0xDFFF), (0xE000, 0xE0FF))  # fmt: skip
        begin, end = draw.choice(blocks)
        letters = (chr(draw.randint(begin, end)) for _ in range(draw.choice((1, 5, 60, 2_000, 9_900, 40_000))))
        return "".join(letters) + draw.choice(("", " Kenya", "\n"))
    if kind == 4:
        n = draw.choice((3, 90, 3_000, 60_000))
        return draw.choice(("(", "[", '"', "((Kenya ", "a (b ", "«", "'", "\\", ")(")) * n + "Kenya" + ")" * n
    if kind == 5:
        return draw.choice(TOKENS).decode(errors="replace") * draw.choice((1, 3, 100)) + QUESTION
    letters = list(QUESTION)
    for _ in range(draw.randint(1, 9)):
        letters[draw.randrange(len(letters))] = draw.choice("abcxyz ?'-éß0")
    return "".join(letters)


class Questions(Surface):
    """`graphbrick ask` with a made-up question, over a learned graph and over one that is not; then a good question."""

    tries = 1_000

    def prepare(self) -> None:
        """Learn the tiny graph, and make another one whose labels are hostile too."""
        self.labels = sorted({end for head, _, tail in TINY for end in (head, tail)})
        learned = build(TINY, self.folder / "learned.graph").path
        held(command("learn", learned, "--questions", "200"), (0,))
        draw = random.Random(1)
        strange = [made_question(draw, self.labels)[:5_000] for _ in range(60)]
        lines = [(one, draw.choice(("r", "borders", "(")), draw.choice(strange)) for one in strange]
        clean = [tuple("".join(c for c in part if c.isprintable()).strip() or "x" for part in row) for row in lines]
        operators = ["--pipeline", "Operators(Patterns(BM25())) >> PathAnswer()"]
        self.graphs: dict[Path, list[str]] = {learned: []}
        for name, triples in (("tiny", TINY), ("strange", [*TINY, *clean])):
            self.graphs[build(triples, self.folder / f"{name}.graph").path] = operators
        self.known = {graph: self._answers(graph, options, QUESTION, [])[-1] for graph, options in self.graphs.items()}
        for graph, options in self.graphs.items():
            if options:  # a model of ONNX in this process would hang in the forks
                warmed("ask", graph, QUESTION, *options)
        same(self.known[learned], ANSWER, "the answer over the learned graph")

    def attempt(self, draw: random.Random, work: Path) -> str:
        """Ask a question, and then a good one in the same process."""
        graph = draw.choice(sorted(self.graphs))
        question, options = made_question(draw, self.labels), self.graphs[graph]
        first = ["--explain"] * (draw.random() < 0.3)
        outcome, answer = self._answers(graph, options, question, first)
        same(answer, self.known[graph], f"the answer to a good question after {question[:80]!a}")
        return outcome

    def _answers(self, graph: Path, options: list[str], question: str, first: list[str]) -> tuple[str, str]:
        """Ask a question and a good one in one process; return how the first one ended, and the good answer."""

        def ask() -> None:
            for own, text in ((first, question), ([], QUESTION)):
                with contextlib.suppress(SystemExit):
                    main(["ask", str(graph), *options, *own, "--", text])
                sys.stdout.write("\x1e")
                sys.stderr.write("\x1e")

        done = held(forked(ask), (0,))
        outcomes = list(self._checked(done.err, 2))
        return outcomes[0], done.out.split("\x1e")[-2].split("\n")[0]

    @staticmethod
    def _checked(err: str, number: int) -> Iterator[str]:
        """Yield how each question ended; raise `Fault` if it was not one line."""
        for text in err.split("\x1e")[:number]:
            errors = [line for line in text.splitlines() if line.startswith("error: ")]
            if len(errors) > 1 or len(text) > 6_000:
                raise Fault(f"{len(errors)} errors, {len(text)} characters: {text[:200]!r}")
            yield "refused" if errors else "answered"
