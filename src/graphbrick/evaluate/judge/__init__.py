"""Judges of answers: what they say, what they are worth, and what follows from a few labels by people.

The main path: `cases` takes answers, questions and evidence out of a study, `rating` has a judge rate them, and
`judged` makes the report.

- The protocol is `verdicts`; `named` opens a judge by its text.
- Judges: `rubric` (a language model), `baselines`, `classifier` and `encoder` (trained; `folder` and `trained` keep
  and open them), `judge` and `judging` (whether an answer equals a gold answer: Judge@1).
- Labels of people: `sampling` draws, `labelling` is the page, `labels` reads, `agreeing` compares two people, `buying`
  says how many are needed.
- The report: `population`, `estimates` and `quality` compute, `tables` and `page` show; `checking` is the report of a
  judge on labelled rows alone.
- Metrics by a language model: `metrics` with `steps` and `formulas`, asked by `measuring`; answers of two systems by
  `pairs` and `comparing`; scores by criteria by `criteria` and `scoring`. They share `asking` and `kept_lines`.
- `synthetic` makes the data that judges are trained on.
"""
