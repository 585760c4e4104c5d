"""The SDK's listener on a free port: prints {"ready": port}, then a JSON line for each verified event."""

import json
import os
import socket
import sys
import warnings

OUTPUT, sys.stdout = sys.stdout, sys.stderr
warnings.simplefilter("ignore")


def say(line):
    print(json.dumps(line), file=OUTPUT, flush=True)


listening = socket.create_server(("127.0.0.1", 0))
port = listening.getsockname()[1]
os.environ["WEBHOOK_SERVER_URL"] = f"http://127.0.0.1:{port}"

import argilla as rg  # noqa: E402
import uvicorn  # noqa: E402
from argilla.webhooks import get_webhook_server, webhook_listener  # noqa: E402

rg.Argilla(api_url=os.environ["POSTIL_TEST_URL"], api_key=os.environ["POSTIL_TEST_API_KEY"])

EVENTS = json.loads(os.environ["POSTIL_TEST_EVENTS"])


@webhook_listener(events=EVENTS, description="All events")
async def on_event(type, timestamp, dataset=None, record=None, response=None):
    # Objects of the SDK, which verified the signature and parsed the payload. Its responses have no id.
    parsed = {"dataset": dataset, "record": record, "response": response}[type.resource]
    of_record = response.record if type.resource == "response" else record
    say(
        {
            "type": type.value,
            "time": timestamp.isoformat(),
            "id": str(dataset.id if dataset else of_record._server_id),
            "recordId": of_record and str(of_record._server_id),
            "kind": parsed.__class__.__name__,
        }
    )


say({"ready": port})
uvicorn.Server(uvicorn.Config(get_webhook_server(), log_level="warning", access_log=False)).run(sockets=[listening])
