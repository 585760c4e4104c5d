"""Text queries and every filter that the SDK can send, on a dataset of eight records."""

from datetime import timedelta, timezone
from functools import cache

import argilla as rg
from argilla._exceptions import UnprocessableEntityError
from session import by_id, equal, holds, make_text_dataset, make_user, raises, requests_of

# id: text, note, metadata, suggestions {question: (value, score, agent, type)}, answers [(user, topic, stars, status)]
CORPUS = {
    "r1": ("The quick brown fox", "green apple", {"source": "web", "number": 1, "ratio": 0.25},
           {"topic": ("food", 0.1, "one", "model"), "stars": (1, 0.9, "one", "model")}, [("ann", "food", 1, "submitted")]),
    "r2": ("A lazy dog sleeps", "red apple", {"source": "book", "number": 2, "ratio": 0.5},
           {"topic": ("sport", 0.2, "two", "human"), "tags": (["a", "b"], [0.3, 0.6], "two", "model")},
           [("ann", "sport", 2, "draft")]),
    "r3": ("The fox and the dog", "green pear", {"source": "web", "number": 3, "ratio": 0.75},
           {"topic": ("work", 0.3, "one", None), "tags": (["b"], [0.9], "one", "human")}, [("ben", "work", 3, "discarded")]),
    "r4": ("Café au lait", "", {"source": ["mail", "book"], "number": 40, "ratio": -1.5},
           {"topic": ("food", 1.0, "three/v2", "human"), "stars": (5, None, None, None)},
           [("ann", "food", 5, "submitted"), ("ben", "work", 4, "submitted")]),
    "r5": ("foxes are quick", "green", {"source": "web"}, {"stars": (3, 0.5, "two", "model")}, []),
    "r6": ("covid-19 vaccine", "apple", {"number": -5}, {}, [("ben", "sport", 1, "draft")]),
    "r7": ("An apple a day", "fox", {"ratio": 2.0}, {"tags": (["c"], [0.0], None, None)}, []),
    "r8": ("nothing special", "to see", {}, {}, []),
}  # fmt: skip


@cache
def the_users():
    return {name: make_user() for name in ("ann", "ben")}


@cache
def the_dataset():
    dataset = make_text_dataset(
        fields=[rg.TextField(name="text"), rg.TextField(name="note", required=False)],
        questions=[
            rg.LabelQuestion(name="topic", labels=["food", "sport", "work"]),
            rg.RatingQuestion(name="stars", values=[1, 2, 3, 4, 5], required=False),
            rg.MultiLabelQuestion(name="tags", labels=["a", "b", "c"], required=False),
        ],
        metadata=[
            rg.TermsMetadataProperty(name="source"),
            rg.IntegerMetadataProperty(name="number"),
            rg.FloatMetadataProperty(name="ratio"),
        ],
        distribution=rg.TaskDistribution(min_submitted=2),
    )
    dataset.records.log([to_record(key, *parts) for key, parts in CORPUS.items()])
    return dataset


def to_record(key, text, note, metadata, suggestions, answers):
    users = the_users()
    return rg.Record(
        id=key,
        fields={"text": text, "note": note},
        metadata=metadata,
        suggestions=[
            rg.Suggestion(question, value, score=score, agent=agent, type=kind)
            for question, (value, score, agent, kind) in suggestions.items()
        ],
        responses=[
            rg.Response(question, value, user_id=users[user].id, status=status)
            for user, topic, stars, status in answers
            for question, value in (("topic", topic), ("stars", stars))
        ],
    )


def found(**query):
    return " ".join(sorted(record.id for record in the_dataset().records(rg.Query(**query))))


def check_conditions(table):
    """`table`: {condition: ids}. Sends all queries before it compares."""
    equal({each: found(filter=each) for each in table}, table)


def test_text_queries():
    table = {
        "fox": "r1 r3 r7",
        "FOX": "r1 r3 r7",
        "quick fox": "r1",
        "quick | fox": "r1 r3 r5 r7",
        "green apple": "r1",
        "fox + green": "r1 r3",
        "fox -dog": "r1 r7",
        '"brown fox"': "r1",
        '"fox brown"': "",
        "fox*": "r1 r3 r5 r7",
        "appel~2": "r1 r2 r6 r7",
        "covid-19": "r6",
        "cafe": "r4",
        "zebra": "",
        "(fox | dog) -green": "r2 r7",
    }
    equal({text: found(query=text) for text in table}, table)


def test_a_plain_text_is_a_query():
    equal(sorted(record.id for record in the_dataset().records("lazy")), ["r2"])
    body = requests_of("POST", "/records/search")[0].body
    equal(body, {"query": {"text": {"q": "lazy", "field": None}, "vector": None}, "filters": None})


def test_the_best_match_comes_first():
    first = next(iter(the_dataset().records("apple green")))
    equal(first.id, "r1")


def test_conditions_on_the_status_of_records():
    check_conditions(
        {
            ("status", "==", "completed"): "r4",
            ("status", "==", "pending"): "r1 r2 r3 r5 r6 r7 r8",
            ("status", "in", ("completed", "pending")): "r1 r2 r3 r4 r5 r6 r7 r8",
        }
    )


def test_conditions_on_the_ids_of_records():
    server_ids = {record.id: record._server_id for record in the_dataset().records}
    check_conditions(
        {
            ("id", "==", "r3"): "r3",
            ("id", "in", ("r1", "r8", "r9")): "r1 r8",
            ("id", ">=", "r7"): "r7 r8",
            ("id", "<=", "r2"): "r1 r2",
            ("_server_id", "==", server_ids["r5"]): "r5",
            ("_server_id", "==", str(server_ids["r5"])): "r5",
            ("_server_id", "in", (server_ids["r1"], server_ids["r2"])): "r1 r2",
            ("_server_id", ">=", str(max(server_ids.values(), key=str))): max(server_ids, key=lambda key: str(server_ids[key])),
            ("_server_id", "<=", str(min(server_ids.values(), key=str))): min(server_ids, key=lambda key: str(server_ids[key])),
        }
    )


def test_conditions_on_the_times_of_records():
    records = by_id(the_dataset().records)
    for name in ("inserted_at", "updated_at"):
        times = {key: getattr(record, name) for key, record in records.items()}
        ordered = sorted(times.values())
        middle = ordered[4]
        zoned = middle.replace(tzinfo=timezone.utc).astimezone(timezone(timedelta(hours=2)))
        later = " ".join(sorted(key for key, time in times.items() if time >= middle))
        earlier = " ".join(sorted(key for key, time in times.items() if time <= middle))
        exact = " ".join(sorted(key for key, time in times.items() if time == middle))
        check_conditions(
            {
                (name, ">=", middle): later,
                (name, ">=", middle.isoformat()): later,
                (name, ">=", zoned): later,
                (name, "<=", middle): earlier,
                (name, "==", middle): exact,
                (name, "in", (middle, middle + timedelta(days=1))): exact,
                (name, ">=", ordered[-1] + timedelta(seconds=1)): "",
            }
        )


def test_conditions_on_terms():
    check_conditions(
        {
            ("metadata.source", "==", "web"): "r1 r3 r5",
            ("metadata.source", "==", "Web"): "",
            ("metadata.source", "in", ("book", "mail")): "r2 r4",
            ("metadata.source", ">=", "mail"): "r1 r3 r4 r5",
            ("metadata.source", "<=", "book"): "r2 r4",
        }
    )


def test_conditions_on_integers():
    check_conditions(
        {
            ("metadata.number", "==", 3): "r3",
            ("metadata.number", "in", (1, 2, 99)): "r1 r2",
            ("metadata.number", ">=", 3): "r3 r4",
            ("metadata.number", "<=", 1): "r1 r6",
            ("metadata.number", ">=", 2.5): "r3 r4",
            ("metadata.number", "<=", -5): "r6",
        }
    )


def test_conditions_on_floats():
    check_conditions(
        {
            ("metadata.ratio", "==", 0.75): "r3",
            ("metadata.ratio", "==", 2): "r7",
            ("metadata.ratio", "in", (0.25, 0.5)): "r1 r2",
            ("metadata.ratio", ">=", 0.5): "r2 r3 r7",
            ("metadata.ratio", "<=", 0.25): "r1 r4",
        }
    )


def test_conditions_on_suggested_values():
    check_conditions(
        {
            ("topic.suggestion", "==", "food"): "r1 r4",
            ("topic", "==", "food"): "r1 r4",
            ("topic.suggestion", "in", ("sport", "work")): "r2 r3",
            ("topic", ">=", "sport"): "r2 r3",
            ("topic", "<=", "food"): "r1 r4",
            ("stars.suggestion", "==", 5): "r4",
            ("stars", "in", (1, 3)): "r1 r5",
            ("stars", ">=", 3): "r4 r5",
            ("stars.suggestion", "<=", 1): "r1",
            ("tags", "==", "b"): "r2 r3",
            ("tags.suggestion", "in", ("a", "c")): "r2 r7",
        }
    )


def test_conditions_on_the_scores_of_suggestions():
    check_conditions(
        {
            ("topic.score", "==", 0.2): "r2",
            ("topic.score", "in", (0.1, 0.3)): "r1 r3",
            ("topic.score", ">=", 0.3): "r3 r4",
            ("topic.score", "<=", 0.1): "r1",
            ("tags.score", ">=", 0.6): "r2 r3",
            ("tags.score", "<=", 0.0): "r7",
            ("stars.score", ">=", 0.5): "r1 r5",
        }
    )


def test_conditions_on_the_agents_of_suggestions():
    check_conditions(
        {
            ("topic.agent", "==", "one"): "r1 r3",
            ("topic.agent", "in", ("two", "three/v2")): "r2 r4",
            ("topic.agent", ">=", "three/v2"): "r2 r4",
            ("topic.agent", "<=", "one"): "r1 r3",
            ("stars.agent", "==", "two"): "r5",
        }
    )


def test_conditions_on_the_types_of_suggestions():
    check_conditions(
        {
            ("topic.type", "==", "human"): "r2 r4",
            ("topic.type", "in", ("human", "model")): "r1 r2 r4",
            ("tags.type", "==", "model"): "r2",
            ("topic.type", ">=", "model"): "r1",
            ("topic.type", "<=", "human"): "r2 r4",
        }
    )


def test_conditions_on_the_values_of_responses():
    check_conditions(
        {
            ("topic.response", "==", "food"): "r1 r4",
            ("topic.response", "==", "work"): "r3 r4",
            ("topic.response", "in", ("sport", "work")): "r2 r3 r4 r6",
            ("topic.response", ">=", "sport"): "r2 r3 r4 r6",
            ("topic.response", "<=", "food"): "r1 r4",
            ("stars.response", "==", 1): "r1 r6",
            ("stars.response", "in", (3, 5)): "r3 r4",
            ("stars.response", ">=", 4): "r4",
            ("stars.response", "<=", 2): "r1 r2 r6",
        }
    )


def test_conditions_on_the_status_of_responses():
    check_conditions(
        {
            ("response.status", "==", "submitted"): "r1 r4",
            ("response.status", "==", "draft"): "r2 r6",
            ("response.status", "==", "discarded"): "r3",
            ("response.status", "==", "pending"): "r5 r7 r8",
            ("response.status", "in", ("submitted", "pending")): "r1 r4 r5 r7 r8",
        }
    )


def test_conditions_are_sent_as_the_sdk_writes_them_and_all_must_hold():
    conditions = [("metadata.source", "==", "web"), ("metadata.number", ">=", 1), ("topic.score", "<=", 0.2)]
    equal(found(filter=conditions), "r1")
    equal(found(filter=rg.Filter(conditions[:2])), "r1 r3")
    equal(found(filter=rg.Filter(conditions[0])), "r1 r3 r5")
    equal(requests_of("POST", "/records/search")[0].body["filters"]["type"], "and")


def test_text_filter_and_limit_together():
    conditions = [("metadata.source", "==", "web")]
    equal(found(query="fox", filter=conditions), "r1 r3")
    limited = list(the_dataset().records(rg.Query(query="fox", filter=conditions), limit=1))
    equal(len(limited), 1)
    holds(limited[0].id in ("r1", "r3"), limited[0].id)


def test_found_records_bring_suggestions_and_responses():
    (record,) = the_dataset().records(rg.Query(filter=("id", "==", "r4")))
    equal((record.fields["text"], record.status), ("Café au lait", "completed"))
    equal((record.suggestions["topic"].value, len(record.responses["topic"])), ("food", 2))
    equal(dict(record.metadata), {"source": ["mail", "book"], "number": 40, "ratio": -1.5})


def test_conditions_that_make_no_sense_are_refused_by_name():
    for condition, name in (
        (("unknown", "==", "a"), "unknown"),
        (("metadata.unknown", "==", "a"), "unknown"),
        (("metadata.number", ">=", "many"), "many"),
        (("response.status", ">=", "draft"), "status"),
    ):
        error = raises(UnprocessableEntityError, lambda: found(filter=condition))
        holds(name in str(error), f"{condition}: {error}")
    raises(UnprocessableEntityError, lambda: found(filter=("metadata.source", "==", True)))


def test_an_operator_of_the_sdk_only_is_refused_before_it_is_sent():
    raises(ValueError, lambda: found(filter=("status", "!=", "pending")))
