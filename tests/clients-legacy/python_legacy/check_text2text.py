"""Text to text: log, load, search, delete."""

import argilla as rg
from session import connect, raises

connect("sentences")
rg.log(
    [
        rg.Text2TextRecord(id="s1", text="Hola mundo", prediction=[("Hello people", 0.4), ("Hello world", 0.6)], annotation="Hello, world"),
        rg.Text2TextRecord(id="s2", text="Adiós", prediction=["Goodbye"], metadata={"formal": True}),
    ],
    "translations",
)
first, second = rg.load("translations")
assert first.prediction == [("Hello world", 0.6), ("Hello people", 0.4)] and first.annotation == "Hello, world" and first.status == "Validated"
assert second.prediction == [("Goodbye", 1.0)] and second.metadata == {"formal": True} and second.annotation is None


def found(query):
    return [record.id for record in rg.load("translations", query=query)]


assert found("mundo") == ["s1"] and found("adios") == ["s2"]
assert found('annotated_as:"Hello, world"') == ["s1"]
assert found("metadata.formal:true") == ["s2"]
raises(ValueError, "Task type mismatch", lambda: rg.configure_dataset_settings("translations", rg.TextClassificationSettings(label_schema=["a"])))
assert rg.delete_records("translations", ids=["s1"]) == (1, 1)
assert len(rg.load("translations")) == 1
rg.delete("translations")
print("done")
