"""Hooks for Schemathesis: half of the requests it sends are based on requests that succeed.

`POSTIL_FUZZ_REQUESTS` is a JSON file: operation id -> [{params, query, body}]. These requests become the examples of the API
description, and the fuzzer sends them unchanged or with one part replaced.
"""

import copy
import json
import os

import schemathesis
from hypothesis import strategies as st

with open(os.environ["POSTIL_FUZZ_REQUESTS"], encoding="utf-8") as file:
    REQUESTS = json.load(file)

# Values at the limits of storage, search and JSON, and values of other types.
HOSTILE = [
    None, True, 0, -1, 0.5, 1e308, 2**31, 2**53, 2**63, -(2**63) - 1, 10**30,
    "", " ", "\x00", "\ud7ff\ue000", "\u202e", "%", "%_\\", "'\"`;--", "../..", "null", "9" * 400, "a" * 5000, "\U0001f600" * 40,
    "00000000-0000-4000-8000-000000000000", "2024-02-30", "NaN", "__proto__", "constructor",
    [], {}, [[]], [None], {"": None}, {"__proto__": {}}, {"type": "text"}, [[[[[[[[]]]]]]]],
]  # fmt: skip


def _requests(context):
    return REQUESTS.get(context.operation.definition.raw.get("operationId"), [])


def _paths(value, path=()):
    """Yields every path in a JSON value, including the root."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _paths(part, path + (key,))


def _change(value, path, draw):
    """Returns the value with one part replaced, removed or repeated."""
    if not path:
        return draw(st.sampled_from(HOSTILE))
    changed = copy.deepcopy(value)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    action = draw(st.sampled_from(["replace", "replace", "replace", "remove", "repeat"]))
    if action == "remove":
        del holder[path[-1]]
    elif action == "repeat" and isinstance(holder, list):
        holder.append(holder[path[-1]])
    else:
        holder[path[-1]] = copy.deepcopy(draw(st.sampled_from(HOSTILE)))
    return changed


@st.composite
def _mostly(draw, strategy, *others):
    """Draws from `others` three times out of four, otherwise from the strategy of Schemathesis."""
    index = draw(st.integers(0, 3))
    return draw(strategy if index == 0 else others[index % len(others)])


@st.composite
def _changed(draw, values):
    value = draw(st.sampled_from(values))
    return _change(value, draw(st.sampled_from(list(_paths(value)))), draw)


@st.composite
def _hostile_query(draw, names, values):
    query = dict(draw(st.sampled_from(values)))
    value = draw(st.sampled_from(HOSTILE))
    query[draw(st.sampled_from(names))] = value if isinstance(value, str) else json.dumps(value)
    return query


@schemathesis.hook
def before_generate_path_parameters(context, strategy):
    values = [request["params"] for request in _requests(context) if request["params"]]
    return _mostly(strategy, st.sampled_from(values).map(dict)) if values else strategy


@schemathesis.hook
def before_generate_query(context, strategy):
    names = [parameter.name for parameter in context.operation.query]
    values = [request["query"] for request in _requests(context)] or [{}]
    return _mostly(strategy, st.sampled_from(values).map(dict), _hostile_query(names, values)) if names else strategy


@schemathesis.hook
def before_generate_body(context, strategy):
    values = [request["body"] for request in _requests(context) if request.get("body") is not None]
    return _mostly(strategy, _changed(values)) if values else strategy


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Adds the first requests as examples, for the phases before the random one."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            requests = REQUESTS.get(operation.get("operationId"), [])
            if requests:
                _add_examples(operation, requests)


def _add_examples(operation, requests):
    for parameter in operation["parameters"]:
        part = "params" if parameter["in"] == "path" else "query"
        values = [request[part][parameter["name"]] for request in requests if parameter["name"] in request[part]]
        if values:
            parameter["examples"] = {str(index): {"value": value} for index, value in enumerate(values)}
    bodies = [request["body"] for request in requests if request.get("body") is not None]
    for media_type in operation.get("requestBody", {}).get("content", {}).values():
        if bodies:
            media_type["examples"] = {str(index): {"value": value} for index, value in enumerate(bodies)}
