"""Token classification: log, load, search, settings, metrics."""

import argilla as rg
from argilla.client.sdk.commons.errors import BadRequestApiError, NotFoundApiError, ValidationApiError
from argilla.client.singleton import active_client
from argilla.metrics import token_classification as metrics
from session import connect, raises

connect("tokens")
text = "Ana went to Paris 🎉 with Bo"
tokens = ["Ana", "went", "to", "Paris", "🎉", "with", "Bo"]
rg.log(
    [
        rg.TokenClassificationRecord(
            id="t1",
            text=text,
            tokens=tokens,
            prediction=[("PER", 0, 3, 0.9), ("LOC", 12, 17, 0.8)],
            prediction_agent="m1",
            annotation=[("PER", 0, 3), ("LOC", 12, 17), ("PER", 25, 27)],
            metadata={"source": "news"},
        ),
        rg.TokenClassificationRecord(id="t2", text="PARIS again", tokens=["PARIS", "again"], prediction=[("PER", 0, 5)], annotation=[("LOC", 0, 5)]),
        rg.TokenClassificationRecord(id="t3", text="nothing here", tokens=["nothing", "here"]),
    ],
    "entities",
)
first, second, third = rg.load("entities")
assert first.text == text and first.tokens == tokens and first.status == "Validated"
assert first.prediction == [("PER", 0, 3, 0.9), ("LOC", 12, 17, 0.8)] and first.annotation == [("PER", 0, 3), ("LOC", 12, 17), ("PER", 25, 27)]
assert third.prediction is None and third.annotation is None and third.status == "Default"


def found(query):
    return [record.id for record in rg.load("entities", query=query)]


assert found("paris") == ["t1", "t2"]
assert found("tokens:PARIS") == ["t2"]
assert found("predicted_as:PER AND predicted:ko") == ["t1", "t2"]
assert found("metrics.annotated.mentions.value:Bo") == ["t1"]
assert found("metadata.source:news") == ["t1"]
assert found("_exists_:annotated_by AND NOT status:Default") == ["t1", "t2"]

# Spans that do not fit the tokens, and tokens that are not in the text.
client = active_client().http_client
for record, part in (
    (
        {"text": "Ana went", "tokens": ["Ana", "went"], "prediction": {"agent": "m", "entities": [{"start": 1, "end": 3, "label": "PER"}]}},
        "the span from 1 to 3 must start and end where tokens do",
    ),
    ({"text": "Ana went", "tokens": ["Bo"]}, "this token does not follow in `text`"),
    ({"text": "  ", "tokens": ["Bo"]}, "must not be blank"),
):
    raises(ValidationApiError, part, lambda: client.post("/api/datasets/entities/TokenClassification:bulk", json={"records": [record]}))
assert len(rg.load("entities")) == 3

rg.configure_dataset_settings("entities", rg.TokenClassificationSettings(label_schema=["PER", "LOC"]))
assert rg.load_dataset_settings("entities").label_schema == ["PER", "LOC"]
raises(BadRequestApiError, "not in the label schema of the dataset: ORG", lambda: rg.log(rg.TokenClassificationRecord(text="a b", tokens=["a", "b"], annotation=[("ORG", 0, 1)]), "entities"))

f1 = metrics.f1("entities").data
assert f1["PER_precision"] == 0.5 and f1["PER_recall"] == 0.5 and f1["LOC_recall"] == 0.5 and f1["precision_micro"] == 2 / 3, f1
assert metrics.entity_labels("entities", compute_for="annotations").data == {"LOC": 2, "PER": 2}
assert metrics.entity_capitalness("entities").data == {"FIRST": 2, "UPPER": 1}
assert metrics.token_frequency("entities").data["went"] == 1
consistency = metrics.top_k_mentions("entities", threshold=1).data
assert {mention["mention"]: mention["entities"] for mention in consistency["mentions"]} == {
    "Ana": [{"label": "PER", "count": 1}],
    "Paris": [{"label": "LOC", "count": 1}],
    "PARIS": [{"label": "PER", "count": 1}],
}, consistency

# A second log merges, and rg.delete_records takes a query.
rg.log(rg.TokenClassificationRecord(id="t3", text="nothing here", tokens=["nothing", "here"], metadata={"later": 1}), "entities")
assert rg.load("entities", ids=["t3"])[0].metadata == {"later": 1}
assert rg.delete_records("entities", query="nothing") == (1, 1)
rg.delete("entities")
raises(NotFoundApiError, "entities", lambda: rg.load("entities"))
print("done")
