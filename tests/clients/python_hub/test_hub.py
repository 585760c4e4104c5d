"""`to_hub` and `from_hub` with the loopback hub, compared field by field."""

import os
from functools import cache

import argilla as rg
from datasets import Dataset as Table
from datasets.exceptions import DatasetNotFoundError
from huggingface_hub import HfApi
from huggingface_hub.utils import HfHubHTTPError, RepositoryNotFoundError
from session import by_id, equal, fresh, holds, ids, make_dataset, make_user, make_workspace, near, owner, raises
from test_log import data_url
from test_settings import described, full_settings

TOKEN = os.environ["POSTIL_TEST_HUB_TOKEN"]
READ_TOKEN = os.environ["POSTIL_TEST_HUB_READ_TOKEN"]
CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
SPANS = [{"label": "per", "start": 0, "end": 4}, {"label": "loc", "start": 5, "end": 9}]
REPOSITORY = "team/every-type"


def values_of(number):
    """A value for each question."""
    return {
        "label": ["pos", "neg"][number % 2],
        "yes_or_no": ["yes", "no"][number % 2],
        "multi": [["a", "c"], ["d"]][number % 2],
        "natural": ["x", "z"],
        "rating": number,
        "unordered": [5, 1, 3][number],
        "ranking": [["r2", "r1", "r3"], ["r3", "r2", "r1"]][number % 2],
        "comment": f"Comment {number}\nwith “quotes”, a ü and a 😀",
        "span": SPANS[: number + 1],
        "note_span": [{"label": "only", "start": 0, "end": 2}],
    }


def record_of(number, users, suggested):
    return rg.Record(
        id=f"record-{number}",
        fields={
            "text": f"Anna Rome {number}",
            "note": f"note {number}",
            "image": data_url(),
            "chat": CHAT[: number + 1],
            "custom": {"a": number, "b": ["x"] * number, "c": {"d": [{"e": number / 2, "f": number > 1}], "g": None}},
            "script": {"html": "<i>"},
        },
        metadata={
            "source": ["web", "book", "mail"][number],
            "tag": [["one", "two"], ["three"], []][number],
            "length": number * 10,
            "pages": number,
            "ratio": number / 4,
            "weight": -1.25,
        },
        vectors={"small": [0.5, number, -1.25], "large": [number / 8] * 384},
        suggestions=[
            rg.Suggestion(question, value, agent="bot", score=[0.5] * len(value) if question in LISTS else 0.25)
            for question, value in values_of(number).items()
            if question in suggested
        ],
        responses=[
            rg.Response(question, value, user_id=user.id, status=status)
            for user, status in list(zip(users, ["submitted", "draft", "discarded"]))[: number + 1]
            for question, value in values_of((number + 1) % 3).items()
            # The SDK loses ranks when it reads, and a submitted ranking requires them.
            if question != "ranking" or status != "submitted"
        ],
    )


#: Questions whose scores are lists, with one score per value.
LISTS = {"multi", "natural", "ranking", "span", "note_span"}


def make_full_dataset(suggested):
    users = [make_user(), make_user(), make_user()]
    dataset = make_dataset(full_settings())
    dataset.records.log([record_of(number, users, suggested) for number in range(3)])
    return dataset


@cache
def the_dataset():
    return make_full_dataset(suggested=values_of(0))


@cache
def pushed():
    the_dataset().to_hub(REPOSITORY, private=True, token=TOKEN)
    return REPOSITORY


def answers_of_record(record):
    return {
        (response.question_name, str(response.user_id)): (response.value, response.status.value)
        for response in record.responses
    }


def same_content(copy, original, terms_are_lists=False):
    """Everything except the server's ids. The server exports terms as lists, even if a record has a single one."""
    before, after = (
        by_id(dataset.records(with_vectors=True, with_suggestions=True, with_responses=True)) for dataset in (original, copy)
    )
    equal(list(after), list(before), "the records, in the same order")
    for id, record in before.items():
        other = after[id]
        holds(other._server_id != record._server_id, "the copy is another record")
        for part in ("fields", "metadata", "suggestions"):
            left, right = getattr(other, part).to_dict(), getattr(record, part).to_dict()
            equal(set(left), set(right), f"{part} of {id}")
            for name, value in right.items():
                if terms_are_lists and part == "metadata" and isinstance(value, str):
                    value = [value]
                equal(left[name], value, f"{part} {name} of {id}")
        equal(answers_of_record(other), answers_of_record(record), f"responses of {id}")
        equal(other.status, record.status, f"status of {id}")
        equal(set(other.vectors.to_dict()), set(record.vectors.to_dict()), f"vectors of {id}")
        for name, vector in record.vectors.to_dict().items():
            near(other.vectors[name], vector, f"vector {name} of {id}")


def test_a_dataset_of_every_type_comes_back_from_the_hub_unchanged():
    workspace = make_workspace()
    name = fresh("from-hub")
    copy = rg.Dataset.from_hub(
        pushed(), name=name, workspace=workspace.name, client=owner, settings="auto", token=TOKEN
    )
    equal((copy.name, copy.workspace.id), (name, workspace.id))
    holds(copy.id != the_dataset().id, "it is another dataset")
    equal(described(copy.settings), described(the_dataset().settings))
    holds(len(list(the_dataset().records)) == 3, "there is something to compare")
    same_content(copy, the_dataset())


def test_the_repository_is_private_and_has_a_card_and_the_settings():
    api = HfApi(token=TOKEN)
    info = api.dataset_info(pushed())
    equal(info.private, True)
    files = {sibling.rfilename for sibling in info.siblings}
    expected = {"README.md", ".argilla/dataset.json", ".argilla/settings.json"}
    equal(expected - files, set())
    holds(any(path.startswith("data/train-") for path in files), f"there are rows: {files}")
    problem = raises(RepositoryNotFoundError, lambda: HfApi(token=False).dataset_info(pushed()))
    equal(problem.response.status_code, 401)


def test_a_second_push_replaces_the_rows_of_the_first():
    repository = "team/twice"
    dataset = make_dataset(text_settings())
    dataset.records.log([{"id": "one", "text": "First"}, {"id": "two", "text": "Second"}])
    dataset.to_hub(repository, token=TOKEN)
    dataset.records.log([{"id": "one", "text": "First, changed"}, {"id": "three", "text": "Third"}])
    dataset.to_hub(repository, token=TOKEN)
    copy = rg.Dataset.from_hub(repository, name=fresh("twice"), workspace="default", client=owner, settings="auto", token=TOKEN)
    texts = {record.id: record.fields["text"] for record in copy.records}
    equal(texts, {"one": "First, changed", "two": "Second", "three": "Third"})


def test_read_again_into_the_same_dataset_makes_no_new_records():
    repository = "team/again"
    dataset = make_dataset(text_settings())
    dataset.records.log([{"id": "one", "text": "First"}, {"id": "two", "text": "Second"}])
    dataset.to_hub(repository, token=TOKEN)
    for _ in range(2):
        again = rg.Dataset.from_hub(
            repository, name=dataset.name, workspace="default", client=owner, settings="auto", token=TOKEN
        )
        equal(again.id, dataset.id)
        equal(sorted(ids(again.records)), ["one", "two"])


def test_settings_alone_go_through_the_hub():
    repository = "team/settings"
    dataset = make_dataset(full_settings())
    dataset.to_hub(repository, with_records=False, generate_card=False, token=TOKEN)
    copy = rg.Dataset.from_hub(
        repository, name=fresh("settings"), workspace="default", client=owner, settings="auto", with_records=False, token=TOKEN
    )
    equal(described(copy.settings), described(dataset.settings))
    equal(list(copy.records), [])


def test_subsets_and_splits_are_kept_apart():
    repository = "team/parts"
    dataset = make_dataset(text_settings())
    dataset.records.log([{"id": "de", "text": "Deutsch"}])
    # The card that the SDK generates drops existing subsets.
    dataset.to_hub(repository, config_name="de", split="test", token=TOKEN, generate_card=False)
    other = make_dataset(text_settings())
    other.records.log([{"id": "en", "text": "English"}])
    other.to_hub(repository, config_name="en", split="train", token=TOKEN, generate_card=False)
    for subset, split in (("de", "test"), ("en", "train")):
        copy = rg.Dataset.from_hub(
            repository,
            name=fresh("parts"),
            workspace="default",
            client=owner,
            settings="auto",
            subset=subset,
            split=split,
            token=TOKEN,
        )
        equal(ids(copy.records), [subset])


def test_a_table_of_others_is_read_with_settings_of_ours():
    repository = "team/table"
    Table.from_dict({"id": ["a", "b"], "text": ["One", "Two"], "source": ["web", "book"]}).push_to_hub(repository, token=TOKEN)
    settings = text_settings()
    copy = rg.Dataset.from_hub(repository, name=fresh("table"), settings=settings, token=TOKEN)
    rows = [(record.id, record.fields["text"], record.metadata["source"]) for record in copy.records]
    equal(rows, [("a", "One", "web"), ("b", "Two", "book")])


def test_many_rows_come_back():
    repository = "team/many"
    dataset = make_dataset(text_settings())
    dataset.records.log([{"id": f"row-{number}", "text": f"Text {number}", "source": "web"} for number in range(600)])
    dataset.to_hub(repository, token=TOKEN, num_shards=3)
    copy = rg.Dataset.from_hub(repository, name=fresh("many"), workspace="default", client=owner, settings="auto", token=TOKEN)
    same_content(copy, dataset)


def test_who_may_not_write_is_told():
    dataset = make_dataset(text_settings())
    dataset.records.log([{"id": "one", "text": "First"}])
    equal(raises(HfHubHTTPError, lambda: dataset.to_hub("others/data", token=TOKEN)).response.status_code, 403)
    equal(raises(HfHubHTTPError, lambda: dataset.to_hub("team/read", token=READ_TOKEN)).response.status_code, 403)
    equal(raises(HfHubHTTPError, lambda: dataset.to_hub("team/wrong", token="hf_wrong")).response.status_code, 401)


def test_who_may_not_read_is_told_and_gets_no_dataset():
    secret = make_dataset(text_settings())
    secret.records.log([{"id": "one", "text": "First"}])
    # A new repository, because the client would read an earlier one from its cache.
    secret.to_hub("team/secret", private=True, token=TOKEN)
    for repository, token in (("team/secret", False), ("team/missing", TOKEN)):
        name = fresh("unread")
        raises(
            RepositoryNotFoundError,
            lambda: rg.Dataset.from_hub(
                repository, name=name, workspace="default", client=owner, settings="auto", token=token
            ),
        )
        equal(owner.datasets(name), None)
    settings = text_settings()
    raises(DatasetNotFoundError, lambda: rg.Dataset.from_hub("team/missing", name=fresh("unread"), settings=settings, token=TOKEN))


def text_settings():
    return rg.Settings(
        fields=[rg.TextField(name="text")],
        questions=[rg.LabelQuestion(name="topic", labels=["food", "sport"])],
        metadata=[rg.TermsMetadataProperty(name="source")],
    )
