"""The public Argilla server with a new SQLite database, for tests: one process, which also replaces Redis.

Usage: public_server.py <port>, with ARGILLA_HOME_PATH, ARGILLA_ELASTICSEARCH and ARGILLA_REDIS_URL (on loopback) in the environment.

It creates the schema with the server's migrations and an owner with the server's functions. Each line on standard input is a number:
records are copied with the server's models until there are this many. The process ends when standard input is closed.
"""

import asyncio
import os
import sys
import threading
from urllib.parse import urlparse
from uuid import uuid4

from fakeredis import TcpFakeServer

redis_port = urlparse(os.environ["ARGILLA_REDIS_URL"]).port
redis = TcpFakeServer(("127.0.0.1", redis_port), server_type="redis")
threading.Thread(target=redis.serve_forever, daemon=True).start()

import alembic.config  # noqa: E402
import uvicorn  # noqa: E402
from argilla_server.contexts import accounts  # noqa: E402
from argilla_server.database import ALEMBIC_CONFIG_FILE, AsyncSessionLocal, SyncSessionLocal  # noqa: E402
from argilla_server.enums import UserRole  # noqa: E402
from argilla_server.models import Record, Response, Suggestion, User, Vector  # noqa: E402
from sqlalchemy import insert, inspect, select  # noqa: E402


async def make_owner() -> None:
    async with AsyncSessionLocal() as db:
        workspace = await accounts.create_workspace(db, {"name": "team"})
        password_hash = accounts.hash_password("password of ann")
        owner = {"first_name": "Ann", "username": "ann", "role": UserRole.owner, "api_key": "key-of-ann"}
        await User.create(db, **owner, password_hash=password_hash, workspaces=[workspace])


def read_rows(db, model) -> list:
    names = [column.key for column in inspect(model).column_attrs]
    return [{name: getattr(row, name) for name in names} for row in db.scalars(select(model))]


def multiply(total: int) -> None:
    with SyncSessionLocal() as db:
        originals = list(db.scalars(select(Record).order_by(Record.inserted_at)))
        relations = [(model, read_rows(db, model)) for model in (Response, Suggestion, Vector)]
        count = len(originals)
        round_no = 0
        while count < total:
            round_no += 1
            chosen = originals[: total - count]
            ids = {record.id: uuid4() for record in chosen}
            db.execute(insert(Record), [to_copy(record, ids[record.id], round_no) for record in chosen])
            for model, rows in relations:
                copies = [{**row, "id": uuid4(), "record_id": ids[row["record_id"]]} for row in rows if row["record_id"] in ids]
                db.execute(insert(model), copies)
            count += len(chosen)
        db.commit()


def to_copy(record, record_id, round_no: int) -> dict:
    return {
        "id": record_id,
        "dataset_id": record.dataset_id,
        "fields": {**record.fields, "text": f"{record.fields['text']} copy {round_no}"},
        "metadata_": record.metadata_,
        "external_id": record.external_id and f"{record.external_id} copy {round_no}",
        "status": record.status,
    }


def obey() -> None:
    for line in sys.stdin:
        multiply(int(line))
        print("multiplied", flush=True)
    os._exit(0)


def main() -> None:
    alembic.config.main(argv=["--raiseerr", "-c", ALEMBIC_CONFIG_FILE, "upgrade", "head"])
    # The server must use the event loop that created the connections.
    server = uvicorn.Server(uvicorn.Config("argilla_server:app", host="127.0.0.1", port=int(sys.argv[1]), log_level="warning"))
    threading.Thread(target=obey, daemon=True).start()

    async def run() -> None:
        await make_owner()
        await server.serve()

    asyncio.run(run())


main()
