"""Imports exports of doccano: python move-from-doccano.py export.zip, or python move-from-doccano.py lena.jsonl omar.jsonl"""

import pathlib
import zipfile

from moving import ME, Entry, Export, read_export, stop
from uploading import Upload, read_arguments

TYPES = ["text-classification", "sequence-labeling", "sequence-to-sequence", "intent-detection"]
#: Keys that are not metadata of the example.
KNOWN = {"id", "text", "label", "cats", "entities", "relations", "Comments"}


def read_files(paths):
    """Name and content of each file. A project in which everyone annotates alone is a ZIP file with a file for each member."""
    for path in map(pathlib.Path, paths):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield pathlib.Path(name), archive.read(name).decode("utf-8-sig")
        else:
            yield path, path.read_text(encoding="utf-8-sig")


def find_type(examples):
    """The type of the project, unless two types look the same."""
    if any("cats" in one for one in examples):
        return "intent-detection"
    if any("entities" in one for one in examples):
        return "sequence-labeling"
    labels = [label for one in examples for label in one.get("label") or []]
    if labels and all(isinstance(label, list) for label in labels):
        return "sequence-labeling"
    return stop(f"Text classification and sequence to sequence look the same in the file. Add --type with one of: {', '.join(TYPES)}.")


def add_questions(export, kind):
    """The questions of the project, also if nobody used them."""
    if kind in ("text-classification", "intent-detection"):
        export.question("label" if kind == "text-classification" else "cats", "choices").multiple = True
    elif kind == "sequence-to-sequence":
        export.question("label", "text")


def read_values(export, example, kind):
    labels = example.get("label") or []
    is_text = kind in ("text-classification", "sequence-to-sequence")
    if not all(isinstance(label, str if is_text else (list, dict)) for label in labels):
        stop(f"The labels of example {example['id']} are not those of a project of the type {kind}.")
    values = {}
    if kind == "text-classification":
        export.add_choices(values, "label", labels)
    elif kind == "sequence-to-sequence":
        export.add_texts(values, "label", labels)
    else:
        export.add_choices(values, "cats", example.get("cats") or [])
        name = "entities" if "entities" in example else "label"
        for one in example.get(name) or []:
            # Objects if the project has relations, otherwise lists of start, end and label.
            if isinstance(one, dict):
                span = {"start": one["start_offset"], "end": one["end_offset"], "label": one["label"]}
            else:
                span = dict(zip(("start", "end", "label"), one))
            export.add_span(values, name, "text", example["text"], span)
    return values


def read_example(export, example, person, kind):
    identifier = str(example["id"])
    metadata = {key: value for key, value in example.items() if key not in KNOWN and value is not None}
    entry = export.entries.setdefault(identifier, Entry(identifier, {"text": example["text"]}, metadata))
    if (entry.fields["text"], entry.metadata) != (example["text"], metadata):
        stop(f"Example {identifier} is not the same in all files. Are they of one project?")
    values = read_values(export, example, kind)
    if values:
        export.answer(entry, person, "submitted", values)
    for comment in example.get("Comments") or []:
        entry.comments.append((person, comment["text"] if isinstance(comment, dict) else comment))
    export.leave("relations", len(example.get("relations") or []))


parser = read_arguments("doccano", "the export: a ZIP file, or a JSONL or JSON file for each annotator")
parser.add_argument("--type", choices=TYPES, help="type of the project, if the file does not tell")
arguments = parser.parse_args()
files = [(path, read_export(text, path.name)) for path, text in read_files(arguments.files)]
for path, examples in files:
    for example in examples:
        if "id" not in example or not isinstance(example.get("text"), str):
            stop(f"{path.name}: an example has no `id` or no `text`. Projects with images or audio are not imported.")
kind = arguments.type or find_type([example for _, examples in files for example in examples])
source = Export()
add_questions(source, kind)
for path, examples in files:
    # A project in which all members share the labels has one file, without people.
    is_named = len(files) > 1 or any(one.startswith(f"{path.stem}=") for one in arguments.user)
    person = path.stem if is_named else ME
    for example in examples:
        read_example(source, example, person, kind)
Upload(arguments, source).run()
