"""Text classification: log, load, search, merge, delete, copy, settings."""

import argilla as rg
from argilla.client.sdk.commons.errors import AlreadyExistsApiError, BadRequestApiError, ForbiddenApiError, NotFoundApiError
from argilla.client.singleton import active_client
from session import URL, connect, raises

connect("texts")
rg.log(
    [
        rg.TextClassificationRecord(
            id=1,
            text="The movie was great",
            prediction=[("pos", 0.9), ("neg", 0.1)],
            prediction_agent="m1",
            metadata={"split": "train", "nested": {"rank": 3}},
            explanation={"text": [rg.TokenAttributions(token="great", attributions={"pos": 0.8})]},
        ),
        rg.TextClassificationRecord(id="b", text="A dull movie, café included", annotation="neg", annotation_agent="ann", metadata={"split": "test"}),
        rg.TextClassificationRecord(id="c", inputs={"title": "Hello World", "body": "great plot"}, prediction=[("pos", 1.0)], annotation="neg"),
    ],
    "movies",
)
records = {str(record.id): record for record in rg.load("movies")}
assert set(records) == {"1", "b", "c"}, records
first = records["1"]
assert first.inputs == {"text": "The movie was great"} and first.text == "The movie was great"
assert first.prediction == [("pos", 0.9), ("neg", 0.1)] and first.prediction_agent == "m1"
assert first.metadata == {"split": "train", "nested.rank": 3}, first.metadata
assert first.explanation["text"][0].attributions == {"pos": 0.8}
assert first.status == "Default" and first.metrics["text_length"] == 19
assert records["b"].annotation == "neg" and records["b"].status == "Validated" and records["b"].annotation_agent == "ann"
assert records["c"].inputs == {"title": "Hello World", "body": "great plot"}


def ids_of(name="movies", **options):
    """The client converts numeric ids to numbers."""
    return [str(record.id) for record in rg.load(name, **options)]


def found(query):
    return ids_of(query=query)


for query, ids in {
    "movie": ["1", "b"],
    "MOVIE": ["1", "b"],
    "great AND movie": ["1"],
    "great movie": ["1"],
    "great OR dull": ["1", "b", "c"],
    "movie NOT great": ["b"],
    "movie -great": ["b"],
    "cafe": ["b"],
    '"dull movie"': ["b"],
    '"movie dull"': [],
    '"great movie"~3': ["1"],
    "inputs.title:hello": ["c"],
    "inputs.\\*:hello OR inputs.body:plot": ["c"],
    "text.exact:Hello": ["c"],
    "text.exact:hello": [],
    "mov*": ["1", "b"],
    "gr?at": ["1", "c"],
    "/gr[a-e]+t/": ["1", "c"],
    "graet~1": ["1", "c"],
    "metadata.split:train": ["1"],
    "metadata.split:(train OR test)": ["1", "b"],
    "metadata.nested.rank:>=3": ["1"],
    "metadata.nested.rank:[1 TO 2]": [],
    "metadata.nested.rank:{1 TO 3]": ["1"],
    "_exists_:metadata.split": ["1", "b"],
    "status:Validated": ["b", "c"],
    "predicted_as:pos": ["1", "c"],
    "annotated_as:neg AND predicted:ko": ["c"],
    "predicted_by:m1": ["1"],
    "annotated_by:ann": ["b"],
    "score:>0.95": ["c"],
    "metrics.text_length:19": ["1"],
    "(great^2 OR dull) AND NOT status:Default": ["b", "c"],
    "*": ["1", "b", "c"],
}.items():
    assert found(query) == ids, (query, found(query), ids)
assert rg.load("movies", query="dull")[0].search_keywords == ["dull"]
raises(BadRequestApiError, "A closing quotation mark is missing (at character 12", lambda: rg.load("movies", query='text:("open'))

assert ids_of(ids=["b", 1]) == ["1", "b"]
assert ids_of(limit=2) == ["1", "b"]
assert ids_of(id_from="b") == ["c"]
assert ids_of(batch_size=1) == ["1", "b", "c"]
assert ids_of(sort=[("metadata.split", "desc")], batch_size=1) == ["1", "b", "c"]
assert ids_of(sort=[("status", "desc"), ("id", "desc")], batch_size=1) == ["c", "b", "1"]
raises(BadRequestApiError, "`nothing` cannot be sorted by", lambda: list(rg.load("movies", sort=[("nothing", "asc")])))

# A record with a known id is merged with the stored one.
rg.log(rg.TextClassificationRecord(id=1, text="The movie was great", annotation="pos", metadata={"seen": True}), "movies")
first = rg.load("movies", ids=[1])[0]
assert first.annotation == "pos" and first.prediction == [("pos", 0.9), ("neg", 0.1)]
assert first.metadata == {"split": "train", "nested.rank": 3, "seen": True} and len(rg.load("movies")) == 3

raises(BadRequestApiError, "records with true cannot be added", lambda: rg.log(rg.TextClassificationRecord(text="x", multi_label=True, annotation=["a"]), "movies"))
raises(BadRequestApiError, "WrongTaskError", lambda: rg.log(rg.Text2TextRecord(text="x"), "movies"))

# Several labels.
rg.log(
    [
        rg.TextClassificationRecord(id=f"m{i}", text=f"text {i}", multi_label=True, prediction=[("a", 0.9), ("b", 0.7), ("c", 0.1)], annotation=["a", "b"])
        for i in range(3)
    ],
    "multi",
)
assert rg.load("multi")[0].annotation == ["a", "b"] and rg.load("multi")[0].multi_label
assert len(rg.load("multi", query="predicted:ok AND predicted_as:b")) == 3

# Label schemas.
settings = rg.TextClassificationSettings(label_schema=["pos", "neg"])
rg.configure_dataset_settings("movies", settings)
assert rg.load_dataset_settings("movies").label_schema == ["pos", "neg"]
assert rg.load_dataset_settings("multi") is None
raises(BadRequestApiError, "not in the label schema of the dataset: other", lambda: rg.log(rg.TextClassificationRecord(text="x", annotation="other"), "movies"))
raises(BadRequestApiError, "the schema does not list: neg", lambda: rg.configure_dataset_settings("movies", rg.TextClassificationSettings(label_schema=["pos"])))
rg.configure_dataset_settings("empty", settings)
assert rg.load_dataset_settings("empty").label_schema == ["pos", "neg"] and len(rg.load("empty")) == 0

# Copies and deletions.
rg.copy("movies", "movies-copy")
assert len(rg.load("movies-copy")) == 3 and rg.load_dataset_settings("movies-copy").label_schema == ["pos", "neg"]
raises(AlreadyExistsApiError, "movies-copy", lambda: rg.copy("movies", "movies-copy"))
assert {"movies", "movies-copy", "multi", "empty"} <= {dataset.name for dataset in rg.list_datasets(workspace="texts")}
assert rg.delete_records("movies-copy", ids=["b"]) == (1, 1)
assert rg.delete_records("movies-copy", query="great", discard_only=True) == (2, 2)
assert {record.status for record in rg.load("movies-copy")} == {"Discarded"}
assert rg.delete_records("movies-copy", query="*") == (2, 2)
assert len(rg.load("movies-copy")) == 0 and len(rg.load("movies")) == 3
rg.delete("movies-copy")
raises(NotFoundApiError, "movies-copy", lambda: rg.load("movies-copy"))

# Annotators may send records but not create datasets, which `rg.log` tries first. Where they may not delete, the client
# discards.
nora = rg.User.create(username="nora-texts", password="a long password", first_name="Nora", workspaces=["texts"])
rg.init(api_url=URL, api_key=nora.api_key, workspace="texts")
given = {"records": [{"id": "n", "inputs": {"text": "by nora"}}]}
answer = active_client().http_client.post("/api/datasets/movies/TextClassification:bulk", json=given)
assert answer == {"dataset": "movies", "processed": 1, "failed": 0}, answer
assert rg.delete_records("movies", ids=["n"]) == (1, 1)
assert rg.load("movies", ids=["n"])[0].status == "Discarded" and len(rg.load("movies", query="status:Discarded")) == 1
raises(ForbiddenApiError, "ForbiddenOperationError", lambda: rg.delete("movies"))
raises(ForbiddenApiError, "ForbiddenOperationError", lambda: rg.log(rg.TextClassificationRecord(text="x"), "by-nora"))
print("done")
