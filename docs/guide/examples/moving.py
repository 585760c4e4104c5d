"""Used by the scripts move-from-*.py. Collects what they read from an export, then checks all of it."""

import json
import math
import re
import sys
from collections import Counter
from dataclasses import dataclass
from dataclasses import field as attribute

#: The person who runs the script. Stands for answers without a name.
ME = ""
LABEL_CHARACTERS_MAX = 200
COMMENTS_MAX = 200
COMMENT_CHARACTERS_MAX = 5_000
TERM_BYTES_MAX = 8_000
RATING_MAX = 10
#: If the number of stars is not known.
RATING_DEFAULT = range(1, 6)


def stop(message):
    sys.exit(f"{message}\nNothing was imported.")


def is_url(value):
    return value is None or re.match("https?://[^/]+/|data:image/", value) is not None


def read_export(text, where):
    """The objects of a JSON list, or of JSON lines."""
    try:
        given = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        stop(f"{where} is not a JSON list and not JSON lines: {error}.")
    for number, one in enumerate(given, 1):
        if not isinstance(one, dict):
            stop(f"Entry {number} of {where} is not an object.")
    return given


@dataclass
class Question:
    name: str
    #: choices, span, rating or text
    kind: str
    #: Of a span question: the field with the text.
    field: str = ""
    #: Whether an answer may have several choices.
    multiple: bool = False
    #: What annotators read, by label.
    labels: dict = attribute(default_factory=dict)
    required: bool = False

    def add_labels(self, labels):
        self.add_options({label: str(label) for label in labels})

    def add_options(self, texts):
        self.labels = {**self.labels, **{label: text for label, text in texts.items() if label not in self.labels}}


@dataclass
class Entry:
    """One record."""

    id: str
    fields: dict
    metadata: dict
    #: By person: the status and the values by question.
    answers: dict = attribute(default_factory=dict)
    #: By question: the value, the score and the agent.
    suggestions: dict = attribute(default_factory=dict)
    #: Pairs of person and text.
    comments: list = attribute(default_factory=list)


class Export:
    def __init__(self):
        self.questions = {}
        self.entries = {}
        self.images = set()
        #: What is not imported, with the number of times.
        self.left = Counter()

    def leave(self, what, count=1):
        if count:
            self.left[what] += count

    def leave_others(self, kind, given, *known):
        """Counts the keys that have a value and are not known."""
        for key, value in given.items():
            if key not in known and value not in (None, "", [], {}, 0):
                self.leave(f"{kind}: {key}")

    def question(self, name, kind, field=""):
        question = self.questions.setdefault(name, Question(name, kind, field))
        if (question.kind, question.field) != (kind, field):
            stop(f"`{name}` has answers of two kinds in this file: {question.kind} {question.field} and {kind} {field}.")
        return question

    def add_choices(self, values, name, labels):
        labels = list(dict.fromkeys([*values.get(name, []), *(str(label) for label in labels)]))
        if labels:
            question = self.question(name, "choices")
            question.add_labels(labels)
            question.multiple |= len(labels) > 1
            values[name] = labels

    def add_texts(self, values, name, texts):
        """The first text answers the question, the others the questions `name_2`, `name_3`, …"""
        for text in texts:
            numbered, number = name, 1
            while numbered in values:
                number += 1
                numbered = f"{name}_{number}"
            self.question(numbered, "text")
            values[numbered] = text

    def add_rating(self, values, name, rating):
        if not isinstance(rating, int) or not 0 <= rating <= RATING_MAX:
            return self.leave(f"{name}: rating that is not an integer from 0 to {RATING_MAX}")
        question = self.question(name, "rating")
        question.add_labels([rating] if question.labels else [*RATING_DEFAULT, rating])
        self.leave(f"{name}: rating of an answer that has another one", int(name in values))
        values[name] = rating

    def add_span(self, values, name, field, text, span):
        label, start, end = span["label"], span["start"], span["end"]
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
            return self.leave(f"{name}: span that is empty or outside of the text")
        self.question(name, "span", field).add_labels([label])
        values.setdefault(name, []).append(span)

    def answer(self, entry, person, status, values, merge=False):
        """
        A later answer of the same person replaces an earlier one, but a discarded one does not replace a submitted one. With `merge`,
        it replaces only the values of the same questions.
        """
        before, old_values = entry.answers.get(person, (None, {}))
        if merge and before == status:
            self.leave("earlier values of a person who answered the same question again", len(values.keys() & old_values.keys()))
            entry.answers[person] = (status, {**old_values, **values})
            return
        if before is not None:
            self.leave("earlier or discarded answers of a person who has another answer to the record")
        if not (before == "submitted" and status == "discarded"):
            entry.answers[person] = (status, values)

    def add_labels(self, given):
        """Labels that nobody used, given as `question=one,two`."""
        for text in given:
            name, _, labels = text.partition("=")
            if name not in self.questions:
                stop(f"--labels {text}: `{name}` is not a question. Questions: {', '.join(self.questions) or 'none'}.")
            self.questions[name].add_labels(label for label in labels.split(",") if label)

    def check(self):
        """Stops if the server would refuse the dataset, and completes what is known only at the end of the file."""
        if not self.entries:
            stop("There is no record in the file.")
        if not self.questions:
            stop("There is no answer in the file, so the questions of the dataset are not known.")
        for question in self.questions.values():
            self._check_labels(question)
        # Paths of files at the other server are texts here.
        self.images = {name for name in self.images if all(is_url(entry.fields.get(name)) for entry in self.entries.values())}
        for entry in self.entries.values():
            entry.metadata = self._checked_metadata(entry.metadata)
            entry.comments = self._checked_comments(entry.comments)
            for question in self.questions.values():
                if question.kind == "choices" and not question.multiple:
                    for _, values in entry.answers.values():
                        if question.name in values:
                            values[question.name] = values[question.name][0]
                    if question.name in entry.suggestions:
                        value, *others = entry.suggestions[question.name]
                        entry.suggestions[question.name] = (value[0], *others)
        self._choose_required()

    def _check_labels(self, question):
        if question.kind == "rating":
            question.labels = dict.fromkeys(range(min(question.labels), max(question.labels) + 1))
        needed = {"choices": 2, "span": 1}.get(question.kind, 0)
        if len(question.labels) < needed:
            has = ", ".join(question.labels) or "none"
            stop(f"Question `{question.name}` needs {needed} labels. In this file: {has}. Add others: --labels {question.name}=…")
        for label in question.labels if question.kind in ("choices", "span") else []:
            if not 0 < len(label) <= LABEL_CHARACTERS_MAX:
                stop(f"Question `{question.name}` has a label of {len(label)} characters. Labels have 1 to {LABEL_CHARACTERS_MAX}.")

    def _checked_metadata(self, metadata):
        checked = {}
        for name, value in metadata.items():
            if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value)):
                value = json.dumps(value, ensure_ascii=False)
            if value is None:
                continue
            if isinstance(value, float) and not math.isfinite(value):
                self.leave(f"metadata {name}: not a number")
                continue
            terms = value if isinstance(value, list) else [value]
            if any(len(str(term).encode()) > TERM_BYTES_MAX for term in terms):
                self.leave(f"metadata {name}: value of more than {TERM_BYTES_MAX} bytes")
            else:
                checked[name] = value
        return checked

    def _checked_comments(self, comments):
        checked = [(person, text) for person, text in comments if 0 < len(text.strip()) <= COMMENT_CHARACTERS_MAX - len(person) - 2]
        self.leave("comments that are empty or too long", len(comments) - len(checked))
        self.leave(f"comments beyond {COMMENTS_MAX} of a record", max(0, len(checked) - COMMENTS_MAX))
        return checked[:COMMENTS_MAX]

    def _choose_required(self):
        """
        A submitted response answers all required questions, and a dataset needs one. If no question has an answer in every response,
        an answer without spans becomes an empty list. If there is no span question, responses without an answer become drafts.
        """
        answers = [(entry, *answer) for entry in self.entries.values() for answer in entry.answers.values()]
        submitted = [(entry, values) for entry, status, values in answers if status == "submitted"]
        always = [question for question in self.questions.values() if submitted and all(question.name in values for _, values in submitted)]
        spans = [question for question in self.questions.values()
                 if question.kind == "span" and all(question.field in entry.fields for entry, _ in submitted)]
        answered = Counter(name for _, values in submitted for name in values)
        most = max(self.questions.values(), key=lambda question: answered[question.name])
        for question in always or spans[:1] or [most]:
            question.required = True
        if not always and spans:
            for _, values in submitted:
                values.setdefault(spans[0].name, [])
        elif not always:
            for entry in self.entries.values():
                for person, (status, values) in entry.answers.items():
                    if status == "submitted" and most.name not in values:
                        entry.answers[person] = ("draft", values)
                        self.leave(f"status of submitted answers without `{most.name}`, which became drafts")
