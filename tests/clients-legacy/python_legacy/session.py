"""Shared setup of the programs: the client, connected as the owner to a separate workspace."""

import os

import argilla as rg

URL = os.environ["POSTIL_TEST_URL"]
API_KEY = os.environ["POSTIL_TEST_API_KEY"]


def connect(workspace):
    rg.init(api_url=URL, api_key=API_KEY)
    if workspace not in [known.name for known in rg.Workspace.list()]:
        rg.Workspace.create(workspace)
    rg.set_workspace(workspace)
    return rg


def raises(kind, part, call):
    """Expects `call` to raise an error of exactly this kind, whose message contains `part`."""
    try:
        call()
    except Exception as error:
        assert type(error) is kind and part in str(error), f"expected {kind} with {part!r}, not {type(error)}: {error}"
        return
    raise AssertionError(f"no {kind} was raised")
