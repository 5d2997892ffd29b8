"""`classinet evaluate`: how well a model does on labelled texts, and whether its expansion helps there."""

from __future__ import annotations

from classinet.cli import inputs, output
from classinet.cli.progress import reporting


def evaluate(
    model: inputs.Model,
    labelled: inputs.Labelled,
    format: inputs.Format = None,
    text: inputs.TextColumn = None,
    label: inputs.LabelColumn = None,
    separator: inputs.Separator = None,
    encoding: inputs.Encoding = "utf-8",
    threads: inputs.Threads = None,
    json: inputs.Json = False,
) -> None:
    """Judge a model by labelled texts that it was not trained on.

    Prints accuracy, F1 and scores of each class, and whether the expansion helps on these labels: the same texts judged
    with it and without it, with an interval. Labels that the model never saw count as errors.
    """
    from classinet.evaluation import evaluate as judge

    with reporting() as progress:
        progress("load the model", 0, 1)
        clf = inputs.load_model(model, threads)
        progress("load the model", 1, 1)
        texts, labels = inputs.read_labelled(
            labelled, format=format, text=text, label=label, separator=separator, encoding=encoding
        )
        progress(f"judge {len(texts):,} texts", 0, 1)
        result = judge(clf, texts, inputs.as_known(labels, clf))
        progress(f"judge {len(texts):,} texts", 1, 1)
    if json:
        output.as_json(result.to_dict())
    else:
        print(result)
