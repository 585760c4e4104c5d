"""Receives webhooks. Needs Python 3.9 or newer: WEBHOOK_SECRET=… PORT=8000 python webhook-receiver.py"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_BYTES_MAX = 64 * 1024 * 1024
CLOCK_SECONDS_MAX = 5 * 60

# The secret is the base64-encoded key.
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"])


def is_genuine(headers, body):
    """Whether the sender knows the secret and sent this body within the last minutes."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > CLOCK_SECONDS_MAX:
        return False

    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    # While a secret is being replaced, there are two signatures, separated by a space.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
            return self.answer(413)
        # Use the raw bytes: parsing and serializing the body again changes the signature.
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.answer(401)

        event = json.loads(body)
        # Put long-running work into a queue: the server waits 20 seconds for the response. An event can arrive twice.
        print(event["type"], event["timestamp"], event["data"].get("id"), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8000"))), Receiver)
print("listening", server.server_port, flush=True)
server.serve_forever()
