"""Reading recipe text: the same expressions as in Python, but nothing is ever evaluated.

Allowed are calls of known bricks with literal arguments or bricks as arguments, ``>>``, ``|`` and parentheses.
"""

from __future__ import annotations

import ast
import difflib
import warnings
from typing import NoReturn

from graphbrick.brick import Brick
from graphbrick.catalog import all_bricks, built_in
from graphbrick.errors import RecipeSyntaxError
from graphbrick.pipeline import Pipeline

_LONGEST = 20_000  # characters; a recipe is a line or two


def parse(text: str) -> Pipeline:
    """The pipeline that a recipe text describes.

    ``parse(repr(pipeline)) == pipeline`` for every pipeline.

    Raises:
        RecipeSyntaxError: The text is no pipeline expression; the error says where.
        PipelineError: The stages do not fit together, or a parameter is out of range.

    >>> parse("PPR(k=500) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()")
    PPR(k=500) >> ShortestPaths() >> Rerank(BM25(), n=8) >> PathAnswer()
    """
    value = _read(_expression(text))
    if not isinstance(value, Pipeline):
        raise RecipeSyntaxError(f"{value!r} is not a stage; use it inside one, such as Rerank({value!r})")
    return value


def parse_brick(text: str) -> Brick | Pipeline:
    """Like `parse`, but also reads a brick that is no stage, such as ``BM25(k1=1.2)``."""
    value = _read(_expression(text))
    assert isinstance(value, Brick | Pipeline)
    return value


def _expression(text: str) -> ast.expr:
    if not text.strip():
        raise RecipeSyntaxError("the pipeline is empty; try PPR(k=1000) >> ShortestPaths() >> PathAnswer()")
    if len(text) > _LONGEST:
        raise RecipeSyntaxError(f"the pipeline has {len(text):,} characters; at most {_LONGEST:,} are read")
    # Inside parentheses a recipe may run over several lines.
    source = f"({text}\n)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(source, mode="eval").body
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        lines = text.splitlines()
        where = f"column {max(1, column - (line == 1))}" if line <= len(lines) else "the end"
        at = f"line {line}, {where}" if len(lines) > 1 and line <= len(lines) else where
        raise RecipeSyntaxError(f"the pipeline cannot be read at {at}: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise RecipeSyntaxError(f"the pipeline cannot be read: {error}") from error


def _read(node: ast.expr) -> object:
    """The brick, pipeline or literal of one node."""
    try:
        return _node(node)
    except RecursionError as error:
        raise RecipeSyntaxError("the pipeline is nested too deeply") from error


def _node(node: ast.expr) -> object:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift | ast.BitOr):
        left, right = _stage(node.left), _stage(node.right)
        return left >> right if isinstance(node.op, ast.RShift) else left | right
    if isinstance(node, ast.Call):
        return _call(node)
    if isinstance(node, ast.Name):
        if node.id in all_bricks():
            _refuse(node, f"{node.id} lacks its parentheses; write {node.id}()")
        _unknown(node, node.id)
    return _literal(node)


def _stage(node: ast.expr) -> Pipeline:
    value = _node(node)
    if not isinstance(value, Pipeline):
        _refuse(node, f"{value!r} is not a stage, so it cannot stand beside >> or |")
    return value


def _literal(node: ast.expr) -> object:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _literal(node.operand)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_node(item) for item in node.elts)
    _refuse(node, f"{ast.unparse(node)[:60]!r} is not allowed; a pipeline holds only bricks, >>, | and literal values")


def _call(node: ast.Call) -> Brick:
    if not isinstance(node.func, ast.Name):
        _refuse(node, f"{ast.unparse(node.func)[:60]!r} is not the name of a brick")
    brick = built_in().get(node.func.id) or all_bricks().get(node.func.id)
    if brick is None:
        _unknown(node, node.func.id)
    names = [parameter.name for parameter in brick.parameters()]
    required = [parameter.name for parameter in brick.parameters() if parameter.default is None]
    if len(node.args) > len(names):
        _refuse(node, f"{brick.__name__} takes at most {len(names)} parameters, got {len(node.args)}")
    arguments: dict[str, object] = dict(zip(names, map(_node, node.args), strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or any(isinstance(arg, ast.Starred) for arg in node.args):
            _refuse(node, "* and ** are not allowed")
        if keyword.arg not in names:
            near = difflib.get_close_matches(keyword.arg, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names) or 'none'}"
            _refuse(keyword.value, f"{brick.__name__} has no parameter {keyword.arg!r}{hint}")
        if keyword.arg in arguments:
            _refuse(keyword.value, f"{brick.__name__} got {keyword.arg} twice")
        arguments[keyword.arg] = _node(keyword.value)
    missing = [name for name in required if name not in arguments]
    if missing:
        _refuse(node, f"{brick.__name__} needs {', '.join(missing)}")
    return brick(**arguments)


def _unknown(node: ast.expr, name: str) -> NoReturn:
    near = difflib.get_close_matches(name, list(all_bricks()), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(all_bricks())}"
    _refuse(node, f"there is no brick {name!r}; {hint}")


def _refuse(node: ast.expr, reason: str) -> NoReturn:
    # The text was wrapped in a parenthesis, which moves the first line by one.
    column = node.col_offset + (0 if node.lineno == 1 else 1)
    where = f"column {column}" if node.lineno == 1 else f"line {node.lineno}, column {column}"
    raise RecipeSyntaxError(f"{reason} (at {where})")
