"""Vectors, metrics of text classification, labelling rules, and batches."""

import argilla as rg
from argilla.client.sdk.commons.errors import BadRequestApiError
from argilla.labeling.text_classification import Rule, WeakLabels, add_rules, delete_rules, load_rules, update_rules
from argilla.metrics import commons
from argilla.metrics.text_classification import f1, f1_multilabel
from session import connect, raises

connect("weak")
rg.log(
    [
        rg.TextClassificationRecord(id="1", text="win money now", annotation="spam", prediction=[("spam", 0.9)], vectors={"v": [0.0, 1.0]}),
        rg.TextClassificationRecord(id="2", text="money for lunch", annotation="ham", prediction=[("spam", 0.7)], vectors={"v": [1.0, 0.0]}),
        rg.TextClassificationRecord(id="3", text="see you now", annotation="ham", prediction=[("ham", 0.8)], vectors={"v": [0.9, 0.1]}),
        rg.TextClassificationRecord(id="4", text="the money"),
    ],
    "mails",
)

# Vectors are returned unchanged, and similarity search finds the nearest.
assert rg.load("mails", ids=["1"])[0].vectors == {"v": [0.0, 1.0]}
assert [str(record.id) for record in rg.load("mails", vector=("v", [1.0, 0.0]), limit=2)] == ["2", "3"]
assert [str(record.id) for record in rg.load("mails", vector=("v", [1.0, 0.0]), query="now")] == ["3", "1"]
raises(BadRequestApiError, "Vector `v` has 2 dimensions, not 1", lambda: rg.log(rg.TextClassificationRecord(text="x", vectors={"v": [1.0]}), "mails"))
raises(BadRequestApiError, "Vector `v` has 2 dimensions, not 1", lambda: rg.load("mails", vector=("v", [1.0])))
assert len(rg.load("mails")) == 4

# Metrics.
result = f1("mails").data
assert result["spam_precision"] == 0.5 and result["spam_recall"] == 1 and result["ham_support"] == 2 and result["f1_micro"] == 2 / 3, result
assert f1_multilabel("mails").data["ham_recall"] == 0.5
assert f1("mails", query="the").data == {}
assert commons.records_status("mails").data == {"Validated": 3, "Default": 1}
assert commons.text_length("mails").data["9.0"] == 1 and commons.text_length("mails").data["10.0"] == 0
assert commons.keywords("mails").data["money"] == 3 and "the" not in commons.keywords("mails").data
assert commons.keywords("mails", size=1).data == {"money": 3}

# Labelling rules.
rules = [Rule(query="money", label="spam"), Rule(query="text:see\\ you OR lunch", label="ham")]
add_rules("mails", rules)
assert [(rule.query, rule.label) for rule in load_rules("mails")] == [("money", "spam"), ("text:see\\ you OR lunch", "ham")]
update_rules("mails", [Rule(query="money", label="ham")])
assert load_rules("mails")[0].label == "ham"
delete_rules("mails", [Rule(query="text:see\\ you OR lunch", label="ham")])
assert [rule.query for rule in load_rules("mails")] == ["money"]

rule = Rule(query="money", label="spam")
rule.apply("mails")
metrics = rule.metrics("mails")
assert metrics["coverage"] == 0.75 and metrics["annotated_coverage"] == 2 / 3, metrics
assert metrics["correct"] == 1 and metrics["incorrect"] == 1 and metrics["precision"] == 0.5

weak = WeakLabels("mails", rules=[Rule(query="money", label="spam"), Rule(query="now", label="ham")])
assert weak.matrix().shape == (4, 2), weak.matrix()
assert sorted(weak.labels) == ["ham", "spam"]

# Many records in small batches, with threads.
rg.log([rg.TextClassificationRecord(id=i, text=f"number {i}", metadata={"n": i}) for i in range(1_050)], "many", batch_size=50, num_threads=2)
assert len(rg.load("many")) == 1_050
assert [record.metadata["n"] for record in rg.load("many", query="metadata.n:[100 TO 103}", sort=[("metadata.n", "desc")])] == [102, 101, 100]
assert rg.delete_records("many", query="metadata.n:<1000") == (1_000, 1_000)
assert len(rg.load("many")) == 50
print("done")
