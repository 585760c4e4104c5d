import argilla as rg
from session import answers_of, by_id, equal, holds, ids, make_text_dataset, make_user, near, owner

LABELS = ["food", "sport", "work"]


def make_logged():
    dataset = make_text_dataset(
        fields=[rg.TextField(name="text"), rg.TextField(name="note", required=False)],
        questions=[
            rg.LabelQuestion(name="topic", labels=LABELS),
            rg.RatingQuestion(name="quality", values=[1, 2, 3], required=False),
        ],
        metadata=[rg.TermsMetadataProperty(name="source"), rg.IntegerMetadataProperty(name="number")],
        vectors=[rg.VectorField(name="one", dimensions=2), rg.VectorField(name="two", dimensions=2)],
        distribution=rg.TaskDistribution(min_submitted=2),
    )
    user = make_user()
    dataset.records.log(
        [
            rg.Record(
                id=key,
                fields={"text": f"Text {key}", "note": "noted"},
                metadata={"source": "web", "number": 1},
                vectors={"one": [1, 0], "two": [0, 1]},
                suggestions=[
                    rg.Suggestion("topic", "food", score=0.5, agent="first", type="model"),
                    rg.Suggestion("quality", 1),
                ],
                responses=[rg.Response("topic", "sport", user_id=user.id, status="submitted")],
            )
            for key in ("a", "b", "c")
        ]
    )
    return dataset, user


def log_one(dataset, **parts):
    dataset.records.log([rg.Record(id="b", **{"fields": {"text": "Text b"}, **parts})])
    return by_id(dataset.records(with_vectors=True))["b"]


def test_the_same_ids_make_no_new_records_and_keep_their_place():
    dataset, _ = make_logged()
    before = list(dataset.records)
    dataset.records.log([{"id": key, "text": "again"} for key in ("c", "b", "a")])
    dataset.records.log([{"id": "b", "text": "and again"}, {"id": "d", "text": "new"}])
    after = list(dataset.records)
    equal(ids(after), ["a", "b", "c", "d"])
    equal([record._server_id for record in after[:3]], [record._server_id for record in before])
    equal([record.inserted_at for record in after[:3]], [record.inserted_at for record in before])


def test_fields_are_replaced_whole():
    record = log_one(make_logged()[0], fields={"text": "New"})
    equal(record.fields.to_dict(), {"text": "New"})


def test_metadata_is_replaced_whole_and_cleared_when_left_out():
    dataset, _ = make_logged()
    equal(dict(log_one(dataset, metadata={"number": 2}).metadata), {"number": 2})
    equal(dict(log_one(dataset).metadata), {})


def test_suggestions_are_merged_by_question():
    dataset, _ = make_logged()
    record = log_one(dataset, suggestions=[rg.Suggestion("topic", "work")])
    topic, quality = record.suggestions["topic"], record.suggestions["quality"]
    equal((topic.value, topic.score, topic.agent, topic.type), ("work", None, None, None))
    equal(quality.value, 1, "the other question keeps its own")
    equal(len(log_one(dataset).suggestions), 2, "none given, none lost")


def test_responses_are_merged_by_user():
    dataset, user = make_logged()
    other = make_user()
    record = log_one(dataset, responses=[rg.Response("topic", "work", user_id=other.id, status="submitted")])
    equal(answers_of(record, "topic"), [(user.id, "sport", "submitted"), (other.id, "work", "submitted")])
    equal(record.status, "completed")
    record = log_one(dataset, responses=[rg.Response("topic", "food", user_id=user.id, status="draft")])
    equal(answers_of(record, "topic"), [(user.id, "food", "draft"), (other.id, "work", "submitted")])
    equal(record.status, "pending", "a submitted answer that became a draft counts no more")
    equal(len(log_one(dataset).responses), 2, "none given, none lost")


def test_vectors_are_merged_by_name():
    dataset, _ = make_logged()
    record = log_one(dataset, vectors={"one": [3, 4]})
    near(record.vectors["one"], [3, 4])
    near(record.vectors["two"], [0, 1])
    equal(sorted(log_one(dataset).vectors), ["one", "two"], "none given, none lost")


def test_a_record_without_fields_changes_the_rest_of_a_known_one():
    dataset, _ = make_logged()
    dataset.records.log([rg.Record(id="b", metadata={"number": 9}, suggestions=[rg.Suggestion("quality", 3)])])
    record = by_id(dataset.records)["b"]
    equal(record.fields.to_dict(), {"text": "Text b", "note": "noted"})
    equal((dict(record.metadata), record.suggestions["quality"].value), ({"number": 9}, 3))


def test_records_that_were_read_are_changed_and_logged_again():
    dataset, _ = make_logged()
    records = list(dataset.records(with_vectors=True))
    for record in records:
        record.fields["text"] = record.fields["text"].upper()
        record.metadata["number"] = 5
        record.suggestions.add(rg.Suggestion("topic", "sport", agent="second"))
        record.responses.add(rg.Response("topic", "food", user_id=owner.me.id, status="submitted"))
    dataset.records.log(records)
    found = list(dataset.records)
    equal([record.fields["text"] for record in found], ["TEXT A", "TEXT B", "TEXT C"])
    equal([record._server_id for record in found], [record._server_id for record in records])
    equal({record.metadata["number"] for record in found}, {5})
    equal({(record.suggestions["topic"].value, record.suggestions["topic"].agent) for record in found}, {("sport", "second")})
    equal({record.status for record in found}, {"completed"})


def test_the_server_id_decides_when_both_ids_are_sent():
    dataset, _ = make_logged()
    record = by_id(dataset.records)["a"]
    record.id = "b"
    record.fields["text"] = "changed"
    dataset.records.log([record])
    texts = {each.id: each.fields["text"] for each in dataset.records}
    equal(texts, {"a": "changed", "b": "Text b", "c": "Text c"})


def test_the_same_id_in_another_dataset_is_another_record():
    first, second = make_text_dataset(), make_text_dataset()
    for dataset, text in ((first, "one"), (second, "two")):
        dataset.records.log([{"id": "same", "text": text}])
    (left,), (right,) = first.records, second.records
    equal((left.fields["text"], right.fields["text"]), ("one", "two"))
    holds(left._server_id != right._server_id, "two records")


def test_a_changed_record_is_found_by_its_new_content():
    dataset, _ = make_logged()
    log_one(dataset, fields={"text": "pineapple"}, metadata={"number": 42})
    equal(ids(dataset.records("pineapple")), ["b"])
    equal(ids(dataset.records(rg.Query(filter=("metadata.number", "==", 42)))), ["b"])
    equal(sorted(ids(dataset.records("noted"))), ["a", "c"], "its old words are forgotten")
