"""Receives webhooks with the Python SDK. Run it with: uvicorn webhook-listener:server --port 8000"""

import os

import argilla as rg
from argilla.webhooks import get_webhook_server, webhook_listener

client = rg.Argilla(api_url=os.environ["ARGILLA_API_URL"], api_key=os.environ["ARGILLA_API_KEY"])
server = get_webhook_server()


@webhook_listener(events=["record.completed"])
async def on_completed(record, type, timestamp):
    print(type, timestamp, record.id)
