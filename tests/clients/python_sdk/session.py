"""Shared code of the tests: the owner's client, unique names, a trace of the requests, and checks with readable messages."""

import json
import os
import time
import warnings
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID, uuid4

import argilla as rg

URL = os.environ["POSTIL_TEST_URL"]
OWNER_KEY = os.environ["POSTIL_TEST_API_KEY"]
WAIT_SECONDS_MAX = 10

warnings.simplefilter("ignore")


@dataclass
class Exchange:
    """One request and its response, as sent over HTTP."""

    method: str
    path: str
    query: dict
    body: Any
    status: int
    answer: str

    def __str__(self):
        sent = "" if self.body is None else f" {json.dumps(self.body)[:600]}"
        asked = "" if not self.query else f" {self.query}"
        return f"{self.method} {self.path}{asked}{sent}\n    -> {self.status} {self.answer[:600]}"


#: The requests of the running test, oldest first.
trace: list[Exchange] = []


def _note(response):
    request = response.request
    response.read()
    trace.append(
        Exchange(
            method=request.method,
            path=request.url.path,
            query=parse_qs(request.url.query.decode()),
            body=json.loads(request.content) if request.headers.get("content-type") == "application/json" else None,
            status=response.status_code,
            answer=response.text,
        )
    )


def connect(api_key):
    """Returns a new client. The owner's client stays the SDK's default."""
    default = rg.Argilla._default_client
    try:
        # Without certificates, because loading the list of authorities takes longer than many tests.
        return rg.Argilla(api_url=URL, api_key=api_key, verify=False, event_hooks={"response": [_note]})
    finally:
        if default is not None:
            rg.Argilla._set_default(default)


owner = connect(OWNER_KEY)


def requests_of(method, path_end):
    return [exchange for exchange in trace if exchange.method == method and exchange.path.endswith(path_end)]


def fresh(stem):
    return f"{stem}-{uuid4().hex[:8]}"


def make_workspace():
    return rg.Workspace(name=fresh("workspace")).create()


def make_user(role="annotator", workspace=None):
    user = rg.User(username=fresh(role), role=role, password="password-of-user").create()
    return user.add_to_workspace(workspace) if workspace else user


def api_key_of(user):
    """Loads the API key, which the SDK's model does not have."""
    return owner.http_client.get(f"/api/v1/users/{user.id}").raise_for_status().json()["api_key"]


def client_of(user):
    return connect(api_key_of(user))


def make_dataset(settings, workspace="default", client=None):
    return rg.Dataset(name=fresh("dataset"), workspace=workspace, settings=settings, client=client or owner).create()


def make_text_dataset(**settings):
    """Creates a dataset with one text field, one label question and the given settings."""
    return make_dataset(
        rg.Settings(
            **{
                "fields": [rg.TextField(name="text")],
                "questions": [rg.LabelQuestion(name="topic", labels=["food", "sport", "work"])],
                **settings,
            }
        )
    )


def read_again(dataset, client=None):
    """Loads the dataset by name, with all settings from the server."""
    return (client or owner).datasets(dataset.name, workspace=dataset.workspace.name)


def ids(records):
    return [record.id for record in records]


def by_id(records):
    return {record.id: record for record in records}


def answers_of(record, question):
    """(user, value, status) of each response, in the server's order."""
    return [(response.user_id, response.value, response.status.value) for response in record.responses[question]]


def equal(actual, expected, note=""):
    if actual != expected:
        raise AssertionError(f"{note}\n  expected {_shown(expected)}\n  got      {_shown(actual)}".lstrip("\n"))


def near(actual, expected, note="", tolerance=1e-5):
    equal(len(actual), len(expected), note)
    if any(abs(left - right) > tolerance for left, right in zip(actual, expected)):
        raise AssertionError(f"{note}\n  expected about {_shown(expected)}\n  got            {_shown(actual)}")


def holds(condition, note):
    if not condition:
        raise AssertionError(note)


def raises(kind, call):
    """Returns the exception, which must be of exactly this class."""
    try:
        result = call()
    except Exception as error:
        if type(error) is not kind:
            raise AssertionError(f"expected {kind.__name__}, got {type(error).__name__}: {error}") from error
        return error
    raise AssertionError(f"expected {kind.__name__}, got the result {_shown(result)}")


def eventually(read, expected, note=""):
    """Waits for the effect of a background job."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while (actual := read()) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    equal(actual, expected, note)


def is_uuid(value):
    return isinstance(value, UUID)


def _shown(value):
    text = repr(value)
    return text if len(text) <= 1500 else f"{text[:1500]} … ({len(text)} characters)"
