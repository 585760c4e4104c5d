"""Server errors in the SDK: the class of the exception, its status and the text of the response."""

import json
from uuid import uuid4

import argilla as rg
from argilla._exceptions import (
    ArgillaCredentialsError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
    UnauthorizedError,
    UnprocessableEntityError,
)
from session import (
    api_key_of,
    client_of,
    connect,
    equal,
    fresh,
    holds,
    ids,
    make_dataset,
    make_text_dataset,
    make_user,
    owner,
    raises,
)
from test_settings import full_settings


def answer_in(error):
    """Returns the response body, which the SDK appends to its own message."""
    return json.loads(str(error).split("Details: ", 1)[1])


def refused(dataset, record):
    """Logs the record between two valid ones, which must store nothing. Returns the error message."""
    before = ids(dataset.records)
    good = [rg.Record(id=fresh("good"), fields=dict(record.fields)) for _ in range(2)]
    error = raises(UnprocessableEntityError, lambda: dataset.records.log([good[0], record, good[1]]))
    equal(error.status_code, 422)
    equal(ids(dataset.records), before, "nothing of the batch is stored")
    holds("detail" in answer_in(error), f"{error}")
    return str(error)


def test_a_wrong_key_is_told_when_connecting():
    raises(ArgillaCredentialsError, lambda: connect("not-a-key"))


def test_a_key_that_is_no_longer_valid_is_unauthorized():
    user = make_user()
    client = connect(api_key_of(user))
    user.delete()
    error = raises(UnauthorizedError, lambda: client.workspaces.list())
    equal((error.status_code, answer_in(error)["detail"]["code"]), (401, "argilla.api.errors::UnauthorizedError"))


def test_what_a_role_may_not_do_is_forbidden():
    client = client_of(make_user())
    for call in (
        lambda: client.users.list(),
        lambda: client.workspaces.add(rg.Workspace(name=fresh("mine"), client=client)),
        lambda: client.api.users.delete(owner.me.id),
    ):
        error = raises(ForbiddenError, call)
        equal((error.status_code, answer_in(error)["detail"]["code"]), (403, "argilla.api.errors::ForbiddenOperationError"))


def test_what_is_not_there_is_not_found_and_named():
    missing = uuid4()
    for call in (
        lambda: owner.api.datasets.get(missing),
        lambda: owner.api.datasets.delete(missing),
        lambda: owner.api.datasets.get_progress(missing),
        lambda: owner.api.fields.list(missing),
        lambda: owner.api.questions.list(missing),
        lambda: owner.api.records.get(missing),
        lambda: owner.api.records.delete(missing),
        lambda: owner.api.records.list(missing),
        lambda: owner.api.users.get(missing),
        lambda: owner.api.workspaces.get(missing),
    ):
        error = raises(NotFoundError, call)
        equal(error.status_code, 404)
        holds(str(missing) in str(error), f"{error}")


def test_what_is_taken_is_a_conflict_and_named():
    dataset = make_text_dataset()
    twin = rg.Dataset(name=dataset.name, workspace="default", settings=dataset.settings)
    error = raises(ConflictError, twin.create)
    equal(error.status_code, 409)
    holds(dataset.name in str(error), f"{error}")


def test_a_missing_field_is_refused_by_name():
    dataset = make_text_dataset(fields=[rg.TextField(name="text"), rg.TextField(name="body")])
    holds("body" in refused(dataset, rg.Record(id="x", fields={"text": "a"})), "the message names the field")


def test_a_suggestion_that_is_no_option_is_refused_and_the_options_are_named():
    record = rg.Record(id="x", fields={"text": "a"}, suggestions=[rg.Suggestion("topic", "weather")])
    message = refused(make_text_dataset(), record)
    for word in ("weather", "topic", "food"):
        holds(word in message, f"{word}: {message}")


def test_wrong_suggestions_of_every_question_type_are_refused():
    dataset = make_dataset(full_settings())
    for question, value, score in (
        ("label", ["pos"], None),
        ("label", "pos", 1.5),
        ("label", "pos", [0.5]),
        ("multi", [], None),
        ("multi", ["a", "a"], None),
        ("multi", ["a", "z"], None),
        ("multi", ["a", "b"], [0.5]),
        ("rating", 11, None),
        ("rating", "5", None),
        ("ranking", ["r1", "r1"], None),
        ("ranking", ["r9"], None),
        ("comment", 5, None),
        ("span", [{"label": "per", "start": 0, "end": 99}], None),
        ("span", [{"label": "nobody", "start": 0, "end": 1}], None),
        ("span", [{"label": "per", "start": 3, "end": 3}], None),
        ("note_span", [{"label": "only", "start": 0, "end": 3}, {"label": "only", "start": 2, "end": 4}], None),
    ):
        fields = {"text": "Anna in Rome", "note": "A note"}
        suggestion = rg.Suggestion(question, value, score=score)
        try:
            refused(dataset, rg.Record(id="x", fields=fields, suggestions=[suggestion]))
        except AssertionError as error:
            raise AssertionError(f"{question} {value} {score}: {error}") from error


def test_wrong_and_missing_answers_are_refused_by_name():
    user = make_user()
    dataset = make_dataset(full_settings())
    for named, answers in (
        ("label", {"label": "unknown", "rating": 1}),
        ("rating", {"label": "pos"}),
        ("ranking", {"label": "pos", "rating": 1, "ranking": ["r1", "r2", "r3"]}),
        ("ranking", {"label": "pos", "rating": 1, "ranking": [{"value": "r1", "rank": 1}]}),
    ):
        responses = [rg.Response(name, value, user_id=user.id, status="submitted") for name, value in answers.items()]
        message = refused(dataset, rg.Record(id="x", fields={"text": "a"}, responses=responses))
        holds(named in message, f"{answers}: {message}")


def test_a_response_of_nobody_is_refused():
    response = rg.Response("topic", "food", user_id=uuid4(), status="submitted")
    message = refused(make_text_dataset(), rg.Record(id="x", fields={"text": "a"}, responses=[response]))
    holds(str(response.user_id) in message, message)


def test_wrong_metadata_is_refused_by_name():
    dataset = make_text_dataset(
        metadata=[
            rg.TermsMetadataProperty(name="source", options=["web", "book"]),
            rg.IntegerMetadataProperty(name="number", min=1, max=10),
            rg.FloatMetadataProperty(name="ratio", min=0.0, max=1.0),
        ]
    )
    for name, value in (
        ("source", "mail"),
        ("source", ["web", "mail"]),
        ("number", 11),
        ("number", 0),
        ("number", 1.5),
        ("number", "1"),
        ("ratio", 1.01),
        ("ratio", "half"),
        ("unknown", 1),
    ):
        message = refused(dataset, rg.Record(id="x", fields={"text": "a"}, metadata={name: value}))
        holds(name in message, f"{name} {value}: {message}")


def test_wrong_vectors_are_refused_by_name():
    dataset = make_text_dataset(vectors=[rg.VectorField(name="embed", dimensions=3)])
    for name, value in (("embed", [1.0, 2.0]), ("unknown", [1.0])):
        message = refused(dataset, rg.Record(id="x", fields={"text": "a"}, vectors={name: value}))
        holds(name in message, message)


def test_wrong_images_and_chats_are_refused():
    dataset = make_text_dataset(
        fields=[
            rg.TextField(name="text"),
            rg.ImageField(name="image", required=False),
            rg.ChatField(name="chat", required=False),
        ]
    )
    for fields in (
        {"image": "data:image/bmp;base64,AAAA"},
        {"image": "http://host"},
        {"chat": [{"role": "", "content": "a"}]},
        {"chat": [{"role": "user", "content": ""}]},
        {"chat": [{"role": "user", "content": "a"}] * 501},
    ):
        raises(UnprocessableEntityError, lambda: dataset.records.log([{"id": "x", "text": "a", **fields}]))
    equal(list(dataset.records), [])


def test_a_second_property_of_the_same_name_is_a_conflict():
    dataset = make_text_dataset()
    dataset.settings.metadata.add(rg.TermsMetadataProperty(name="source"))
    dataset.settings.update()
    twin = rg.TermsMetadataProperty(name="source")
    twin.dataset = dataset
    error = raises(ConflictError, twin.create)
    holds("source" in str(error), f"{error}")
