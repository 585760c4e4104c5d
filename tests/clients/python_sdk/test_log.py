import base64
import io
import tempfile
from pathlib import Path
from uuid import uuid4

import argilla as rg
from argilla._exceptions import UnprocessableEntityError
from argilla.records._dataset_records import RecordErrorHandling
from datasets import ClassLabel, Features, Image, Sequence, Value
from datasets import Dataset as TableDataset
from PIL import Image as Pillow
from session import (
    answers_of,
    by_id,
    equal,
    ids,
    make_dataset,
    make_text_dataset,
    make_user,
    near,
    owner,
    raises,
    requests_of,
)
from test_settings import full_settings

LABELS = ["food", "sport", "work"]
PIXEL = Pillow.new("RGB", (2, 1), (255, 0, 0))


def png_bytes():
    buffer = io.BytesIO()
    PIXEL.save(buffer, format="PNG")
    return buffer.getvalue()


def data_url():
    return f"data:image/png;base64,{base64.b64encode(png_bytes()).decode()}"


def make_rich_dataset(min_submitted=2):
    return make_text_dataset(
        questions=[
            rg.LabelQuestion(name="topic", labels=LABELS),
            rg.RatingQuestion(name="quality", values=[1, 2, 3, 4, 5], required=False),
        ],
        metadata=[rg.TermsMetadataProperty(name="source"), rg.IntegerMetadataProperty(name="number")],
        vectors=[rg.VectorField(name="embed", dimensions=4)],
        distribution=rg.TaskDistribution(min_submitted=min_submitted),
    )


def rich_records(count, users):
    """Every record is different. Even ones have a response of one user, every fourth one of two users."""
    for number in range(count):
        answering = users[: 2 if number % 4 == 0 else 1] if number % 2 == 0 else []
        yield rg.Record(
            id=f"row-{number}",
            fields={"text": f"Text number {number}"},
            metadata={"source": f"source-{number % 3}", "number": number},
            vectors={"embed": [number + 0.25, 1.0, -1.0, 0.5]},
            suggestions=[
                rg.Suggestion("topic", LABELS[number % 3], score=number / 1000, agent="model/v1", type="model"),
                rg.Suggestion("quality", 1 + number % 5, agent="rater"),
            ],
            responses=[rg.Response("topic", LABELS[-1 - number % 3], user_id=user.id, status="submitted") for user in answering],
        )


def sizes_sent():
    return [len(exchange.body["items"]) for exchange in requests_of("PUT", "/records/bulk")]


def test_600_records_are_logged_in_batches_of_256_and_listed_in_order():
    users, dataset = [make_user(), make_user()], make_rich_dataset()
    logged = list(rich_records(600, users))
    dataset.records.log(logged)
    equal(sizes_sent(), [256, 256, 88])

    found = list(dataset.records(with_vectors=True))
    equal(ids(found), ids(logged))
    for number, (record, sent) in enumerate(zip(found, logged)):
        equal(dict(record.fields), dict(sent.fields), record.id)
        equal(dict(record.metadata), dict(sent.metadata), record.id)
        near(record.vectors["embed"], sent.vectors["embed"], record.id)
        equal(record.suggestions.to_dict(), sent.suggestions.to_dict(), record.id)
        equal(record.suggestions["topic"].type, "model", record.id)
        equal(record.responses.to_dict(), sent.responses.to_dict(), record.id)
        equal(record.status, "completed" if number % 4 == 0 else "pending", record.id)
    equal(len({record._server_id for record in found}), 600)
    equal(dataset.progress(), {"total": 600, "completed": 150, "pending": 450})


def test_a_batch_has_up_to_500_records():
    dataset = make_text_dataset()
    dataset.records.log([{"text": str(number)} for number in range(600)], batch_size=1000)
    equal(sizes_sent(), [500, 100])
    equal(dataset.progress()["total"], 600)


def test_records_are_logged_as_dictionaries():
    dataset = make_rich_dataset()
    dataset.records.log(
        [
            {"id": "a", "text": "One", "topic": "food", "quality": 4, "source": "web", "number": 1, "embed": [1, 0, 0, 0]},
            {"id": "b", "text": "Two"},
        ]
    )
    first, second = dataset.records(with_vectors=True)
    equal((first.id, first.fields["text"], dict(first.metadata)), ("a", "One", {"source": "web", "number": 1}))
    equal((first.suggestions["topic"].value, first.suggestions["quality"].value), ("food", 4))
    near(first.vectors["embed"], [1, 0, 0, 0])
    equal((second.id, dict(second.metadata), dict(second.vectors)), ("b", {}, {}))
    equal((len(second.suggestions), len(second.responses), second.status), (0, 0, "pending"))


def test_ids_of_any_type_come_back_as_text_and_missing_ones_are_made():
    dataset, identity = make_text_dataset(), uuid4()
    dataset.records.log([rg.Record(id=17, fields={"text": "a"}), rg.Record(id=identity, fields={"text": "b"})])
    dataset.records.log([rg.Record(id="with / strange ? & ünïcode", fields={"text": "c"}), {"text": "d"}])
    found = ids(dataset.records)
    equal(found[:3], ["17", str(identity), "with / strange ? & ünïcode"])
    equal(found[3], ids(dataset.records)[3], "an id that the SDK made stays")


def test_a_mapping_renames_columns_and_sends_one_to_many():
    dataset = make_text_dataset(
        fields=[rg.TextField(name="text"), rg.TextField(name="copy", required=False)],
        metadata=[rg.TermsMetadataProperty(name="source")],
    )
    dataset.records.log(
        [{"key": "m", "body": "Hello", "guess": "sport", "sure": 0.5, "by": "bot", "truth": "work", "from": "web"}],
        mapping={
            "key": "id",
            "body": ("text", "copy"),
            "guess": "topic",
            "sure": "topic.suggestion.score",
            "by": "topic.suggestion.agent",
            "truth": "topic.response",
            "from": "source",
        },
    )
    (record,) = dataset.records
    equal((record.id, dict(record.fields)), ("m", {"text": "Hello", "copy": "Hello"}))
    equal(dict(record.metadata), {"source": "web"})
    equal(record.suggestions.to_dict(), {"topic": {"value": "sport", "score": 0.5, "agent": "bot"}})
    equal(answers_of(record, "topic"), [(owner.me.id, "work", "draft")])


def test_the_mapping_of_the_settings_is_used():
    dataset = make_dataset(rg.Settings.for_classification(labels=["good", "bad"]))
    dataset.records.log([{"document": "Nice", "output": "good"}])
    (record,) = dataset.records
    equal((record.fields["text"], record.suggestions["label"].value), ("Nice", "good"))


def test_responses_are_logged_for_a_named_user():
    dataset, user = make_text_dataset(), make_user()
    dataset.records.log([{"text": "a", "truth": "food"}], mapping={"truth": "topic.response"}, user_id=user.id)
    (record,) = dataset.records
    equal(answers_of(record, "topic"), [(user.id, "food", "draft")])


def test_responses_of_several_users_and_statuses_come_back_oldest_first():
    dataset, users = make_text_dataset(distribution=rg.TaskDistribution(min_submitted=2)), [make_user() for _ in range(3)]
    statuses = ["submitted", "draft", "discarded"]
    answers = [
        rg.Response("topic", label, user_id=user.id, status=status) for label, user, status in zip(LABELS, users, statuses)
    ]
    dataset.records.log([rg.Record(id="one", fields={"text": "a"}, responses=answers)])
    (record,) = dataset.records
    expected = [(user.id, label, status) for user, label, status in zip(users, LABELS, statuses)]
    equal(answers_of(record, "topic"), expected)
    equal(record.status, "pending", "drafts and discarded ones do not count")
    dataset.records.log(
        [rg.Record(id="one", fields={"text": "a"}, responses=[rg.Response("topic", "work", users[1].id, status="submitted")])]
    )
    equal(next(iter(dataset.records)).status, "completed", "two have submitted")


def test_a_table_of_the_datasets_library_is_logged():
    features = Features(
        {"id": Value("string"), "text": Value("string"), "topic": ClassLabel(names=LABELS), "number": Value("int64")}
    )
    table = TableDataset.from_dict(
        {"id": ["x", "y"], "text": ["One", "Two"], "topic": [2, 0], "number": [10, 20]}, features=features
    )
    dataset = make_rich_dataset()
    dataset.records.log(table)
    found = by_id(dataset.records)
    equal([found[key].suggestions["topic"].value for key in "xy"], ["work", "food"])
    equal([found[key].metadata["number"] for key in "xy"], [10, 20])


def test_a_table_without_ids_gets_them_from_its_rows():
    dataset = make_text_dataset(questions=[rg.MultiLabelQuestion(name="tags", labels=LABELS)])
    features = Features({"text": Value("string"), "tags": Sequence(ClassLabel(names=LABELS))})
    dataset.records.log(TableDataset.from_dict({"text": ["One", "Two"], "tags": [[0, 2], [1]]}, features=features))
    found = [(record.id, record.suggestions["tags"].value) for record in dataset.records]
    equal(found, [("None_0", ["food", "work"]), ("None_1", ["sport"])])


def test_images_are_logged_as_address_data_picture_and_file():
    dataset = make_text_dataset(fields=[rg.ImageField(name="image")])
    path = Path(tempfile.mkdtemp()) / "pixel.png"
    path.write_bytes(png_bytes())
    address = "https://pictures.example/a.png?size=1#top"
    given = {"address": address, "data": data_url(), "picture": PIXEL, "file": str(path), "path": path}
    dataset.records.log([{"id": key, "image": image} for key, image in given.items()])
    found = by_id(dataset.records)
    equal(found["address"].fields["image"], address)
    for key in ("data", "picture", "file", "path"):
        picture = found[key].fields["image"]
        equal((picture.size, picture.convert("RGB").getpixel((1, 0))), ((2, 1), (255, 0, 0)), key)
        equal(found[key].fields.to_dict()["image"].split(",")[0], "data:image/png;base64", key)


def test_a_table_with_pictures_is_logged():
    dataset = make_text_dataset(fields=[rg.ImageField(name="image")])
    features = Features({"id": Value("string"), "image": Image()})
    dataset.records.log(TableDataset.from_dict({"id": ["p"], "image": [PIXEL]}, features=features))
    (record,) = dataset.records
    equal(record.fields["image"].size, (2, 1))


def test_chat_and_custom_fields_are_kept():
    dataset = make_text_dataset(fields=[rg.ChatField(name="chat"), rg.CustomField(name="custom", template="<p>", required=False)])
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello\n*you*"}]
    custom = {"a": 1, "b": {"c": [1, 2.5, None, True, "x"]}, "empty": {}}
    dataset.records.log([{"id": "both", "chat": chat, "custom": custom}, {"id": "chat", "chat": chat[:1]}])
    both, alone = dataset.records
    equal([(message.role, message.content) for message in both.fields["chat"]], [("user", "Hi"), ("assistant", "Hello\n*you*")])
    equal(both.fields["custom"], custom)
    equal(alone.fields.to_dict(), {"chat": chat[:1]})


def test_every_question_type_takes_a_suggestion():
    dataset = make_dataset(full_settings())
    spans = [{"label": "per", "start": 0, "end": 4}, {"label": "loc", "start": 2, "end": 9}]
    values = {
        "label": ("pos", 0.9),
        "multi": (["a", "c"], [0.5, 0.25]),
        "rating": (10, 1.0),
        "ranking": (["r2", "r1", "r3"], [0.1, 0.2, 0.3]),
        "comment": ("Fine.", 0.0),
        "span": (spans, [0.75, 0.5]),
    }
    suggestions = [
        rg.Suggestion(name, value, score=score, agent=f"agent of {name}", type="human") for name, (value, score) in values.items()
    ]
    dataset.records.log([rg.Record(id="all", fields={"text": "Anna in Rome"}, suggestions=suggestions)])
    (record,) = dataset.records
    equal(len(record.suggestions), len(values))
    for name, (value, score) in values.items():
        found = record.suggestions[name]
        equal((found.value, found.score, found.agent, found.type), (value, score, f"agent of {name}", "human"), name)


def test_every_question_type_takes_a_response():
    dataset, user = make_dataset(full_settings()), make_user()
    ranked = [{"value": "r2", "rank": 1}, {"value": "r1", "rank": 2}, {"value": "r3", "rank": 2}]
    spans = [{"label": "org", "start": 0, "end": 12}, {"label": "misc", "start": 5, "end": 7}]
    values = {"label": "neg", "multi": ["d"], "rating": 0, "ranking": ranked, "comment": "", "span": spans}
    answers = [rg.Response(name, value, user_id=user.id, status="submitted") for name, value in values.items()]
    dataset.records.log([rg.Record(id="all", fields={"text": "Anna in Rome"}, responses=answers)])
    (record,) = dataset.records
    found = {response.question_name: response.value for response in record.responses}
    equal(found, {**values, "ranking": ["r2", "r1", "r3"]})


def test_a_draft_ranking_of_plain_names_keeps_its_order():
    dataset, user = make_dataset(full_settings()), make_user()
    answer = rg.Response("ranking", ["r3", "r1"], user_id=user.id, status="draft")
    dataset.records.log([rg.Record(id="draft", fields={"text": "a"}, responses=[answer])])
    (record,) = dataset.records
    equal(answers_of(record, "ranking"), [(user.id, ["r3", "r1"], "draft")])


def test_spans_count_characters_not_code_units():
    dataset = make_dataset(full_settings())
    suggestion = rg.Suggestion("span", [{"label": "per", "start": 0, "end": 2}])
    dataset.records.log([rg.Record(id="thumbs", fields={"text": "👍👍"}, suggestions=[suggestion])])
    (record,) = dataset.records
    equal(record.suggestions["span"].value, [{"label": "per", "start": 0, "end": 2}])


def test_metadata_of_every_type_is_kept():
    dataset = make_dataset(full_settings())
    metadata = {"source": "web", "tag": ["a", "b"], "length": 100, "pages": -3, "ratio": 1.0, "weight": 1e-3}
    metadata["extra"] = {"any": [1, "thing"]}
    dataset.records.log([rg.Record(id="one", fields={"text": "a"}, metadata=metadata)])
    (record,) = dataset.records
    equal(dict(record.metadata), metadata)


def test_records_that_the_sdk_cannot_read_are_left_out_on_demand():
    dataset = make_text_dataset()
    rows = [{"id": "good", "text": "a"}, {"id": "bad"}, {"id": "fine", "text": "b"}]
    # The SDK counts its batches over all rows, so a skipped row makes the last batch empty. The API requires 1 to 500 items, and
    # the SDK raises its error. Earlier batches are stored.
    raises(UnprocessableEntityError, lambda: dataset.records.log(rows, on_error=RecordErrorHandling.IGNORE))
    equal(ids(dataset.records), ["good", "fine"])
