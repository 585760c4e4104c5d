"""A FeedbackDataset with every question type, pushed and read back; filters, sorts, updates and deletions."""

import argilla as rg
from session import connect, raises

connect("feedback")
dataset = rg.FeedbackDataset(
    guidelines="Read, then answer.",
    fields=[rg.TextField(name="prompt"), rg.TextField(name="reply", required=False, use_markdown=True)],
    questions=[
        rg.RatingQuestion(name="rating", values=[1, 2, 3]),
        rg.TextQuestion(name="better", required=False),
        rg.LabelQuestion(name="tone", labels={"p": "Polite", "r": "Rude"}),
        rg.MultiLabelQuestion(name="topics", labels=["a", "b", "c"], required=False),
        rg.RankingQuestion(name="order", values=["x", "y"], required=False),
        rg.SpanQuestion(name="parts", field="prompt", labels=["who", "what"], required=False),
    ],
    metadata_properties=[
        rg.TermsMetadataProperty(name="source", values=["web", "book"]),
        rg.IntegerMetadataProperty(name="length", min=0, max=100),
        rg.FloatMetadataProperty(name="quality", min=0.0, max=100.0),
    ],
    # The client sends the name as the title.
    vectors_settings=[rg.VectorSettings(name="v", title="v", dimensions=2)],
    allow_extra_metadata=False,
)
me = rg.User.me()
dataset.add_records(
    [
        rg.FeedbackRecord(
            external_id=f"e{i}",
            fields={"prompt": f"Question {i} 🎉", **({"reply": "**yes**"} if i % 2 else {})},
            metadata={"source": "web" if i % 2 else "book", "length": i, "quality": float(i)},
            vectors={"v": [float(i), 1.0]},
            suggestions=[
                {"question_name": "rating", "value": 1 + i % 3, "score": 0.5, "agent": "m1", "type": "model"},
                {"question_name": "tone", "value": "p"},
                {"question_name": "topics", "value": ["a", "b"], "score": [0.2, 0.3]},
                {"question_name": "order", "value": [{"value": "x", "rank": 1}, {"value": "y", "rank": 2}]},
                {"question_name": "parts", "value": [{"start": 0, "end": 8, "label": "what", "score": 0.4}], "score": [0.4]},
            ],
            responses=[{"user_id": me.id, "status": "submitted", "values": {"rating": {"value": 2}, "tone": {"value": "r"}}}] if i < 3 else [],
        )
        for i in range(70)
    ]
)
remote = dataset.push_to_argilla(name="with everything", workspace="feedback")
again = rg.FeedbackDataset.from_argilla(name="with everything", workspace="feedback", with_vectors="all")
assert len(again.records) == 70 and again.guidelines == "Read, then answer." and not again.allow_extra_metadata
assert [field.name for field in again.fields] == ["prompt", "reply"]
assert [(question.name, type(question).__name__) for question in again.questions] == [
    ("rating", "RemoteRatingQuestion"),
    ("better", "RemoteTextQuestion"),
    ("tone", "RemoteLabelQuestion"),
    ("topics", "RemoteMultiLabelQuestion"),
    ("order", "RemoteRankingQuestion"),
    ("parts", "RemoteSpanQuestion"),
], [type(question).__name__ for question in again.questions]

local = again.pull()
for part in ("fields", "questions", "metadata_properties", "vectors_settings"):
    assert [one.dict() for one in getattr(dataset, part)] == [one.dict() for one in getattr(local, part)], (getattr(dataset, part), getattr(local, part))
for before, after in zip(dataset.records, sorted(local.records, key=lambda record: int(record.external_id[1:]))):
    assert before.fields == {name: value for name, value in after.fields.items() if value is not None}, (before.fields, after.fields)
    assert before.metadata == after.metadata and before.external_id == after.external_id
    assert {name: type(value) for name, value in before.metadata.items()} == {name: type(value) for name, value in after.metadata.items()}
    assert before.vectors == after.vectors, (before.vectors, after.vectors)
    assert {s.question_name: (s.value, s.score, s.agent, s.type) for s in before.suggestions} == {
        s.question_name: (s.value, s.score, s.agent, s.type) for s in after.suggestions
    }, (before.suggestions, after.suggestions)
    assert [(r.user_id, r.status, r.values) for r in before.responses] == [(r.user_id, r.status, r.values) for r in after.responses]

assert len(again.filter_by(metadata_filters=rg.TermsMetadataFilter(name="source", values=["web"])).records) == 35
assert len(again.filter_by(metadata_filters=rg.IntegerMetadataFilter(name="length", ge=10, le=19)).records) == 10
assert len(again.filter_by(response_status="submitted").records) == 3
assert len(again.filter_by(response_status=["pending"]).records) == 67
descending = again.sort_by([rg.SortBy(field="metadata.length", order="desc")])
assert [record.metadata["length"] for record in descending.records][:2] == [69, 68]
newest = again.sort_by([rg.SortBy(field="inserted_at", order="desc")])
assert newest.records[0].external_id == "e69"
nearest = again.find_similar_records(vector_name="v", value=[3.0, 1.0], max_results=2)
assert len(nearest) == 2

record = again.records[0]
record.metadata["length"] = 99
record.vectors["v"] = [5.0, 5.0]
record.suggestions = [{"question_name": "rating", "value": 3}]
again.update_records(record)
changed = [other for other in again.records if other.id == record.id][0]
assert changed.metadata["length"] == 99 and changed.vectors == {"v": [5.0, 5.0]} and [s.value for s in changed.suggestions] == [3]
again.delete_records([again.records[1], again.records[2]])
assert len(again.records) == 68
assert "with everything" in [known.name for known in rg.list_datasets(workspace="feedback")]
again.delete()
raises(ValueError, "Could not find a `FeedbackDataset`", lambda: rg.FeedbackDataset.from_argilla(name="with everything", workspace="feedback"))
print("done")
