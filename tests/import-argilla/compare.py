"""Reads everything from a server through the public SDK, and compares it field by field with what was read from another one.

Usage: compare.py <url> <api key> <file> [--write]. With `--write` it writes what it has read to the file. Otherwise it prints one
JSON object: the number of compared items, and the first differences from the file.
"""

import json
import pickle
import sys

import argilla as rg

URL, API_KEY, FILE = sys.argv[1:4]
DIFFERENCES_MAX = 20
differences = []


def compare(place: str, one, other) -> None:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}, key=str):
            compare(f"{place}.{key}", one.get(key, "(absent)"), other.get(key, "(absent)"))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (first, second) in enumerate(zip(one, other)):
            compare(f"{place}.{index}", first, second)
    elif one != other:
        differences.append(f"{place}: {str(one)[:200]!r} / {str(other)[:200]!r}")


def by_id(items) -> dict:
    return {str(item["id"]): item for item in items}


def read_record(record) -> dict:
    content = record.api_model().model_dump(mode="python")
    content["responses"] = sorted(content.get("responses") or [], key=lambda response: str(response["user_id"]))
    content["suggestions"] = sorted(content.get("suggestions") or [], key=lambda suggestion: str(suggestion["question_id"]))
    vectors = content.get("vectors")
    content["vectors"] = sorted(vectors, key=lambda vector: vector["name"]) if isinstance(vectors, list) else vectors
    # Also the notebook representation, only for some records because it is slow.
    if str(record._server_id).startswith("0"):
        content["as_dict"] = record.to_dict()
    content["status"] = record.status
    content["times"] = [record._model.inserted_at, record._model.updated_at]
    return content


def read_all(url: str) -> dict:
    client = rg.Argilla(api_url=url, api_key=API_KEY)
    datasets = list(client.datasets)
    for dataset in datasets:
        dataset.settings.get()
    return {
        "users": by_id(user._model.model_dump(mode="python") for user in client.users),
        "workspaces": by_id(workspace._model.model_dump(mode="python") for workspace in client.workspaces),
        "members": {workspace.name: sorted(user.username for user in workspace.users) for workspace in client.workspaces},
        "datasets": by_id(dataset._model.model_dump(mode="python") for dataset in datasets),
        "settings": {dataset.name: dataset.settings.serialize() for dataset in datasets},
        "webhooks": by_id(webhook._model.model_dump(mode="python") for webhook in client.webhooks),
        "records": {
            str(record._server_id): read_record(record)
            for dataset in datasets
            if dataset._model.status == "ready"
            for record in dataset.records(batch_size=500, with_suggestions=True, with_responses=True, with_vectors=True)
        },
    }


def main() -> None:
    if "--write" in sys.argv:
        with open(FILE, "wb") as file:
            pickle.dump(read_all(URL), file)
        return
    with open(FILE, "rb") as file:
        one = pickle.load(file)
    compare("", one, read_all(URL))
    counts = {kind: len(items) for kind, items in one.items()}
    counts["responses"] = sum(len(record["responses"]) for record in one["records"].values())
    counts["suggestions"] = sum(len(record["suggestions"]) for record in one["records"].values())
    print(json.dumps({"counts": counts, "differences": differences[:DIFFERENCES_MAX], "difference_count": len(differences)}))


main()
