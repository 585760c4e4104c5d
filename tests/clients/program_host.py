"""Runs programs in processes forked from this one, which has loaded a client: loading it takes longer than most programs run.

Usage: program_host.py <statements that load it>. Reads one JSON object a line from standard input: the name and the text of a
program, its arguments, its folder and its environment. Answers each with its exit status and its output, see program-host.ts.
"""

import json
import os
import signal
import sys
import tempfile
import traceback
from types import ModuleType

#: A program that hangs is ended. Below the limit of the TypeScript tests.
PROGRAM_SECONDS_MAX = 100


def run(command) -> dict:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            start(command, out.fileno(), err.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return {"status": status, "stdout": read(out), "stderr": read(err)}


def start(command, out: int, err: int) -> None:
    """Ends the process."""
    signal.alarm(PROGRAM_SECONDS_MAX)
    status = 1
    try:
        for stream, replacement in enumerate([os.open(os.devnull, os.O_RDONLY), out, err]):
            os.dup2(replacement, stream)
        os.chdir(command["cwd"])
        os.environ.clear()
        os.environ.update(command["env"])
        sys.argv = [command["name"], *command["args"]]
        sys.path[0] = os.path.dirname(command["name"])
        main = sys.modules["__main__"] = ModuleType("__main__")
        # The client prints more where it takes the program for a notebook.
        main.__file__ = command["name"]
        exec(compile(command["text"], command["name"], "exec"), main.__dict__)
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def read(file) -> str:
    file.seek(0)
    return file.read().decode()


exec(sys.argv[1])
for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
