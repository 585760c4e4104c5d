import json
import tempfile
from functools import cache
from pathlib import Path

import argilla as rg
from session import answers_of, by_id, equal, fresh, holds, ids, make_dataset, make_user, make_workspace, near, owner
from test_log import PIXEL
from test_settings import described

CHAT = [{"role": "user", "content": "Hi"}]
SPANS = [{"label": "per", "start": 0, "end": 4}]


@cache
def the_users():
    return [make_user(), make_user()]


@cache
def the_dataset():
    dataset = make_dataset(
        rg.Settings(
            guidelines="Answer.",
            fields=[
                rg.TextField(name="text"),
                rg.ChatField(name="chat", required=False),
                rg.CustomField(name="custom", template="<p>", required=False),
            ],
            questions=[
                rg.LabelQuestion(name="topic", labels=["food", "sport", "work"]),
                rg.RankingQuestion(name="order", values=["x", "y"], required=False),
                rg.SpanQuestion(name="span", field="text", labels=["per", "loc"], required=False),
            ],
            metadata=[rg.TermsMetadataProperty(name="source"), rg.FloatMetadataProperty(name="ratio")],
            vectors=[rg.VectorField(name="embed", dimensions=2)],
            distribution=rg.TaskDistribution(min_submitted=2),
        )
    )
    first, second = the_users()
    dataset.records.log(
        [
            rg.Record(
                id="full",
                fields={"text": "Anna eats", "chat": CHAT, "custom": {"a": [1, None]}},
                metadata={"source": "web", "ratio": 0.5},
                vectors={"embed": [0.5, -0.5]},
                suggestions=[
                    rg.Suggestion("topic", "food", score=0.9, agent="bot"),
                    rg.Suggestion("order", ["y", "x"]),
                    rg.Suggestion("span", SPANS, score=[0.25]),
                ],
                responses=[
                    rg.Response("topic", "sport", user_id=first.id, status="submitted"),
                    rg.Response("topic", "work", user_id=second.id, status="submitted"),
                ],
            ),
            rg.Record(id="bare", fields={"text": "Ben sleeps"}),
        ]
    )
    return dataset


def test_a_nested_list_has_all_parts():
    full, bare = the_dataset().records(with_vectors=True).to_list(flatten=False)
    first, second = (str(user.id) for user in the_users())
    server_id = str(by_id(the_dataset().records)["full"]._server_id)
    near(full.pop("vectors")["embed"], [0.5, -0.5])
    equal(
        full,
        {
            "id": "full",
            "fields": {"text": "Anna eats", "chat": CHAT, "custom": {"a": [1, None]}},
            "metadata": {"source": "web", "ratio": 0.5},
            "suggestions": {
                "topic": {"value": "food", "score": 0.9, "agent": "bot"},
                "order": {"value": ["y", "x"], "score": None, "agent": None},
                "span": {"value": SPANS, "score": [0.25], "agent": None},
            },
            "responses": {"topic": [{"value": "sport", "user_id": first}, {"value": "work", "user_id": second}]},
            "status": "completed",
            "_server_id": server_id,
        },
    )
    equal((bare["fields"], bare["metadata"], bare["vectors"]), ({"text": "Ben sleeps"}, {}, {}))
    equal((bare["suggestions"], bare["responses"], bare["status"]), ({}, {}, "pending"))


def test_a_flat_list_has_one_column_a_part():
    full, bare = the_dataset().records.to_list(flatten=True)
    first, second = (str(user.id) for user in the_users())
    equal((full["text"], full["chat"], full["custom"]), ("Anna eats", CHAT, {"a": [1, None]}))
    equal((full["source"], full["ratio"], full["status"]), ("web", 0.5, "completed"))
    equal((full["topic.suggestion"], full["topic.suggestion.score"], full["topic.suggestion.agent"]), ("food", 0.9, "bot"))
    equal((full["order.suggestion"], full["span.suggestion"]), (["y", "x"], SPANS))
    equal(full["topic.responses"], ["sport", "work"])
    equal(full["topic.responses.users"], [first, second])
    equal(full["topic.responses.status"], ["submitted", "submitted"])
    holds("embed" not in full, "vectors are not read by this call")
    equal((bare["text"], bare["source"], bare["topic.responses"]), ("Ben sleeps", None, None))


def test_dictionaries_by_name_and_by_id():
    by_name = the_dataset().records.to_dict(flatten=True)
    equal((by_name["id"], by_name["text"]), (["full", "bare"], ["Anna eats", "Ben sleeps"]))
    by_record = the_dataset().records.to_dict(orient="index")
    equal((list(by_record), by_record["bare"]["fields"]), (["full", "bare"], {"text": "Ben sleeps"}))


def test_a_query_is_exported_alone():
    equal([row["id"] for row in the_dataset().records("sleeps").to_list(flatten=False)], ["bare"])
    completed = rg.Query(filter=("status", "==", "completed"))
    equal(the_dataset().records(completed).to_dict(flatten=True, orient="names")["id"], ["full"])


def test_records_go_through_a_json_file_into_another_dataset():
    path = Path(tempfile.mkdtemp()) / "records.json"
    the_dataset().records(with_vectors=True).to_json(path)
    equal([row["id"] for row in json.loads(path.read_text())], ["full", "bare"])
    copy = make_dataset(the_dataset().settings)
    copy.records.from_json(path)
    full, bare = copy.records(with_vectors=True)
    original = by_id(the_dataset().records)["full"]
    first, second = the_users()
    equal((full.id, bare.id), ("full", "bare"))
    holds(full._server_id != original._server_id, "the copy is another record")
    equal((full.fields.to_dict(), dict(full.metadata)), (original.fields.to_dict(), dict(original.metadata)))
    equal(full.suggestions.to_dict(), original.suggestions.to_dict())
    near(full.vectors["embed"], [0.5, -0.5])
    expected = [(first.id, "sport", "draft"), (second.id, "work", "draft")]
    equal(answers_of(full, "topic"), expected, "the file has no status, so the SDK sends drafts")


def test_a_json_file_read_into_its_own_dataset_makes_no_new_records():
    dataset = make_dataset(the_dataset().settings)
    dataset.records.log([{"id": "one", "text": "First", "source": "web"}, {"id": "two", "text": "Second"}])
    before = list(dataset.records)
    path = Path(tempfile.mkdtemp()) / "records.json"
    dataset.records.to_json(path)
    dataset.records.from_json(path)
    after = list(dataset.records)
    equal([(record.id, record._server_id) for record in after], [(record.id, record._server_id) for record in before])
    equal(after[0].fields.to_dict(), {"text": "First"})


def test_a_table_of_the_datasets_library_is_made_and_logged_again():
    table = the_dataset().records(rg.Query(filter=("id", "==", "full")), with_vectors=True).to_datasets()
    equal((table["id"], table["text"]), (["full"], ["Anna eats"]))
    equal(table.features["topic.suggestion"].names, ["food"])
    equal(table["topic.responses"], [["sport", "work"]])

    copy = make_dataset(the_dataset().settings)
    copy.records.log(table, mapping={"topic.suggestion": "topic", "topic.suggestion.score": "topic.suggestion.score"})
    (record,) = copy.records(with_vectors=True)
    equal((record.id, record.fields["text"], record.fields.to_dict()["chat"]), ("full", "Anna eats", CHAT))
    equal(dict(record.metadata), {"source": "web", "ratio": 0.5})
    equal(record.suggestions["topic"].value, "food")
    near(record.vectors["embed"], [0.5, -0.5])


def test_pictures_are_exported_to_a_table():
    settings = rg.Settings.for_classification(labels=["red", "blue"], field_type="image")
    dataset = make_dataset(settings)
    dataset.records.log([{"id": "p", "document": PIXEL, "output": "red"}])
    table = dataset.records.to_datasets()
    equal(table[0]["text"].size, (2, 1))


def test_a_dataset_goes_through_a_folder():
    folder, workspace = tempfile.mkdtemp(), make_workspace()
    the_dataset().to_disk(folder)
    copy = rg.Dataset.from_disk(folder, name=fresh("from-disk"), workspace=workspace.name, client=owner)
    equal(copy.workspace.id, workspace.id)
    holds(copy.id != the_dataset().id, "it is another dataset")
    equal(described(copy.settings), described(the_dataset().settings))
    equal(ids(copy.records), ["full", "bare"])
    original, copied = (by_id(each.records)["full"] for each in (the_dataset(), copy))
    equal((copied.fields.to_dict(), dict(copied.metadata)), (original.fields.to_dict(), dict(original.metadata)))
    equal(copied.suggestions.to_dict(), original.suggestions.to_dict())
    equal(copied.responses.to_dict(), original.responses.to_dict())


def test_a_folder_may_leave_the_records_out():
    folder = tempfile.mkdtemp()
    the_dataset().to_disk(folder, with_records=False)
    copy = rg.Dataset.from_disk(folder, name=fresh("from-disk"), workspace="default", client=owner)
    equal(list(copy.records), [])


def test_a_folder_read_under_a_taken_name_fills_the_dataset_of_that_name():
    dataset = make_dataset(the_dataset().settings)
    dataset.records.log([{"id": "one", "text": "First"}])
    folder = tempfile.mkdtemp()
    dataset.to_disk(folder)
    dataset.records.log([{"id": "one", "text": "Changed"}])
    again = rg.Dataset.from_disk(folder, workspace="default", client=owner)
    equal(again.id, dataset.id)
    equal([(record.id, record.fields["text"]) for record in again.records], [("one", "First")])
