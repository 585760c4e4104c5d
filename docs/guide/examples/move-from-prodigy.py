"""Imports an export of Prodigy: prodigy db-out my_dataset > my_dataset.jsonl; python move-from-prodigy.py my_dataset.jsonl"""

import pathlib
import re

from moving import ME, Entry, Export, read_export
from uploading import Upload, read_arguments

FIELDS = ("text", "image", "html")
#: Keys of tasks that are read here, or that repeat what others say.
KNOWN = {*FIELDS, "meta", "spans", "tokens", "options", "accept", "label", "answer", "user_input", "config",
         "_input_hash", "_task_hash", "_annotator_id", "_session_id", "_view_id", "_is_binary"}
KNOWN_OF_SPAN = ("start", "end", "label", "text", "token_start", "token_end", "type")


def to_person(task, dataset):
    """Named sessions are `dataset-name`. A session without a name has the time as its name."""
    session = str(task.get("_annotator_id") or task.get("_session_id") or "")
    name = session.removeprefix(f"{dataset}-")
    return ME if re.fullmatch(r"(.*-)?\d{4}-\d{2}-\d{2}(_\d{2}-\d{2}-\d{2})?", name) else name


def read_spans(export, values, task):
    for span in task.get("spans") or []:
        if "start" not in span or "text" not in task:
            export.leave("spans that are not of a text")
        elif "label" not in span:
            export.leave("spans without a label")
        else:
            export.add_span(values, "spans", "text", task["text"], {key: span[key] for key in ("start", "end", "label")})
            export.leave_others("span", span, *KNOWN_OF_SPAN)


def read_task(export, task, person):
    fields = {key: task[key] for key in FIELDS if isinstance(task.get(key), str)}
    if not fields:
        return export.leave(f"tasks without {', '.join(FIELDS)}")
    # In a binary task, the answer itself is the annotation: of a label, or of the spans that a model proposed.
    is_binary = "options" not in task and ("label" in task or bool(task.get("_is_binary")) or task.get("_view_id") == "ner")
    identifier = str(task.get("_input_hash", hash_of(fields)))
    if is_binary:
        proposed = [str(task["label"])] if "label" in task else [f"{one.get('start')}-{one.get('end')}" for one in task.get("spans") or []]
        identifier = "-".join([identifier, *proposed])
        if "label" in task:
            fields["label"] = str(task["label"])
    metadata = dict(task.get("meta") or {})
    entry = export.entries.setdefault(identifier, Entry(identifier, fields, metadata))
    for name, value in metadata.items():
        export.leave(f"meta: another `{name}` of the same task", int(entry.metadata.setdefault(name, value) != value))
    export.images |= {"image"} & fields.keys()

    values, spans = {}, {}
    read_spans(export, spans, task)
    answer = task.get("answer", "accept")
    if is_binary:
        export.question("answer", "choices").add_labels(["accept", "reject"])
        if answer != "ignore":
            values["answer"] = [answer]
        entry.suggestions.update({name: (value, None, None) for name, value in spans.items()})
    else:
        values.update(spans)
        if answer != "accept":
            export.leave(f"difference between reject and ignore, which are both discarded: {answer}")
    # A task of a span interface is an answer even if it has no spans.
    if not is_binary and "options" not in task and "text" in task and ("tokens" in task or "spans" in task):
        export.question("spans", "span", "text")
        values.setdefault("spans", [])
    if "options" in task:
        question = export.question("accept", "choices")
        question.add_options({str(option["id"]): str(option.get("text") or option["id"]) for option in task["options"]})
        question.multiple |= (task.get("config") or {}).get("choice_style") == "multiple"
        export.add_choices(values, "accept", task.get("accept") or [])
    if task.get("user_input"):
        export.add_texts(values, "user_input", [task["user_input"]])
    is_answered = answer in ("accept", "reject") if is_binary else answer == "accept"
    export.answer(entry, person, "submitted" if is_answered else "discarded", values, merge=True)
    export.leave("task: _session_id", int(task.get("_session_id") != task.get("_annotator_id", task.get("_session_id"))))
    export.leave_others("task", task, *KNOWN)


def hash_of(fields):
    return "-".join(fields.values())[:100]


parser = read_arguments("Prodigy", "the output of `prodigy db-out`, named like the dataset: my_dataset.jsonl")
arguments = parser.parse_args()
source = Export()
for path in map(pathlib.Path, arguments.files):
    for task in read_export(path.read_text(encoding="utf-8"), path.name):
        read_task(source, task, to_person(task, path.stem))
Upload(arguments, source).run()
