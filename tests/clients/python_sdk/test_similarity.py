"""Similarity queries. The vectors have known angles, so every score is known: (1 + cos) / 2, or (1 - cos) / 2."""

from functools import cache
from math import cos, radians, sin

import argilla as rg
from argilla._exceptions import UnprocessableEntityError
from session import by_id, equal, holds, make_text_dataset, near, raises, requests_of

ANGLES = {"a0": 0, "a30": 30, "a60": 60, "a90": 90, "a120": 120, "a180": 180}


def at(angle, length=1.0):
    return [length * cos(radians(angle)), length * sin(radians(angle))]


@cache
def the_dataset():
    dataset = make_text_dataset(
        metadata=[rg.IntegerMetadataProperty(name="angle")],
        vectors=[rg.VectorField(name="plane", dimensions=2), rg.VectorField(name="other", dimensions=3)],
    )
    records = [
        {"id": key, "text": "sharp" if angle < 90 else "blunt", "angle": angle, "plane": at(angle, length=1 + angle)}
        for key, angle in ANGLES.items()
    ]
    dataset.records.log([*records, {"id": "none", "text": "sharp", "other": [1, 2, 3]}])
    return dataset


def nearest(value, most_similar=True, name="plane", limit=None, **query):
    similar = rg.Similar(name, value, most_similar=most_similar)
    return list(the_dataset().records(rg.Query(similar=similar, **query), limit=limit))


def check(found, expected, sign=1):
    """`expected`: {id: angle}, nearest first."""
    equal([record.id for record, _ in found], list(expected))
    near([score for _, score in found], [(1 + sign * cos(radians(angle))) / 2 for angle in expected.values()])


def test_the_most_similar_to_a_vector():
    check(nearest(at(0)), {"a0": 0, "a30": 30, "a60": 60, "a90": 90, "a120": 120, "a180": 180})
    check(nearest(at(170, length=9)), {"a180": 10, "a120": 50, "a90": 80, "a60": 110, "a30": 140, "a0": 170})


def test_the_least_similar_to_a_vector():
    found = nearest(at(0), most_similar=False)
    check(found, {"a180": 180, "a120": 120, "a90": 90, "a60": 60, "a30": 30, "a0": 0}, sign=-1)


def test_the_most_similar_to_a_record_leaves_it_out():
    record = by_id(the_dataset().records)["a30"]
    found = nearest(record)
    equal({each.id for each, _ in found[:2]}, {"a0", "a60"}, "both at the same angle")
    equal([each.id for each, _ in found[2:]], ["a90", "a120", "a180"])
    near([score for _, score in found], [(1 + cos(radians(angle))) / 2 for angle in (30, 30, 60, 90, 150)])


def test_the_least_similar_to_a_record_leaves_it_out():
    record = by_id(the_dataset().records)["a0"]
    found = nearest(record, most_similar=False)
    check(found, {"a180": 180, "a120": 120, "a90": 90, "a60": 60, "a30": 30}, sign=-1)


def test_a_limit_gives_the_nearest():
    check(nearest(at(0), limit=2), {"a0": 0, "a30": 30})
    record = by_id(the_dataset().records)["a0"]
    check(nearest(record, limit=1), {"a30": 30})


def test_small_pages_follow_each_other():
    similar = rg.Query(similar=rg.Similar("plane", at(0)))
    check(list(the_dataset().records(similar, batch_size=2)), ANGLES)


def test_a_query_goes_on_after_its_first_page():
    dataset = make_text_dataset(vectors=[rg.VectorField(name="plane", dimensions=2)])
    dataset.records.log([{"id": str(number), "text": "a", "plane": at(number / 2)} for number in range(300)])
    for most_similar in (True, False):
        similar = rg.Similar("plane", at(0), most_similar=most_similar)
        found = [int(record.id) for record, _ in dataset.records(rg.Query(similar=similar))]
        equal(found, sorted(range(300), reverse=not most_similar))
    equal([each.query["offset"] for each in requests_of("POST", "/records/search")], [["0"], ["256"], ["300"]] * 2)


def test_a_filter_is_applied_before_the_nearest_are_taken():
    check(nearest(at(0), limit=2, filter=("metadata.angle", ">=", 60)), {"a60": 60, "a90": 90})
    check(nearest(at(0), limit=1, filter=[("id", "in", ["a180", "none"])]), {"a180": 180})


def test_a_text_restricts_the_nearest_and_leaves_the_scores():
    check(nearest(at(0), query="blunt"), {"a90": 90, "a120": 120, "a180": 180})
    check(nearest(at(0), query="blunt", filter=("metadata.angle", "<=", 120), limit=1), {"a90": 90})


def test_each_vector_is_searched_for_itself():
    equal([record.id for record, _ in nearest([1, 2, 3], name="other")], ["none"])


def test_exports_of_a_similarity_query_have_a_score_column():
    similar = rg.Query(similar=rg.Similar("plane", at(0)))
    rows = the_dataset().records(similar, limit=2).to_list(flatten=True)
    equal([row["id"] for row in rows], ["a0", "a30"])
    near([row["score"] for row in rows], [1.0, (1 + cos(radians(30))) / 2])
    table = the_dataset().records(similar, limit=3, with_suggestions=False).to_datasets()
    equal(table["id"], ["a0", "a30", "a60"])
    equal(len(table["score"]), 3)


def test_found_records_bring_their_vectors_on_demand():
    similar = rg.Query(similar=rg.Similar("plane", at(0)))
    (record, _), *_ = the_dataset().records(similar, limit=1, with_vectors=["plane"])
    near(record.vectors["plane"], at(0))


def test_a_changed_vector_is_found_at_its_new_place():
    dataset = make_text_dataset(vectors=[rg.VectorField(name="plane", dimensions=2)])
    dataset.records.log([{"id": "x", "text": "a", "plane": at(0)}, {"id": "y", "text": "a", "plane": at(90)}])
    dataset.records.log([{"id": "x", "text": "a", "plane": at(180)}])
    found = list(dataset.records(rg.Query(similar=rg.Similar("plane", at(0)))))
    check(found, {"y": 90, "x": 180})


def test_what_cannot_be_compared_is_refused():
    without = by_id(the_dataset().records)["none"]
    error = raises(UnprocessableEntityError, lambda: nearest(without))
    holds("missing_vector" in str(error), f"{error}")
    raises(UnprocessableEntityError, lambda: nearest([1.0, 2.0, 3.0]))
    raises(UnprocessableEntityError, lambda: nearest([0.0, 0.0]))
    error = raises(UnprocessableEntityError, lambda: nearest(at(0), name="unknown"))
    holds("unknown" in str(error), f"{error}")
