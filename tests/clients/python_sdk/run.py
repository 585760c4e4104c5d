"""Lists or runs the tests of a folder: every function `test_*` of every module `test_*.py`, in the order of the source.

    run.py FOLDER --list    one JSON array of {"module", "name"}; reads the sources only, so it needs no SDK
    run.py FOLDER           {"ready": true} once the SDK is loaded and connected, then one JSON line a test as it ends
"""

import ast
import faulthandler
import importlib
import json
import sys
import time
import traceback
from pathlib import Path

FOLDER = Path(sys.argv[1])
TRACE_MAX = 6
#: A test that hangs ends the process with a stack trace. Below the timeout of the TypeScript tests.
TEST_SECONDS_MAX = 600


def list_tests():
    return [
        {"module": path.stem, "name": node.name}
        for path in sorted(FOLDER.glob("test_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def say(line):
    print(json.dumps(line), file=OUTPUT, flush=True)


def run_test(module, name):
    from session import trace

    trace.clear()
    faulthandler.dump_traceback_later(TEST_SECONDS_MAX, exit=True)
    started = time.monotonic()
    try:
        getattr(importlib.import_module(module), name)()
        error = None
    except Exception as problem:
        requests = "\n".join(str(exchange) for exchange in trace[-TRACE_MAX:])
        told = "".join(traceback.format_exception(problem, chain=False))
        error = f"{told}\nThe last requests:\n{requests}"
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {"module": module, "name": name, "error": error, "seconds": round(time.monotonic() - started, 3)}


if __name__ == "__main__":
    # The SDK and its libraries print. Their output must not mix with our lines.
    OUTPUT, sys.stdout = sys.stdout, sys.stderr
    if sys.argv[2:] == ["--list"]:
        say(list_tests())
    else:
        sys.path.append(str(FOLDER))
        import session  # noqa: F401

        say({"ready": True})
        for test in list_tests():
            say(run_test(**test))
