"""The SDK, the datasets library and pyarrow read the server's export files with the same content."""

import json
import tempfile
import time
import zipfile
from io import BytesIO
from pathlib import Path

import argilla as rg
import pyarrow.parquet as pq
from datasets import load_dataset
from session import equal, fresh, make_workspace, owner
from test_hub import same_content
from test_server import WAIT_SECONDS_MAX, the_dataset
from test_settings import described


def export(dataset, **body):
    """The bytes of the file."""
    answer = owner.http_client.post(f"/api/v1/datasets/{dataset.id}/exports", json=body)
    equal(answer.status_code, 202, answer.text)
    path = f"/api/v1/exports/{answer.json()['id']}"
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        found = owner.http_client.get(path).raise_for_status().json()
        if found["status"] not in ("queued", "started"):
            equal((found["status"], found["error"]), ("finished", None), str(found))
            return owner.http_client.get(f"{path}/file").raise_for_status().content
        time.sleep(0.05)
    raise AssertionError(f"the export did not end: {found}")


def unpacked(dataset, format):
    folder = Path(tempfile.mkdtemp())
    with zipfile.ZipFile(BytesIO(export(dataset, format=format))) as archive:
        equal(archive.testzip(), None, "damaged")
        archive.extractall(folder)
    return folder


def rows_of(dataset):
    lines = export(dataset, format="jsonl").decode().splitlines()
    return [json.loads(line) for line in lines]


def as_typed(name, value):
    """Terms are always lists in exports, because a column has one type, even if a record has a single term as text."""
    return [value] if name.startswith("metadata.") and isinstance(value, str) else value


def test_an_exported_folder_is_read_from_disk_by_the_sdk_unchanged():
    folder = unpacked(the_dataset(), "disk")
    workspace = make_workspace()
    copy = rg.Dataset.from_disk(str(folder), name=fresh("from-disk"), workspace=workspace.name, client=owner)
    equal(described(copy.settings), described(the_dataset().settings))
    same_content(copy, the_dataset())


def test_an_exported_folder_is_loaded_by_the_datasets_library():
    table = load_dataset(str(unpacked(the_dataset(), "datasets")), split="train")
    rows = rows_of(the_dataset())
    equal(table["id"], [row["id"] for row in rows])
    equal(table[0]["image"].size, (2, 1))
    for name in ["text", "metadata.tag", "metadata.length", "vector.small", "label.responses", "span.responses", "rating.suggestion"]:
        equal(table[name], [row[name] for row in rows], name)


def test_exported_parquet_is_read_by_pyarrow():
    table = pq.read_table(BytesIO(export(the_dataset(), format="parquet")))
    rows = rows_of(the_dataset())
    equal(table.column_names, list(rows[0]))
    read = table.to_pylist()
    for name in set(table.column_names) - {"image", "inserted_at", "updated_at", "custom"}:
        equal([row[name] for row in read], [as_typed(name, row[name]) for row in rows], name)
    equal([row["inserted_at"].isoformat() for row in read], [row["inserted_at"] for row in rows])
