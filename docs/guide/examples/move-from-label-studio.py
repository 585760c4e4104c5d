"""Imports a JSON export of Label Studio: python move-from-label-studio.py export.json [--config labeling.xml]"""

import json
import xml.etree.ElementTree as ElementTree

from moving import ME, Entry, Export, read_export, stop
from uploading import Upload, read_arguments, to_agent


class LabelStudio:
    def __init__(self, config):
        self.export = Export()
        #: The key in `data` that a control refers to, by the name of the control.
        self.keys = {}
        #: Keys in `data` that annotators saw. Without a labeling configuration: all with a text.
        self.shown = None
        self.span_controls = {}
        if config:
            self.read_config(ElementTree.parse(config).getroot())

    def read_config(self, root):
        """Controls with all their labels, also those that nobody used, and the fields that annotators saw."""
        shown = [one for one in root.iter() if one.get("name") and one.get("value", "").startswith("$")]
        keys = {one.get("name"): one.get("value")[1:] for one in shown}
        self.shown = set(keys.values())
        self.export.images = {keys[one.get("name")] for one in root.iter("Image") if one.get("name") in keys}
        for control in root.iter():
            name, key = control.get("name"), keys.get(control.get("toName"))
            if key is None or control.get("perRegion") == "true":
                continue
            self.keys[name] = key
            if control.tag == "Choices":
                question = self.export.question(name, "choices")
                question.multiple = control.get("choice", "").startswith("multiple")
                question.add_labels(one.get("alias") or one.get("value") for one in control.iter("Choice"))
            elif control.tag == "Rating":
                self.export.question(name, "rating").add_labels(range(1, int(control.get("maxRating", 5)) + 1))
            elif control.tag == "TextArea":
                self.export.question(name, "text")
            elif control.tag == "Labels":
                question = self.export.question(self.name_spans(name, key), "span", key)
                question.add_labels(self.name_label(name, key, one.get("alias") or one.get("value")) for one in control.iter("Label"))

    def name_spans(self, control, key):
        """A field has one span question: the spans of all its controls belong to the question of the first."""
        return self.span_controls.setdefault(key, control)

    def name_label(self, control, key, label):
        return label if self.name_spans(control, key) == control else f"{control}: {label}"

    def read_task(self, task):
        fields, metadata = {}, {}
        for key, value in task["data"].items():
            if isinstance(value, (str, list, dict)) and (self.shown is None or key in self.shown):
                fields[key] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            elif value is not None:
                metadata[key] = value
        for key, value in (task.get("meta") or {}).items():
            metadata[f"meta.{key}" if key in metadata else key] = value
        if str(task["id"]) in self.export.entries:
            stop(f"Task {task['id']} appears twice.")
        if not fields:
            return self.export.leave("tasks without a text in `data`")
        entry = self.export.entries[str(task["id"])] = Entry(str(task["id"]), fields, metadata)

        for annotation in sorted(task.get("annotations", []), key=lambda one: str(one.get("updated_at") or "")):
            status = "discarded" if annotation.get("was_cancelled") else "submitted"
            self.export.answer(entry, to_person(annotation.get("completed_by")), status, self.read_result(annotation.get("result"), entry))
            self.export.leave_others("annotation", annotation, "id", "completed_by", "result", "was_cancelled")
        for prediction in task.get("predictions", []):
            self.read_prediction(prediction, entry)
        self.export.leave("drafts", len(task.get("drafts") or []))
        self.export.leave_others("task", task, "id", "data", "meta", "annotations", "predictions", "drafts")

    def read_prediction(self, prediction, entry):
        if not isinstance(prediction, dict):
            return self.export.leave("predictions of which the export has only the id")
        score = prediction.get("score")
        if score is not None and not 0 <= score <= 1:
            self.export.leave("prediction: score that is not between 0 and 1")
            score = None
        scores = {}
        for name, value in self.read_result(prediction.get("result"), entry, "prediction", scores).items():
            self.export.leave("earlier predictions for the same question", int(name in entry.suggestions))
            own = scores.get(name, [])
            is_own = bool(own) and len(own) == len(value)
            self.export.leave("score of a prediction whose spans have their own", int(is_own and score is not None))
            self.export.leave("scores of some spans of a prediction", 0 if is_own else len(own))
            entry.suggestions[name] = (value, own if is_own else score, to_agent(prediction.get("model_version") or ""))
        self.export.leave_others("prediction", prediction, "id", "result", "score", "model_version")

    def read_result(self, result, entry, where="annotation", scores=None):
        """The values by question. `scores`: filled with the scores of spans, by question."""
        values = {}
        regions = {item["id"] for item in result or [] if "id" in item and is_region(item)}
        for item in result or []:
            kind, value, name = item.get("type"), item.get("value") or {}, item.get("from_name")
            if kind == "labels" and isinstance(value.get("start"), int):
                self.read_span(values, name, value, entry)
                if scores is not None and isinstance(item.get("score"), (int, float)) and 0 <= item["score"] <= 1:
                    scores.setdefault(self.name_spans(name, self.keys.get(name)), []).append(item["score"])
                    item = {**item, "score": None}
            elif is_region(item) or item.get("id") in regions:
                self.export.leave(f"{where}: {kind} of a region")
            elif kind == "choices":
                self.export.add_choices(values, name, value.get("choices", []))
            elif kind == "rating":
                self.export.add_rating(values, name, value.get("rating"))
            elif kind == "textarea":
                text = value.get("text", [])
                self.export.add_texts(values, name, [text] if isinstance(text, str) else text)
            else:
                self.export.leave(f"{where}: {kind}")
                continue
            known = [key for key in ("origin",) if item.get(key) == "manual"]
            self.export.leave_others(f"{where}: {kind}", item, "id", "from_name", "to_name", "type", "value", *known)
        return values

    def read_span(self, values, control, value, entry):
        key = self.keys.get(control) or self.find_key(value, entry)
        if key not in entry.fields:
            return self.export.leave("spans of which the field is not known: use --config")
        self.keys[control] = key
        self.export.leave("spans without a label", int(not value.get("labels")))
        for label in value.get("labels", []):
            span = {"start": value["start"], "end": value.get("end"), "label": self.name_label(control, key, label)}
            self.export.add_span(values, self.name_spans(control, key), key, entry.fields[key], span)

    def find_key(self, value, entry):
        """Without a labeling configuration: the only field, or the one with the marked text at that place."""
        if len(entry.fields) == 1:
            return next(iter(entry.fields))
        marked = (value["start"], value.get("end"), value.get("text"))
        return next((key for key, text in entry.fields.items() if text[marked[0] : marked[1]] == marked[2]), None)


def is_region(item):
    return item.get("type") == "labels" or bool((item.get("value") or {}).keys() & {"start", "x", "points", "ranges"})


def to_person(completed_by):
    """The export has an id, or the user."""
    if isinstance(completed_by, dict):
        return str(completed_by.get("email") or completed_by.get("username") or completed_by.get("id"))
    return ME if completed_by is None else str(completed_by)


parser = read_arguments("Label Studio", "the export (JSON)")
parser.add_argument("--config", help="the labeling configuration: Settings, Labeling Interface, Code")
arguments = parser.parse_args()
source = LabelStudio(arguments.config)
for path in arguments.files:
    with open(path, encoding="utf-8") as file:
        for task in read_export(file.read(), path):
            if "data" not in task or "id" not in task:
                stop(f"{path} is not an export in the format JSON: a task has no `id` or no `data`. JSON-MIN and CSV are not read.")
            source.read_task(task)
Upload(arguments, source.export).run()
