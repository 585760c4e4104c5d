"""Writes Parquet files with pyarrow into a folder: all codecs, page versions and encodings, flat and nested columns."""

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 700
folder = sys.argv[1]


def some(index, value):
    return None if index % 5 == 0 else value


def column(make, type):
    return pa.array([make(i) for i in range(ROWS)], type)


chat = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
table = pa.table(
    {
        "text": column(lambda i: some(i, f"text {i} " + "ä" * (i % 50)), pa.string()),
        "label": column(lambda i: "abc"[i % 3], pa.string()),
        "number": column(lambda i: some(i, i), pa.int64()),
        "small": column(lambda i: i % 7, pa.int32()),
        "share": column(lambda i: some(i, i / 4), pa.float64()),
        "flag": column(lambda i: some(i, i % 3 == 0), pa.bool_()),
        "nothing": column(lambda i: None, pa.string()),
        "vector": column(lambda i: [float(i), 1.0, 2.0], pa.list_(pa.float32())),
        "tags": column(lambda i: some(i, [some(j, f"t{j}") for j in range(i % 6)]), pa.list_(pa.string())),
        "chat": column(lambda i: some(i, [{"role": "user", "content": f"{i} {j}"} for j in range(i % 4)]), chat),
    }
)
names = []


def write(name, rows, **options):
    names.append(name)
    pq.write_table(rows, f"{folder}/{name}.parquet", **options)


for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    for version in ["1.0", "2.0"]:
        for dictionary in [False, True]:
            options = {"compression": codec, "data_page_version": version, "use_dictionary": dictionary}
            write(f"{codec} {version} {dictionary}", table, row_group_size=300, write_page_index=dictionary, **options)

flat = table.select(["text", "label", "number", "small", "share", "flag", "nothing"])
encodings = {
    "text": "DELTA_BYTE_ARRAY",
    "label": "DELTA_LENGTH_BYTE_ARRAY",
    "number": "DELTA_BINARY_PACKED",
    "small": "DELTA_BINARY_PACKED",
    "share": "BYTE_STREAM_SPLIT",
    "flag": "RLE",
    "nothing": "PLAIN",
}
for version in ["1.0", "2.0"]:
    write(f"encodings {version}", flat, use_dictionary=False, column_encoding=encodings, data_page_version=version)
    write(f"small pages {version}", flat, data_page_size=256, write_page_index=True, data_page_version=version)
write("one row group", table)

print(json.dumps({"names": names, "rows": table.to_pylist()}))
