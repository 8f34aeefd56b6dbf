"""Small changes of Python code that tests should notice, found in its syntax tree."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<", ast.And: "or", ast.Or: "and",
}  # fmt: skip
_SQL = re.compile(r"\b(SELECT|INSERT|DELETE|UPDATE|CREATE|PRAGMA)\b")
_SQL_WORDS = {"IGNORE": "REPLACE", "ASC": "DESC", "DESC": "ASC", "AND": "OR", "MIN": "MAX", "MAX": "MIN", "=": "!="}
_COMPILED = {"jit", "inlined", "njit", "vectorize"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        path: The file, from the root of the tree.
        begin: Where the replaced bytes begin in the text as UTF-8.
        end: Where they end.
        text: What stands there instead.
        name: The file, and the changed line before and after.
        scope: Name of the function or class that is changed; empty outside of both.
    """

    path: Path
    begin: int
    end: int
    text: str
    name: str
    scope: str

    def changed(self, source: str) -> str:
        """Return the text of the file with the change."""
        data = source.encode()
        return (data[: self.begin] + self.text.encode() + data[self.end :]).decode()


def mutants_of(path: Path, source: str) -> list[Mutant]:
    """Return all mutants of a file, in the order of its text.

    Left out are annotations, decorators, docstrings, code for type checkers only, and compiled functions, whose tests
    would compile for a minute; in files with compiled functions also the constants, which other kernels have compiled
    in. Left out is also ``strict=True``, which like an assertion asserts what always holds; and None for a returned
    True, False or number, where another constant is returned instead.

    >>> [mutant.text for mutant in mutants_of(Path("a.py"), "def f(a):\\n    return a < 3\\n")]
    ['return None', ' <= ', '4']
    """
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    unique = {(mutant.begin, mutant.end, mutant.text): mutant for mutant in finder.mutants}
    return [unique[place] for place in sorted(unique)]


class _Finder(ast.NodeVisitor):
    """Collects mutants."""

    def __init__(self, path: Path, source: str) -> None:
        self._path, self._data, self._scopes = path, source.encode(), list[str]()
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._has_kernels = bool(re.search(r"^@(jit|inlined|numba)", source, re.MULTILINE))
        self.mutants = list[Mutant]()

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        begin, end = self._span(node)
        return self._data[begin:end].decode()

    def _add(self, begin: int, end: int, text: str) -> None:
        first = self._data.rfind(b"\n", 0, begin) + 1
        last = self._data.find(b"\n", end)
        lines = (
            self._data[first:last].decode(),
            (self._data[first:begin] + text.encode() + self._data[end:last]).decode(),
        )
        name = f"{self._path}: {' => '.join(' '.join(part.split()) for part in lines)}"
        self.mutants.append(Mutant(self._path, begin, end, text, name, next(reversed(self._scopes), "")))

    def _replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        self._add(*self._span(node), text)

    def _operator(self, left: ast.expr, operator: ast.AST, right: ast.expr) -> None:
        """Swap the operator between two operands, where brackets may stand too."""
        begin, end = self._span(left)[1], self._span(right)[0]
        between = self._data[begin:end].decode()
        found = re.search(r"not\s+in|is\s+not|\b(?:in|is|and|or)\b|[<>=!]=|<<|>>|\*\*|//|[-+*/%&|<>]", between)
        if found is not None:
            new = between[: found.start()] + _SWAPPED[type(operator)] + between[found.end() :]
            self._add(begin, end, new)

    # What is not changed

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in self._text(node.test):
            self.generic_visit(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        decorators = " ".join(self._text(decorator) for decorator in node.decorator_list)
        if _COMPILED & set(re.findall(r"\w+", decorators)) or re.search("overload|abstractmethod", decorators):
            return
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._visit_body(node)

    visit_FunctionDef = _visit_function  # noqa: N815
    visit_AsyncFunctionDef = _visit_function  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not any("Protocol" in self._text(base) for base in node.bases):
            self._visit_body(node)

    def _visit_body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._scopes.append(node.name)
        for child in node.body:
            self.visit(child)
        self._scopes.pop()

    # What is changed

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            self._operator(node.left, node.ops[0], node.comparators[0])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in _SWAPPED and not isinstance(node.left, ast.JoinedStr):
            self._operator(node.left, node.op, node.right)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._operator(left, node.op, right)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if self._has_kernels and not self._scopes:
            return
        if isinstance(node.value, bool):
            self._replace(node, str(not node.value))
        elif isinstance(node.value, int | float):
            self._replace(node, repr(node.value + 1))
        elif isinstance(node.value, str) and _SQL.search(node.value):
            for word in re.finditer(r"\w+|=", self._text(node)):
                if word[0] in _SQL_WORDS:
                    text = self._text(node)
                    self._replace(node, text[: word.start()] + _SQL_WORDS[word[0]] + text[word.end() :])

    def visit_keyword(self, node: ast.keyword) -> None:
        if not (node.arg == "strict" and self._text(node.value) == "True"):
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave messages alone; positions inside of them are not known before Python 3.12."""

    def visit_Return(self, node: ast.Return) -> None:
        is_constant = isinstance(node.value, ast.Constant) and isinstance(node.value.value, int | float | None)
        if node.value is not None and not is_constant:
            self._replace(node, "return None")
        self.generic_visit(node)

    def _visit_removable(self, node: ast.stmt) -> None:
        self._replace(node, "pass")
        self.generic_visit(node)

    visit_AugAssign = visit_Raise = visit_Delete = _visit_removable  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self._visit_removable(node)
