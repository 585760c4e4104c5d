"""The SDK reads the server's exports to the hub, and the server imports what the SDK pushes."""

import json
import time
from functools import cache

import argilla as rg
from datasets import ClassLabel, load_dataset
from session import equal, fresh, holds, make_dataset, make_workspace, owner
from test_hub import TOKEN, make_full_dataset, same_content, text_settings, values_of
from test_settings import described

WAIT_SECONDS_MAX = 300


@cache
def the_dataset():
    """A dataset without suggested rankings: the SDK reads them as lists of names and loses the ranks."""
    return make_full_dataset(suggested=values_of(0).keys() - {"ranking"})


def run_job(dataset, kind, **body):
    answer = owner.http_client.post(f"/api/v1/datasets/{dataset.id}/{kind}", json=body)
    equal(answer.status_code, 202, answer.text)
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        job = owner.http_client.get(f"/api/v1/jobs/{answer.json()['id']}").raise_for_status().json()
        if job["status"] not in ("queued", "started"):
            equal((job["status"], job["error"]), ("finished", None), str(job))
            return job
        time.sleep(0.1)
    raise AssertionError(f"the job did not end: {job}")


def test_an_export_of_the_server_is_read_by_the_sdk_unchanged():
    job = run_job(the_dataset(), "export", name="team/exported", private=True, token=TOKEN)
    equal(job["progress"], {"done": 3, "total": 3})
    workspace = make_workspace()
    copy = rg.Dataset.from_hub(
        "team/exported", name=fresh("exported"), workspace=workspace.name, client=owner, settings="auto", token=TOKEN
    )
    equal(described(copy.settings), described(the_dataset().settings))
    same_content(copy, the_dataset(), terms_are_lists=True)


def test_an_export_of_the_server_is_a_table_for_the_datasets_library():
    repository = "team/table-of-server"
    run_job(the_dataset(), "export", name=repository, subset="german", split="test", token=TOKEN)
    table = load_dataset(repository, "german", split="test", token=TOKEN)
    equal(table["id"], ["record-0", "record-1", "record-2"])
    equal(table[0]["image"].size, (2, 1))
    equal(table["metadata.tag"], [["one", "two"], ["three"], []])
    equal((table[1]["metadata.length"], table[1]["vector.small"]), (10, [0.5, 1.0, -1.25]))
    equal(table["rating.suggestion"], [0, 1, 2])
    equal([len(users) for users in table["label.responses.users"]], [1, 2, 3])


def test_custom_values_of_different_shapes_are_exported_as_json():
    settings = rg.Settings(
        fields=[rg.CustomField(name="custom", template="<p>")],
        questions=[rg.TextQuestion(name="comment")],
    )
    dataset = make_dataset(settings)
    dataset.records.log([{"id": "a", "custom": {"x": 1}}, {"id": "b", "custom": {"y": [None, "z"]}}])
    run_job(dataset, "export", name="team/shapes", token=TOKEN)
    table = load_dataset("team/shapes", split="train", token=TOKEN)
    equal([json.loads(value) for value in table["custom"]], [{"x": 1}, {"y": [None, "z"]}])
    copy = make_dataset(settings)
    mapping = {"fields": [{"source": "custom", "target": "custom"}], "external_id": "id"}
    run_job(copy, "import", name="team/shapes", subset="default", split="train", mapping=mapping)
    same_content(copy, dataset)


def test_a_push_of_the_sdk_is_imported_by_the_server():
    repository = "team/to-import"
    source = make_dataset(text_settings())
    source.records.log(
        [
            rg.Record(
                id=f"row-{number}",
                fields={"text": f"Text {number}"},
                metadata={"source": "web"},
                suggestions=[rg.Suggestion("topic", ["food", "sport"][number % 2])],
            )
            for number in range(150)
        ]
    )
    source.to_hub(repository, token=TOKEN, num_shards=2, generate_card=False)
    features = load_dataset(repository, split="train", token=TOKEN).features
    holds(isinstance(features["topic.suggestion"], ClassLabel), f"numbers must become names: {features}")

    copy = make_dataset(text_settings())
    mapping = {
        "fields": [{"source": "text", "target": "text"}],
        "metadata": [{"source": "source", "target": "source"}],
        "suggestions": [{"source": "topic.suggestion", "target": "topic"}],
        "external_id": "id",
    }
    job = run_job(copy, "import", name=repository, subset="default", split="train", mapping=mapping)
    equal(job["progress"], {"done": 150, "total": 150})
    same_content(copy, source)
