"""Write cli.md, bricks.md, recipes.md and published.md from the code; with --check, fail if they are out of date.

The walks of published.md take time, so that they are not run to check it; tests/recipes/test_systems.py compares some.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

from typer.main import get_command

from graphbrick.cli.app import app
from graphbrick.pipeline.catalog import all_bricks, describe
from graphbrick.recipes import Recipe, published

FOLDER = Path(__file__).parent
NOTE = "<!-- Written by docs/generate.py (make docs); do not edit. -->\n\n"


COMPLETION = """
## Completion in the shell

The shell can complete commands and options with the Tab key:

```console
$ graphbrick --install-completion
```

This adds one line to the settings of the shell that runs it: `bash`, `zsh`, `fish` or PowerShell. Open a new terminal
afterwards. `graphbrick --show-completion` prints the script instead, for a place of your own:

```console
$ graphbrick --show-completion > ~/.local/share/bash-completion/completions/graphbrick
```

Completing takes about as long as `graphbrick --help`. The completion calls `graphbrick`, so it must be on the `PATH`:
in a virtual environment it works while the environment is active.
"""


def cli_page() -> str:
    """The help of every command."""
    tree = get_command(app)  # typer reads it from all signatures, so only once
    names = [""]
    for name, command in tree.commands.items():  # type: ignore[attr-defined]
        names += [name, *(f"{name} {part}" for part in getattr(command, "commands", ()))]
    parts = [
        NOTE,
        "# Command line\n\nExit codes: 0 done, 1 user error (one line on stderr), 2 nothing found, "
        "3 stopped by a budget, 130 stopped by Ctrl-C.\n",
        COMPLETION,
    ]
    for name in names:
        with redirect_stdout(io.StringIO()) as text:
            tree.main([*name.split(), "--help"], prog_name="graphbrick", terminal_width=100, standalone_mode=False)
        lines = "\n".join(line.rstrip() for line in text.getvalue().strip().splitlines())
        parts.append(f"\n## graphbrick {name}".rstrip() + f"\n\n```\n{lines}\n```\n")
    return "".join(parts)


BRICKS = """# Bricks

`graphbrick bricks` prints this list, with the bricks of installed plug-ins; `graphbrick bricks PPR` prints one of them,
and `--json` gives types, ranges and values to try as a web form needs them.
"""


def bricks_page() -> str:
    """Every brick with its parameters and paper."""
    parts = [NOTE, BRICKS]
    for row in map(describe, all_bricks().values()):
        parts.append(f"\n## {row['name']}\n\n*{row['kind']}* — {row['summary']}\n")
        if row["parameters"]:
            parts.append("\n| parameter | type | default | | worth trying |\n|---|---|---|---|---|\n")
        for parameter in row["parameters"]:
            default = "" if parameter["default"] is None else f"`{parameter['default']}`"
            type_ = parameter["type"].replace("|", "\\|")
            search = ", ".join(f"`{value}`" for value in parameter["search"])
            parts.append(f"| `{parameter['name']}` | {type_} | {default} | {parameter['doc']} | {search} |\n")
        if row["paper"]:
            parts.append(f"\n{row['paper']}\n")
    return "".join(parts).replace("``", "`")


RECIPES = """# Recipes

Published pipelines, as `graphbrick recipes` lists them and `graphbrick ask --recipe NAME` runs them: 1 to 15 and GRAG-M
of LEGO-GraphRAG, P0 to P20 of its preliminary version, the improvements of its technical report (TRIPLE and DYNAMIC of
beam search by embeddings, LLMS-R, LLMS-ES, EEMS-PF and EEMS-S of beam search by a model, EEMS-R, M-LLMS, LLMS-E and
EEMS-S-OSAR of one-way ranking by a model), ROG-PPR, KELP-1HOP and TOG-ST, queries by a model and agents (E1 to E4,
GRAPH-COT, SEARCH-ON-GRAPH; [agents.md](agents.md)), systems for graphs from text ([text.md](text.md)), and the
published systems such as ROG and TOG ([published.md](published.md)). WebQSP and CWQ are the published Hit in percent
with Qwen2-72B; path F1 is the published F1 of the paths found. All recipes of LEGO-GraphRAG but GRAG-M end in
`PathAnswer()`, which needs no model; the published runs end in a language model: `--set "answer=Generate(LLM())"`.
Where paths are not ranked (those that end in `RandomSample`), `PathAnswer()` follows a path drawn by chance; only a
language model makes sense of them.

| part | default | what can be set |
|---|---|---|
| `extract` | `PPR(k=1000)` | any extract stage, such as `PPR(k=1000, solver=FORA())` or `KHop()` |
| `embedder` | `MiniLM()` | any scorer: `USE()` is fast; `EmbeddingModel('BAAI/bge-small-en-v1.5')`, `BM25()` |
| `reranker` | `CrossEncoder('BAAI/bge-reranker-v2-m3')` | any scorer |
| `llm` | `LLM()` | `LLM('model', base_url='http://localhost:8080/v1')` |
| `writer` | `LLM(max_tokens=1500)` | the same, for long replies |
| `paths` | `ShortestPaths()` | `ShortestPaths(keep='one')`, one path an entity, as the released code |
| `answer` | `PathAnswer()` | `Generate(LLM())` |
| `reports` | `CommunityReports()` | `PPR(k=1000) >> CommunityReports(LLM(), MiniLM())`, reports written when asked |
| `grammar_llm` | `LocalLLM()` | a model whose server obeys grammars: llama.cpp, vLLM |
| `sampling_llm` | `LLM(temperature=0.3)` | a model with a temperature, which samples several drafts |
| `llm_embedder` | none | `LLMEmbedder('mine', base_url='http://localhost:8080/v1')`: vectors of a language model |
| `two_towers` | none | `PathTowers('films.towers')`, from `graphbrick train towers` |
| `relation_writer` | none | `WrittenRelations('films.writer')`, from `graphbrick train writer` |
| `tuned_embedder`, `tuned_llm` | none: `$name` in the text | a model fine-tuned on the graph |

The choices behind them are in [adr/0007](adr/0007-recipes.md).

**All recipes on this page are exact**: what they rank by an embedder, it reads in full, as published. Those that rank
paths (2, 6, 12, 14 and more) therefore read thousands of texts for the first question about a part of a graph: half a
minute and more on two cores, if no vectors are kept. `FewTexts` lets the embedder read 192 of them and estimates the
others from the parts that they share ([bricks.md](bricks.md#fewtexts)). The first question then takes one to three
seconds, and its answer does not depend on kept vectors. Most of the 32 best paths stay the same
([measured](../benchmarks/notebook/recipes.md#fewer-texts-for-the-first-question)); few questions could be ranked
exactly, so that a small loss is not ruled out. Set the part `embedder`, or write it into the pipeline; a beam search
asks at every step and takes fewer:

```
graphbrick ask films.graph "..." --recipe 12 --set "embedder=FewTexts(MiniLM())"
PPR(k=1000) >> ShortestPaths() >> Rerank(FewTexts(MiniLM()), n=32) >> PathAnswer()
PPR(k=1000) >> BeamSearch(FewTexts(MiniLM(), reads=64)) >> PathAnswer()
```
"""


def recipes_page() -> str:
    """Every recipe with its text and published figures."""
    parts = [NOTE, RECIPES]
    for group, recipes in grouped():
        parts.append(f"\n## {group[0].upper()}{group[1:]}\n")
        for found in recipes:
            hits = [f"{data} {found.figures[key]}" for data, key in HITS.items() if key in found.figures]
            parts.append(f"\n**{found.name}** {found.title}{': ' if hits else ''}{', '.join(hits)}\n")
            parts.append(f"\n```\n{found.shown}\n```\n")
            if found.note:
                parts.append(f"\n{found.note}\n")
            if found.source:
                parts.append(f"\nRead: {found.source}. Published with: {found.setting}.\n")
    return "".join(parts)


HITS = {
    "WebQSP": "webqsp",
    "CWQ": "cwq",
    "MetaQA 3-hop": "metaqa_3hop",
    "path F1 on CWQ": "path_f1_cwq",
    "on WebQSP": "path_f1_webqsp",
    "Hetionet: relevance on simple questions": "relevance_simple",
    "on complex ones": "relevance_complex",
    "corrected by human labels": "corrected_simple",
    "and": "corrected_complex",
}


def grouped() -> list[tuple[str, list[Recipe]]]:
    """The recipes by paper and group, in the order of the papers."""
    groups: dict[tuple[str, str], list[Recipe]] = {}
    for found in published().values():
        groups.setdefault((found.paper, found.group), []).append(found)
    return [(f"{group} ({paper.rpartition('LEGO-GraphRAG, ')[2]})", some) for (paper, group), some in groups.items()]


def main() -> int:
    """Write the pages, or compare them."""
    pages = {"cli.md": cli_page(), "bricks.md": bricks_page(), "recipes.md": recipes_page()}
    if "--check" not in sys.argv:
        import walks

        pages["published.md"] = NOTE + walks.page()
    pages = {FOLDER / name: text for name, text in pages.items()}
    stale = [page for page, text in pages.items() if not page.exists() or page.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for page in stale:
            print(f"{page} is out of date; run: make docs")
        return 1 if stale else 0
    for page in stale:
        page.write_text(pages[page], encoding="utf-8")
        print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
