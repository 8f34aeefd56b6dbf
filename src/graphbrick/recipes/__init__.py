"""Published pipelines as recipes: the text, its source, and the published figures."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import or_
from pathlib import Path
from string import Template
from typing import Any

from graphbrick.core.errors import InputError, PipelineError, shown
from graphbrick.core.plugins import Registry, skip
from graphbrick.models.llm.naming import model_text, sampling_model, writing_model
from graphbrick.pipeline import Pipeline, Sequence, Union
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.parsing import parse, parse_brick


@dataclass(frozen=True, slots=True)
class Recipe:
    """One published instance.

    Attributes:
        name: "1" to "15" and "GRAG-M" as in the paper, "P0" to "P20" for those of its preliminary version; "E1" and
            "E2" for generated queries; "E3" and "E4" for agents; improvements have the name that the technical report
            gives them, such as "M-LLMS"; all others have the name of the system, such as "GRAPHRAG-LOCAL" and "TOG".
        title: What it does.
        group: What it was compared with.
        paper: Where it was published.
        template: Recipe text with ``$name`` for each part.
        parts: The parts with their defaults as recipe text; an empty one must be set.
        figures: Published figures: ``webqsp``, ``cwq`` and ``metaqa_3hop`` (Hit in percent; with Qwen2-72B for 1 to 15,
            for systems as they quote it, with the model that ``setting`` names last), ``path_seconds`` (path retrieval
            on WebQSP, one A100), ``embedding_tokens`` and ``llm_tokens`` per query; ``path_f1_cwq`` and
            ``path_f1_webqsp`` (F1 of the paths found, from 0 to 1) for improvements of the technical report; for E1 to
            E4 relevance, relevance corrected by human labels, seconds and calls on simple and complex questions over
            Hetionet; for GraphRAG the least and the highest share of comparisons with vector search that it wins, in
            percent; for systems on documents a judge's mean scores, seconds, and MB of the folder.
        note: Differences from the publication, and the reasons.
        source: What the recipe was written from: the code that was read, or a description. Empty if that is the paper.
        setting: The models and data that the publication used; empty if the figures say that.
        index: How the publication makes its graph from documents: ``extract`` and ``chunks`` as recipe text with
            ``$name`` for parts, ``communities`` if it finds them, and ``reports``, the model that writes them; empty
            for pipelines on any graph.
    """

    name: str
    title: str
    group: str
    paper: str
    template: str
    parts: Mapping[str, str]
    figures: Mapping[str, float]
    note: str = ""
    index: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    setting: str = ""

    @property
    def needs(self) -> list[str]:
        """The parts that have no default: models fine-tuned on the graph."""
        return [name for name, text in self.parts.items() if not text]

    @property
    def shown(self) -> str:
        """The recipe text with the default parts; those without default stay ``$name``."""
        return Template(self.template).safe_substitute({name: text for name, text in self.parts.items() if text})

    @property
    def published(self) -> dict[str, float]:
        """The published figures, of which shares are from 0 to 1, also those that `figures` gives in percent.

        >>> recipe("1").published["webqsp"], recipe("TRIPLE").published["path_f1_cwq"]
        (0.602, 0.224)
        """
        return {name: value / 100 if name in _IN_PERCENT else value for name, value in self.figures.items()}

    @property
    def result(self) -> str:
        """The published quality with its data sets, such as ``WebQSP 70.3, CWQ 58.7``; empty if none is given.

        Hit in percent for WebQSP, CWQ and MetaQA, or the F1 of the paths found where the paper
        gives that; for Hetionet relevance on simple and complex questions, by a judge.
        """
        figures = self.figures
        if "relevance_simple" in figures:
            return f"Hetionet {figures['relevance_simple']:.3f} / {figures['relevance_complex']:.3f}"
        if "comprehensiveness_least" in figures:
            least, most = figures["comprehensiveness_least"], figures["comprehensiveness_most"]
            return f"wins {least:.0f}-{most:.0f} % against vectors"
        if "path_f1_cwq" in figures and "webqsp" not in figures:
            return f"path F1 CWQ {figures['path_f1_cwq']:.3f}, WebQSP {figures['path_f1_webqsp']:.3f}"
        names = {"webqsp": "WebQSP", "cwq": "CWQ", "metaqa_3hop": "MetaQA 3-hop"}
        return ", ".join(f"{name} {figures[data]:.1f}" for data, name in names.items() if data in figures)

    @property
    def uses_llm(self) -> bool:
        """True if a language model is called, whatever the part ``answer`` is."""
        return bool({"llm", "tuned_llm", "grammar_llm", "sampling_llm", "writer"} & set(self.parts))

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain JSON types; parts without default stay ``$name`` in its text."""
        return {
            "recipe": self.name,
            "title": self.title,
            "group": self.group,
            "paper": self.paper,
            "pipeline": self.shown,
            "parts": dict(self.parts),
            "figures": dict(self.figures),
            "note": self.note,
            "source": self.source,
            "setting": self.setting,
            "index": self.indexing(),
        }

    def text(self, /, **parts: str | Brick) -> str:
        """Return the recipe text.

        Args:
            parts: Bricks, as values or as recipe text, that replace the defaults: ``embedder="BM25()"``,
                ``answer="Generate(LLM())"``.

        Raises:
            PipelineError: The recipe has no such part, or one without default was not set.
        """
        return self._filled(self.template, self._chosen(parts))

    def indexing(self, /, **parts: str | Brick) -> dict[str, str]:
        """Return `index` with parts as of `text` in place of their names.

        Raises:
            PipelineError: As for `text`.
        """
        chosen = self._chosen(parts) if self.index else {}
        return {name: self._filled(text, chosen) for name, text in self.index.items()}

    def _filled(self, template: str, chosen: Mapping[str, str]) -> str:
        """Return a template with parts in place of their names."""
        try:
            return Template(template).substitute(chosen)
        except KeyError as error:
            raise PipelineError(
                f"recipe {self.name} has no part {error.args[0]!r} for ${error.args[0]}; give its recipe text under "
                "[parts]",
                code="recipe.no_part_for_name",
                part=error.args[0],
            ) from error
        except ValueError as error:
            raise PipelineError(
                f"recipe {self.name} has a $ that is not before the name of a part; write $$ for the character itself",
                code="recipe.lone_dollar",
            ) from error

    def _chosen(self, parts: Mapping[str, str | Brick]) -> dict[str, str]:
        """Return the recipe text of every part."""
        unknown = [name for name in parts if name not in self.parts]
        if unknown:
            raise PipelineError(
                f"recipe {self.name} has no part {unknown[0]!r}; it has {', '.join(self.parts)}",
                code="recipe.no_part",
                part=unknown[0],
            )
        chosen = {}
        for name, default in self.parts.items():
            text = str(parts.get(name, default)).strip()
            if not text:
                raise PipelineError(
                    f"recipe {self.name} needs {name}; set it to {_EXAMPLES.get(name, default)}",
                    code="recipe.needs_part",
                    part=name,
                )
            part = parse_brick(text)  # report an error for the part, not for a position in the whole text
            chosen[name] = f"({part!r})" if isinstance(part, Sequence | Union) else repr(part)
        return chosen

    def by_model(self, name: str) -> dict[str, str]:
        """Return the parts of the recipe that a language model takes, filled by the model that a name means.

        >>> recipe("13").by_model("gpt-4.1")
        {'llm': "LLM(model='gpt-4.1')", 'answer': "Generate(LLM(model='gpt-4.1'))"}
        """
        model = model_text(name)
        models = {
            "llm": model,
            "grammar_llm": model,
            "sampling_llm": repr(sampling_model(name)),
            "tuned_llm": model,
            "writer": repr(writing_model(name)),
            "answer": f"Generate({model})",
        }
        return {part: brick for part, brick in models.items() if part in self.parts}

    def pipeline(self, /, **parts: str | Brick) -> Pipeline:
        """Return the pipeline; parameters and errors as for `text`."""
        return parse(self.text(**parts))


_IN_PERCENT = frozenset({
    "webqsp", "cwq", "metaqa_3hop", "comprehensiveness_least", "comprehensiveness_most", "diversity_least",
    "diversity_most", "global_score", "document_score", "musique_recall5", "two_wiki_recall5", "hotpotqa_recall5",
})  # fmt: skip
_EXAMPLES = {
    "tuned_embedder": "a model fine-tuned on the graph, such as EmbeddingModel('models/tuned')",
    "llm_embedder": (
        "a language model whose server gives vectors, such as LLMEmbedder('mine', base_url='http://localhost:8080/v1') "
        "(--set \"llm_embedder=LLMEmbedder('mine', base_url='http://localhost:8080/v1')\")"
    ),
    "two_towers": (
        "two towers trained on questions of the graph by graphbrick train towers, such as PathTowers('films.towers') "
        "(--set \"two_towers=PathTowers('films.towers')\")"
    ),
    "relation_writer": (
        "a model trained on questions of the graph by graphbrick train writer, such as "
        "WrittenRelations('films.writer') (--set \"relation_writer=WrittenRelations('films.writer')\")"
    ),
    "tuned_llm": "a model fine-tuned on the graph, such as LLM('tuned', base_url='http://localhost:8080/v1')",
}


def _fault(value: object) -> str:
    """Return why a value is not a file of recipes; empty if it is one."""
    if not isinstance(value, str | Traversable):
        return f"it is neither the path of a file of recipes nor its text, but {shown(value)}"
    try:
        _recipes(_content(value), {})
    except (OSError, InputError) as error:
        return str(error)
    return ""


FILES: Registry[str | Traversable] = Registry(
    "graphbrick.recipes",
    {
        "published": "graphbrick.recipes:PUBLISHED",
        "systems": "graphbrick.recipes:SYSTEMS",
        "variants": "graphbrick.recipes:VARIANTS",
    },
    _fault,
)
"""The files of recipes by name: paths, or TOML as text. A part without a line under ``[parts]`` has the default that
it has in the published recipes."""
PUBLISHED, SYSTEMS, VARIANTS = (
    files("graphbrick.recipes") / f"{name}.toml" for name in ("published", "systems", "variants")
)


@lru_cache(maxsize=1)
def published() -> Mapping[str, Recipe]:
    """Return the published recipes by name, in the order of the papers."""
    content = _content(PUBLISHED)
    others = (_recipes(_content(file), content["parts"]) for file in (SYSTEMS, VARIANTS))
    return reduce(or_, others, _recipes(content, {}))


@lru_cache(maxsize=1)
def all_recipes() -> Mapping[str, Recipe]:
    """Return all recipes by name in capitals, plug-ins last (entry points ``graphbrick.recipes``)."""
    recipes, parts = dict(published()), _content(PUBLISHED)["parts"]
    plugged_in = {name: file for name, file in FILES.all().items() if name not in FILES.own}
    for name, file in plugged_in.items():
        for one in _recipes(_content(file), parts).values():
            if one.name.upper() in recipes:
                skip(FILES.group, one.name, name, "it has the name of another recipe; rename it")
            else:
                recipes[one.name.upper()] = replace(one, group=one.group or name)
    return recipes


def recipe(name: str | int) -> Recipe:
    """Return a recipe by its name: a published one, one of a plug-in, or one of a file.

    Args:
        name: Such as ``12``; ``tuned.toml`` for the first recipe of a file, or ``tuned.toml:NAME``.

    Raises:
        InputError: There is no such file, or it holds no recipes.
        PipelineError: No recipe has that name.

    >>> from graphbrick.recipes import recipe
    >>> recipe(12).pipeline()
    PPR(k=1000) >> ShortestPaths() >> Rerank(MiniLM(), n=32) >> PathAnswer()
    """
    path, suffix, own = str(name).partition(".toml")
    if suffix:
        return _of_file(Path(path + suffix), own.removeprefix(":"))
    key = str(name).strip().upper()
    match = published().get(key) or all_recipes().get(key)
    if match is None:
        names = list(all_recipes())
        raise PipelineError(
            f"there is no recipe {name!r}; there are 1 to 15, P0 to P20, "
            f"{', '.join(n for n in names if not re.fullmatch('P?[0-9]+', n))} (graphbrick recipes lists them)",
            code="recipe.not_published",
            name=name,
        )
    return match


def _of_file(path: Path, name: str) -> Recipe:
    """Return a recipe of a file, the first without a name."""
    recipes = _recipes(_content(path), {})
    if not recipes or (name and name not in recipes):
        raise InputError(
            f"there is no recipe {name!r}; there are {', '.join(recipes) or 'none'}",
            path,
            code="recipe.not_in_file",
            name=name,
        )
    return recipes[name] if name else next(iter(recipes.values()))


def _content(file: str | Traversable) -> dict[str, Any]:
    """Return the contents of a file of recipes, which has ``recipes`` with a ``pipeline`` each."""
    place = None if isinstance(file, str) else Path(str(file))
    try:
        content = tomllib.loads(file if isinstance(file, str) else file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"the recipes are not TOML: {reason}", place, code="recipe.not_toml") from error
    except (OSError, ValueError) as error:  # also a null character
        raise InputError(
            f"the recipes cannot be read: {getattr(error, 'strerror', None) or error}",
            place,
            code="recipe.not_readable",
        ) from error
    try:
        for entry in content["recipes"].values():
            entry["pipeline"].split()
            entry.get("index", {}).values()
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the file holds no recipes ({type(error).__name__}: {error}); it has lines such as "
            '[recipes.mine] and pipeline = "PPR(k=1000) >> ShortestPaths() >> PathAnswer()"',
            place,
            code="recipe.bad_file",
        ) from error
    return content


def _recipes(content: Mapping[str, Any], defaults: Mapping[str, str]) -> dict[str, Recipe]:
    """Return the recipes that a file describes; ``defaults`` are those of parts that it does not set."""
    recipes = {}
    for name, entry in content["recipes"].items():
        template = " ".join(entry["pipeline"].split())
        index = entry.get("index", {})
        used = set(re.findall(r"\$\{?(\w+)", " ".join((template, *index.values()))))
        parts = {part: text for part, text in (defaults | content.get("parts", {})).items() if part in used}
        paper = entry.get("paper", "")
        recipes[name] = Recipe(
            name, entry.get("title", name), entry.get("group", ""), content.get("papers", {}).get(paper, paper),
            template, parts, entry.get("figures", {}), entry.get("note", ""), index, entry.get("source", ""),
            entry.get("setting", ""),
        )  # fmt: skip
    return recipes
