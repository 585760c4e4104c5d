from functools import cache

import argilla as rg
from session import by_id, equal, ids, make_text_dataset, near, owner, raises, requests_of

COUNT = 300


@cache
def the_dataset():
    dataset = make_text_dataset(vectors=[rg.VectorField(name=name, dimensions=2) for name in ("first", "second", "third")])
    dataset.records.log(
        [
            rg.Record(
                id=str(number),
                fields={"text": f"Text {number}"},
                vectors={"first": [number, 1], "second": [1, number]} if number % 3 else {},
                suggestions=[rg.Suggestion("topic", "food")],
                responses=[rg.Response("topic", "work", user_id=owner.me.id, status="submitted")],
            )
            for number in range(COUNT)
        ]
    )
    return dataset


def all_ids(count=COUNT):
    return [str(number) for number in range(count)]


def pages(method="GET", path_end="/records"):
    """(offset, limit) of each requested page."""
    return [(int(each.query["offset"][0]), int(each.query["limit"][0])) for each in requests_of(method, path_end)]


def test_a_plain_loop_reads_pages_of_100_until_an_empty_one():
    equal(ids(the_dataset().records), all_ids())
    equal(pages(), [(0, 100), (100, 100), (200, 100), (300, 100)])


def test_pages_of_256_neither_repeat_nor_skip():
    equal(ids(the_dataset().records()), all_ids())
    equal(pages(), [(0, 256), (256, 256), (300, 256)])


def test_pages_of_one_neither_repeat_nor_skip():
    dataset = make_text_dataset()
    dataset.records.log([{"id": str(number), "text": "a"} for number in range(40)])
    equal(ids(dataset.records(batch_size=1)), all_ids(40))
    equal(pages(), [(offset, 1) for offset in range(41)])


def test_pages_of_a_search_neither_repeat_nor_skip():
    for size in (7, 100, 256):
        found = ids(the_dataset().records("text", batch_size=size))
        equal(sorted(found, key=int), all_ids(), f"pages of {size}")


def test_a_limit_and_an_offset_cut_the_list():
    records = the_dataset().records
    equal(ids(records(limit=5)), all_ids(5))
    equal(pages()[0], (0, 5))
    equal(ids(records(limit=150, batch_size=100)), all_ids(150))
    equal(ids(records(start_offset=295)), all_ids()[295:])
    equal(ids(records(start_offset=COUNT + 10)), [])


def test_an_empty_dataset_is_read_as_such():
    dataset = make_text_dataset()
    equal(list(dataset.records), [])
    equal(list(dataset.records("anything")), [])
    equal(dataset.records.to_list(), [])


def test_suggestions_and_responses_are_there_unless_refused():
    records = the_dataset().records
    (record,) = records(limit=1)
    equal((len(record.suggestions), len(record.responses)), (1, 1))
    (record,) = records(limit=1, with_suggestions=False, with_responses=False)
    equal((len(record.suggestions), len(record.responses)), (0, 0))
    (record,) = records(limit=1, with_suggestions=False)
    equal((len(record.suggestions), len(record.responses)), (0, 1))
    (record,) = records("text", limit=1, with_responses=False)
    equal((len(record.suggestions), len(record.responses)), (1, 0))


def test_vectors_are_left_out_unless_asked_for():
    equal({len(record.vectors) for record in the_dataset().records}, {0})


def test_all_vectors_are_read():
    found = list(the_dataset().records(with_vectors=True))
    equal(ids(found), all_ids())
    near(found[4].vectors["first"], [4, 1])
    near(found[4].vectors["second"], [1, 4])
    equal((sorted(found[4].vectors), dict(found[3].vectors)), (["first", "second"], {}))


def test_vectors_are_read_by_name_and_pages_stay_right():
    for names, expected in (
        ("first", ["first"]),
        (["second"], ["second"]),
        (["first", "second"], ["first", "second"]),
        (["first", "third"], ["first"]),
    ):
        found = list(the_dataset().records(with_vectors=names, batch_size=100))
        equal(ids(found), all_ids(), f"{names}")
        equal((sorted(found[4].vectors), dict(found[3].vectors)), (expected, {}), f"{names}")


def test_vectors_come_with_a_search_too():
    found = by_id(the_dataset().records("4", with_vectors=["first", "second"]))
    near(found["4"].vectors["second"], [1, 4])
    found = by_id(the_dataset().records("4", with_vectors="first"))
    equal(sorted(found["4"].vectors), ["first"])


def test_an_unknown_vector_name_is_refused_by_the_sdk():
    raises(ValueError, lambda: the_dataset().records(with_vectors="unknown"))
