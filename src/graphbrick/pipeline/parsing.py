"""Reader of recipe text: the same expressions as in Python, but nothing is ever evaluated.

Allowed are calls of known bricks with literal arguments or bricks as arguments, ``>>``, ``|`` and parentheses.

The module is not called ``parse``, because importing it would then hide the function of that name in the package.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

from graphbrick.core.errors import PipelineError, RecipeSyntaxError, TextPlace, shown
from graphbrick.core.files.locks import AST
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.catalog import lookup, names, nearest, unknown

_LONGEST = 20_000  # characters; a recipe is a line or two


def parse(text: str) -> Pipeline:
    """Return the pipeline that a recipe text describes.

    ``parse(repr(pipeline)) == pipeline`` for every pipeline.

    Raises:
        RecipeSyntaxError: The text is not a pipeline expression; the error says where.
        PipelineError: The stages do not fit together, or a parameter is out of range.

    >>> parse("PPR(k=500) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()")
    PPR(k=500) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()
    """
    if not isinstance(text, str):
        raise RecipeSyntaxError(f"a recipe must be a text, got {shown(text)}", code="recipe.not_text")
    value = parse_brick(text)
    if not isinstance(value, Pipeline):
        raise RecipeSyntaxError(
            f"{shown(value)} is a model, not a stage; use it inside one, as in Rerank(BM25()) or Generate(LLM())",
            code="recipe.model_alone",
            value=shown(value),
        )
    return value


def parse_brick(text: str, *, bricks: Mapping[str, type[Brick]] | None = None) -> Brick | Pipeline:
    """Like `parse`, but also read a brick that is not a stage, such as ``BM25(k1=1.2)``.

    Args:
        text: Recipe text.
        bricks: Bricks by name that are not installed.
    """
    return _Reader(text, bricks or {}).read()


class _Reader:
    """Reader of one recipe text.

    Args:
        text: Recipe text.
        extra: Bricks by name in addition to the catalogue.
    """

    def __init__(self, text: str, extra: Mapping[str, type[Brick]]) -> None:
        self._extra = extra
        self._lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        # Inside parentheses a recipe may run over several lines.
        self._source = "(" + "\n".join(self._lines) + "\n)"
        if not text.strip():
            raise RecipeSyntaxError(
                "the pipeline is empty; try PPR(k=1000) >> ShortestPaths() >> PathAnswer()", code="recipe.empty"
            )
        if len(text) > _LONGEST:
            raise RecipeSyntaxError(
                f"the pipeline has {len(text):,} characters; at most {_LONGEST:,} are read",
                code="recipe.too_long",
                size=len(text),
                at_most=_LONGEST,
            )

    def read(self) -> Brick | Pipeline:
        """Return the brick or pipeline that the text describes."""
        try:
            value = self._node(self._expression())
        except (RecursionError, MemoryError) as error:  # of the parser of Python, too
            raise RecipeSyntaxError(
                "the pipeline has too many stages, or is nested too deeply, to be read", code="recipe.too_deep"
            ) from error
        if not isinstance(value, Brick | Pipeline):
            raise RecipeSyntaxError(
                f"{shown(value)} is not a pipeline; try PPR(k=1000) >> ShortestPaths() >> PathAnswer()",
                code="recipe.not_a_pipeline",
                value=shown(value),
            )
        return value

    def _expression(self) -> ast.expr:
        try:
            with AST, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about the style of the text
                body = ast.parse(self._source, mode="eval").body
        except SyntaxError as error:
            line, column = error.lineno or 1, (error.offset or 1) - 1
            # The fault is in the parentheses put around the text: the first is not closed, or the last is one too many.
            outside = line > len(self._lines) or (line, column) == (1, 0)
            where = "the end" if outside else self._where(line, column)
            text = f"the pipeline cannot be read at {where}: {error.msg}"
            failure = RecipeSyntaxError(text, code="recipe.syntax", where=where, reason=error.msg)
            failure.place = self._end() if outside else self._place(line, column, line, column + 1)
            raise failure from error
        except ValueError as error:
            raise RecipeSyntaxError(f"the pipeline cannot be read: {error}", code="recipe.unreadable") from error
        if (body.lineno, body.col_offset) == (1, 0) and not isinstance(body, ast.Tuple | ast.GeneratorExp):
            # The parenthesis put before the text was closed inside it, as in "PPR()) | (PPR()".
            raise RecipeSyntaxError(
                "the pipeline cannot be read: it closes a parenthesis that was never opened",
                code="recipe.unopened_parenthesis",
            )
        return body

    def _where(self, line: int, column: int) -> str:
        """Convert a source place (line from 1, column from 0) to a place in the text, both from 1."""
        column += line > 1
        return f"line {line}, column {column}" if len(self._lines) > 1 else f"column {column}"

    def _place(self, line: int, column: int, end_line: int, end_column: int) -> TextPlace:
        """Convert places in the source, columns from 0, to a part of the text."""
        return TextPlace(line, column + (line > 1), end_line, end_column + (end_line > 1))

    def _end(self) -> TextPlace:
        line, column = len(self._lines), len(self._lines[-1]) + 1
        return TextPlace(line, column, line, column)

    def _place_of(self, node: ast.expr | ast.keyword) -> TextPlace:
        """Return the part of the text that a node was read from."""
        lines = self._source.split("\n")
        column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._place(node.lineno, column, end_line, len(lines[end_line - 1].encode()[:end_offset].decode()))

    def _refuse(self, node: ast.expr | ast.keyword, reason: str, *, code: str, **values: object) -> NoReturn:
        before = self._source.split("\n")[node.lineno - 1].encode()[: node.col_offset]
        where = self._where(node.lineno, len(before.decode()))
        failure = RecipeSyntaxError(f"{reason} (at {where})", code=code, where=where, **values)
        failure.place = self._place_of(node)
        raise failure

    @contextmanager
    def _placed(self, node: ast.expr) -> Iterator[None]:
        """Add the place of a node to errors about its value."""
        try:
            yield
        except PipelineError as error:
            error.place = error.place or self._place_of(node)
            raise

    def _node(self, node: ast.expr) -> object:
        """Return the brick, pipeline or literal of one node."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift | ast.BitOr):
            left, right = self._node(node.left), self._node(node.right)
            if isinstance(node.op, ast.BitOr) and isinstance(left, Brick) and isinstance(right, Brick):
                # Extractors of graphs from text are not stages, but are united in the same way.
                united = left.__or__(right) if hasattr(left, "__or__") else NotImplemented
                if united is not NotImplemented:
                    return united
            left, right = self._stage(node.left, left), self._stage(node.right, right)
            with self._placed(node.right):
                return left >> right if isinstance(node.op, ast.RShift) else left | right
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Name):
            if self._find(node.id) is not None:
                self._refuse(
                    node, f"{node.id} needs parentheses; write {node.id}()", code="recipe.no_parentheses", brick=node.id
                )
            self._unknown(node, node.id)
        return self._literal(node)

    def _stage(self, node: ast.expr, value: object) -> Pipeline:
        if not isinstance(value, Pipeline):
            reason = f"{shown(value)} is not a stage, so it cannot stand beside >> or |"
            self._refuse(node, reason, code="recipe.not_a_stage", value=shown(value))
        return value

    def _literal(self, node: ast.expr) -> object:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | None):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = self._literal(node.operand)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self._node(item) for item in node.elts)
        text = ast.unparse(node)[:60]
        reason = f"{text!r} is not allowed; a pipeline holds only bricks, >>, | and literal values"
        self._refuse(node, reason, code="recipe.not_allowed", expression=text)

    def _call(self, node: ast.Call) -> Brick:
        if not isinstance(node.func, ast.Name):
            text = ast.unparse(node.func)[:60]
            self._refuse(node, f"{text!r} is not the name of a brick", code="recipe.not_a_name", expression=text)
        brick = self._find(node.func.id)
        if brick is None:
            self._unknown(node, node.func.id)
        parameters = brick.parameters()
        names = [parameter.name for parameter in parameters]
        if len(node.args) > len(names):
            reason = f"{brick.__name__} takes at most {len(names)} parameters, got {len(node.args)}"
            self._refuse(node, reason, code="recipe.too_many_parameters", at_most=len(names))
        arguments: dict[str, object] = dict(zip(names, map(self._node, node.args), strict=False))
        for keyword in node.keywords:
            if keyword.arg is None:
                self._refuse(keyword, "* and ** are not allowed", code="recipe.starred")
            if keyword.arg not in names:
                near = difflib.get_close_matches(keyword.arg, names, n=1)
                hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names) or 'none'}"
                reason = f"{brick.__name__} has no parameter {shown(keyword.arg, 80)}{hint}"
                self._refuse(keyword, reason, code="recipe.no_parameter", name=keyword.arg, near=near)
            if keyword.arg in arguments:
                self._refuse(
                    keyword, f"{brick.__name__} got {keyword.arg} twice", code="recipe.twice", name=keyword.arg
                )
            arguments[keyword.arg] = self._node(keyword.value)
        missing = [p.name for p in parameters if p.default is None and p.name not in arguments]
        if missing:
            self._refuse(
                node, f"{brick.__name__} needs {', '.join(missing)}", code="recipe.missing_parameter", names=missing
            )
        with self._placed(node):
            return brick(**arguments)

    def _find(self, name: str) -> type[Brick] | None:
        return self._extra.get(name) or lookup(name)

    def _unknown(self, node: ast.expr, name: str) -> NoReturn:
        if name == "Apply":
            self._refuse(
                node,
                "Apply holds a Python function, which recipe text cannot name; build the pipeline in Python, or write "
                "the function as a brick (CONTRIBUTING.md)",
                code="recipe.apply",
            )
        known = [*names(), *self._extra]
        self._refuse(node, unknown(name, known), code="recipe.no_brick", name=name, near=nearest(name, known))
