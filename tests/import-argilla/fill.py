"""Fills an Argilla server through the public SDK: every field and question type, three annotators, vectors, a draft and a webhook.

Usage: fill.py <url> <api key> <records>
"""

import sys

import argilla as rg
import httpx

URL, API_KEY, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
LABELS = ["positive", "neutral", "negative"]
USERS = ["ben", "cleo", "dora"]

client = rg.Argilla(api_url=URL, api_key=API_KEY)
http = httpx.Client(base_url=URL, headers={"X-Argilla-Api-Key": API_KEY}, timeout=60)


def make_settings() -> rg.Settings:
    return rg.Settings(
        guidelines="Read the text. Ünïcode: 日本語 🙂",
        fields=[
            rg.TextField(name="text", title="Text", use_markdown=True),
            rg.ImageField(name="image", required=False),
            rg.ChatField(name="chat", required=False),
            rg.CustomField(name="custom", template="<b>{{record.fields.custom.name}}</b>", advanced_mode=False, required=False),
        ],
        questions=[
            rg.LabelQuestion(name="label", labels={label: label.title() for label in LABELS}),
            rg.MultiLabelQuestion(name="topics", labels=[f"topic {i}" for i in range(25)], visible_labels=5, required=False),
            rg.RatingQuestion(name="rating", values=[0, 1, 2, 3, 4, 5], required=False),
            rg.RankingQuestion(name="ranking", values=["a", "b", "c"], required=False),
            rg.TextQuestion(name="comment", use_markdown=True, required=False, description="Why?"),
            rg.SpanQuestion(name="spans", field="text", labels=["PER", "LOC"], allow_overlapping=True, required=False),
        ],
        metadata=[
            rg.TermsMetadataProperty("source", options=["web", "book"]),
            rg.IntegerMetadataProperty("length", min=0),
            rg.FloatMetadataProperty("quality", min=0.0, max=1.0, visible_for_annotators=False),
        ],
        vectors=[rg.VectorField("small", dimensions=4), rg.VectorField("large", dimensions=16)],
        distribution=rg.TaskDistribution(min_submitted=2),
        allow_extra_metadata=True,
    )


def make_answers(i: int) -> dict:
    return {
        "label": LABELS[i % 3],
        "topics": [f"topic {i % 25}", f"topic {(i + 7) % 25}"],
        "rating": i % 6,
        "ranking": [{"value": value, "rank": rank + 1} for rank, value in enumerate("abc")],
        "comment": f"comment {i} 🙂",
        "spans": [{"start": 0, "end": 4, "label": "PER"}, {"start": 2, "end": 6, "label": "LOC"}],
    }


def make_record(i: int, users: list) -> rg.Record:
    answers = make_answers(i)
    suggestions = []
    if i % 2 == 0:
        # The SDK expects the order of options here, and ranks in responses.
        for name, value in {**answers, "ranking": ["a", "b", "c"]}.items():
            score = [0.25] * len(value) if isinstance(value, list) else 0.5
            suggestions.append(rg.Suggestion(name, value, score=None if i % 4 else score, agent="model-1", type="model"))
    responses = []
    for position, user in enumerate(users):
        if (i + position) % 3 == 0:
            continue
        status = "draft" if i % 10 == position else "discarded" if i % 11 == position else "submitted"
        names = ["label"] if status == "draft" else list(answers)
        responses += [rg.Response(name, answers[name], user_id=user.id, status=status) for name in names]
    return rg.Record(
        id=f"doc/{i} ü" if i % 5 else None,
        fields={
            "text": f"Ann number {i} went to Paris — “{i}” \u2028 🙂",
            "image": f"https://example.org/{i}.png" if i % 3 else None,
            "chat": [{"role": "user", "content": f"hello {i}"}, {"role": "assistant", "content": "hi"}] if i % 4 else None,
            "custom": {"name": f"n{i}", "nested": {"list": [1, 2.5, None, True]}} if i % 6 else None,
        },
        metadata={"source": ["web", "book"][i % 2], "length": i, "quality": (i % 100) / 100, "extra": f"x{i}"} if i % 7 else {},
        vectors={"small": [i, 0.1, -1e-7, 1 / 3], "large": [(i * j) / 7 for j in range(1, 17)]} if i % 8 else None,
        suggestions=suggestions,
        responses=responses,
    )


def main() -> None:
    workspace = rg.Workspace(name="research", client=client).create()
    users = []
    for name in USERS:
        role = "admin" if name == "dora" else "annotator"
        user = rg.User(username=name, first_name=name.title(), last_name="O'Neil", role=role, password=f"{name}-password", client=client)
        users.append(user.create())
        workspace.add_user(name)
    draft = rg.Dataset(name="still a draft", workspace="research", settings=make_settings(), client=client)
    # Not published, because the SDK creates and publishes in one step.
    http.post("/api/v1/datasets", json={"name": draft.name, "workspace_id": str(workspace.id), "metadata": {"a": [1]}}).raise_for_status()
    dataset = rg.Dataset(name="everything", workspace="research", settings=make_settings(), client=client)
    dataset.create()
    dataset.records.log([make_record(i, users) for i in range(COUNT)], batch_size=500)
    webhook = {"url": "https://example.org/hook?key=1", "events": ["response.created", "record.completed"], "description": "mine"}
    http.post("/api/v1/webhooks", json=webhook).raise_for_status()
    print("filled")


main()
