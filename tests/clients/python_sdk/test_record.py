import argilla as rg
from argilla._exceptions import NotFoundError, UnprocessableEntityError
from session import (
    answers_of,
    by_id,
    equal,
    holds,
    ids,
    make_text_dataset,
    make_user,
    near,
    owner,
    raises,
    requests_of,
)

CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def make_chat_dataset():
    dataset = make_text_dataset(
        fields=[rg.TextField(name="text"), rg.ChatField(name="chat", required=False)],
        questions=[
            rg.LabelQuestion(name="topic", labels=["food", "sport", "work"]),
            rg.TextQuestion(name="comment", required=False),
        ],
        metadata=[rg.TermsMetadataProperty(name="source"), rg.IntegerMetadataProperty(name="number")],
        vectors=[rg.VectorField(name="embed", dimensions=2), rg.VectorField(name="other", dimensions=2)],
    )
    user = make_user()
    dataset.records.log(
        [
            rg.Record(
                id=key,
                fields={"text": f"Text {key}", "chat": CHAT},
                metadata={"source": "web", "number": 1},
                vectors={"embed": [1, 2], "other": [3, 4]},
                suggestions=[rg.Suggestion("topic", "food", score=0.5, agent="one"), rg.Suggestion("comment", "Fine")],
                responses=[rg.Response("topic", "sport", user_id=user.id, status="submitted")],
            )
            for key in ("a", "b")
        ]
    )
    return dataset, user


def read(dataset, key="a"):
    return by_id(dataset.records(with_vectors=True))[key]


def test_get_reads_everything_again():
    dataset, user = make_chat_dataset()
    (record,) = dataset.records(limit=1, with_suggestions=False, with_responses=False)
    dataset.records.log([rg.Record(id="a", fields={"text": "changed", "chat": CHAT}, metadata={"number": 2})])
    equal(record.get().id, "a")
    equal(record.fields.to_dict(), {"text": "changed", "chat": CHAT})
    equal(dict(record.metadata), {"number": 2})
    near(record.vectors["embed"], [1, 2])
    near(record.vectors["other"], [3, 4])
    equal((record.suggestions["topic"].agent, record.suggestions["comment"].value), ("one", "Fine"))
    equal(answers_of(record, "topic"), [(user.id, "sport", "submitted")])
    equal(record.status, "completed")


def test_update_changes_a_chat_field():
    dataset, _ = make_chat_dataset()
    record = read(dataset)
    longer = [*CHAT, {"role": "user", "content": "Bye"}]
    record.fields["chat"] = longer
    record.fields["text"] = "New text"
    record.update()
    found = read(dataset)
    equal(found.fields.to_dict(), {"text": "New text", "chat": longer})
    holds(found.updated_at > found.inserted_at, "the time of the change moved")
    equal(ids(dataset.records("bye")), ["a"], "the index knows")
    equal(read(dataset, "b").fields.to_dict(), {"text": "Text b", "chat": CHAT}, "the other one is as before")


def test_update_replaces_metadata():
    dataset, _ = make_chat_dataset()
    record = read(dataset)
    del record.metadata["source"]
    record.metadata["number"] = 77
    record.update()
    equal(dict(read(dataset).metadata), {"number": 77})
    equal(ids(dataset.records(rg.Query(filter=("metadata.number", "==", 77)))), ["a"])
    equal(ids(dataset.records(rg.Query(filter=("metadata.source", "==", "web")))), ["b"])


def test_update_replaces_the_whole_set_of_suggestions():
    dataset, _ = make_chat_dataset()
    record = read(dataset)
    record.suggestions.add(rg.Suggestion("topic", "work", score=0.75, agent="two", type="human"))
    record.update()
    found = read(dataset).suggestions
    topic = found["topic"]
    equal((topic.value, topic.score, topic.agent, topic.type), ("work", 0.75, "two", "human"))
    equal(found["comment"].value, "Fine")

    (bare,) = dataset.records(rg.Query(filter=("id", "==", "a")), with_suggestions=False)
    bare.suggestions.add(rg.Suggestion("comment", "Only this"))
    bare.update()
    equal(read(dataset).suggestions.to_dict(), {"comment": {"value": "Only this", "score": None, "agent": None}})


def test_update_merges_vectors():
    dataset, _ = make_chat_dataset()
    (record,) = dataset.records(rg.Query(filter=("id", "==", "a")))
    record.vectors["embed"] = [-1.0, 0.5]
    record.update()
    found = read(dataset)
    near(found.vectors["embed"], [-1.0, 0.5])
    near(found.vectors["other"], [3, 4])


def test_update_leaves_responses_and_status_alone():
    dataset, user = make_chat_dataset()
    record = read(dataset)
    record.responses.add(rg.Response("topic", "work", user_id=owner.me.id, status="submitted"))
    record.update()
    found = read(dataset)
    equal(answers_of(found, "topic"), [(user.id, "sport", "submitted")])
    equal(found.status, "completed")


def test_update_with_wrong_values_changes_nothing():
    dataset, _ = make_chat_dataset()
    record = read(dataset)
    record.fields["text"] = "Not stored"
    record.metadata["number"] = "not a number"
    error = raises(UnprocessableEntityError, record.update)
    holds("number" in str(error), f"{error}")
    found = read(dataset)
    equal((found.fields["text"], found.metadata["number"]), ("Text a", 1))


def test_a_deleted_record_is_gone():
    dataset, _ = make_chat_dataset()
    record = read(dataset)
    record.delete()
    equal(ids(dataset.records), ["b"])
    equal(ids(dataset.records("text")), ["b"])
    raises(NotFoundError, record.delete)
    raises(NotFoundError, record.get)
    raises(NotFoundError, record.update)


def test_a_deleted_id_may_be_logged_anew():
    dataset, _ = make_chat_dataset()
    before = read(dataset)
    before.delete()
    dataset.records.log([{"id": "a", "text": "born again"}])
    found = read(dataset)
    holds(found._server_id != before._server_id, "it is another record")
    equal((len(found.suggestions), len(found.responses), dict(found.vectors)), (0, 0, {}))
    equal(ids(dataset.records), ["b", "a"])


def test_many_records_are_deleted_64_at_a_time():
    dataset = make_text_dataset()
    dataset.records.log([{"id": str(number), "text": f"text {number}"} for number in range(200)])
    records = list(dataset.records)
    dataset.records.delete(records=records[:150])
    sizes = [len(each.query["ids"][0].split(",")) for each in requests_of("DELETE", "/records")]
    equal(sizes, [64, 64, 22])
    equal(ids(dataset.records), ids(records[150:]))
    equal(len(list(dataset.records("text"))), 50)
    equal(dataset.progress()["total"], 50)


def test_up_to_100_records_are_deleted_in_one_call():
    dataset = make_text_dataset()
    dataset.records.log([{"id": str(number), "text": "a"} for number in range(120)])
    dataset.records.delete(records=list(dataset.records), batch_size=1000)
    sizes = [len(each.query["ids"][0].split(",")) for each in requests_of("DELETE", "/records")]
    equal(sizes, [100, 20])
    equal(list(dataset.records), [])


def test_deleting_twice_and_records_of_others_does_no_harm():
    dataset, other = make_text_dataset(), make_text_dataset()
    for each in (dataset, other):
        each.records.log([{"id": "x", "text": "a"}])
    (record,), (foreign,) = dataset.records, other.records
    dataset.records.delete(records=[record])
    dataset.records.delete(records=[record, foreign])
    equal((ids(dataset.records), ids(other.records)), ([], ["x"]))
