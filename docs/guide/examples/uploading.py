"""Used by the scripts move-from-*.py. Creates the dataset, the users and the records, or nothing; prints what was imported."""

import argparse
import json
import os
import re
import secrets
import sys
from collections import Counter, defaultdict

import argilla as rg
from moving import ME, stop

BATCH_CHARACTERS_MAX = 8_000_000
BATCH_RECORDS_MAX = 256
INTEGER_MAX = 2**53 - 1
FLOAT_MAX = 3.4e38


def read_arguments(tool, files):
    """Arguments of every script. `files`: what the file is."""
    parser = argparse.ArgumentParser(description=f"Imports an export of {tool} into a new dataset.")
    parser.add_argument("files", nargs="+", help=files)
    parser.add_argument("--name", default=f"from-{tool.lower().replace(' ', '-')}", help="name of the new dataset")
    parser.add_argument("--workspace", default="default")
    parser.add_argument("--user", action="append", default=[], metavar="THEIRS=USERNAME", help="a person and their username in Postil")
    parser.add_argument("--create-users", action="store_true", help="create users that do not exist, with a password that is printed once")
    parser.add_argument("--labels", action="append", default=[], metavar="QUESTION=A,B", help="labels that nobody has used")
    parser.add_argument("--dry-run", action="store_true", help="check everything, create nothing")
    return parser


class Upload:
    def __init__(self, arguments, export):
        self.arguments = arguments
        self.export = export
        self.client = rg.Argilla(api_url=os.environ["POSTIL_URL"], api_key=os.environ["POSTIL_API_KEY"])
        self.workspace = next((one for one in self.client.workspaces.list() if one.name == arguments.workspace), None)
        if self.workspace is None:
            stop(f"There is no workspace `{arguments.workspace}`, or you are not a member.")
        if any(one.name == arguments.name for one in self.workspace.datasets):
            stop(f"There is a dataset `{arguments.name}` already. Choose another name with --name.")

    def run(self):
        self.export.add_labels(self.arguments.labels)
        self.export.check()
        self.names = self._map_people()
        settings = self._make_settings()
        if self.arguments.dry_run:
            return self._report("Would import", {})
        self._write(settings)

    def _map_people(self):
        """The usernames of all persons. Stops if there is no such user."""
        given = dict(text.rpartition("=")[::2] for text in self.arguments.user)
        people = dict.fromkeys(person for entry in self.export.entries.values() for person in entry.answers)
        unknown = [person for person in given if person not in people]
        if unknown:
            stop(f"--user: {', '.join(unknown)} did not answer. People in this file: {', '.join(filter(None, people)) or 'none'}.")
        names = {person: given.get(person, person or self.client.me.username) for person in people}

        is_owner = self.client.me.role == "owner"
        self.members = {user.username for user in self.client.users.list(self.workspace)}
        found = self.client.users.list() if is_owner else [self.client.me, *self.client.users.list(self.workspace)]
        self.users = {user.username: user for user in found}
        self.missing = [name for name in dict.fromkeys(names.values()) if name not in self.users]
        if self.missing and not (is_owner and self.arguments.create_users):
            who = "with --create-users" if is_owner else "by an owner, as members of the workspace"
            missing = ", ".join(self.missing)
            stop(f"These people have no user: {missing}. Create them {who}, or name their users: --user {self.missing[0]}=username")
        for entry in self.export.entries.values():
            twice = [name for name, count in Counter(names[person] for person in entry.answers).items() if count > 1]
            if twice:
                stop(f"Record {entry.id} has answers of several people who are all mapped to the user {twice[0]}.")
        return names

    def _make_settings(self):
        entries, questions = self.export.entries.values(), self.export.questions.values()
        names = dict.fromkeys(name for entry in entries for name in entry.fields)
        always = {name for name in names if all(name in entry.fields for entry in entries)}
        if not always:
            stop(f"No field has a value in every record: {', '.join(names)}. A dataset needs one.")
        # Fields, questions and metadata properties have different names: the later one gets an underscore.
        taken = set(names)
        self.free = {question.name: to_free(question.name, taken) for question in questions}
        return rg.Settings(
            fields=[(rg.ImageField if name in self.export.images else rg.TextField)(name=name, required=name in always) for name in names],
            questions=[self._make_question(question) for question in questions],
            metadata=self._make_properties(taken),
        )

    def _make_question(self, question):
        given = {"name": self.free[question.name], "title": question.name, "required": question.required}
        if question.kind == "text":
            return rg.TextQuestion(**given)
        if question.kind == "rating":
            return rg.RatingQuestion(values=list(question.labels), **given)
        if question.kind == "choices":
            return (rg.MultiLabelQuestion if question.multiple else rg.LabelQuestion)(labels=question.labels, **given)
        return rg.SpanQuestion(field=question.field, labels=question.labels, allow_overlapping=self._has_overlaps(question.name), **given)

    def _has_overlaps(self, name):
        for entry in self.export.entries.values():
            answered = [values[name] for _, values in entry.answers.values() if name in values]
            for spans in answered + [entry.suggestions[name][0]] if name in entry.suggestions else answered:
                ordered = sorted(spans, key=lambda span: (span["start"], span["end"]))
                if any(after["start"] < before["end"] for before, after in zip(ordered, ordered[1:])):
                    return True
        return False

    def _make_properties(self, taken):
        entries = self.export.entries.values()
        properties = []
        for name in dict.fromkeys(name for entry in entries for name in entry.metadata):
            values = [entry.metadata[name] for entry in entries if name in entry.metadata]
            free = self.free[name, "metadata"] = to_free(name, taken)
            if all(type(value) is int and abs(value) <= INTEGER_MAX for value in values):
                properties.append(rg.IntegerMetadataProperty(name=free))
            elif all(type(value) in (int, float) and abs(value) <= FLOAT_MAX for value in values):
                properties.append(rg.FloatMetadataProperty(name=free))
            else:
                properties.append(rg.TermsMetadataProperty(name=free))
        return properties

    def _write(self, settings):
        passwords, added = {}, []
        dataset = rg.Dataset(name=self.arguments.name, workspace=self.workspace, settings=settings, client=self.client)
        try:
            dataset.create()
            for name in self.missing:
                passwords[name] = secrets.token_urlsafe(12)
                self.users[name] = rg.User(username=name, password=passwords[name], role="annotator", client=self.client).create()
            for name in dict.fromkeys(self.names.values()):
                if name not in self.members and self.users[name].role != "owner":
                    self.users[name].add_to_workspace(self.workspace)
                    added.append(name)
            self._send_records(dataset)
            self._send_comments(dataset)
        except BaseException:
            self._undo(dataset, added, [name for name in passwords if name in self.users])
            raise
        self._report("Imported", passwords)

    def _undo(self, dataset, added, created):
        try:
            # If the dataset itself was refused, the SDK has already deleted it.
            if any(one.id == dataset.id for one in self.workspace.datasets):
                dataset.delete()
            for name in added:
                if name not in created:
                    self.users[name].remove_from_workspace(self.workspace)
            for name in created:
                self.users[name].delete()
            print("The import failed. What it had created is deleted again.", file=sys.stderr)
        except Exception as error:
            left = ", ".join([f"the dataset {self.arguments.name}", *(f"the user {name}" for name in created)])
            print(f"The import failed, and some of this may remain: {left}. Delete it before you try again. {error}", file=sys.stderr)

    def _send_records(self, dataset):
        first = next(iter(self.export.questions))
        records = []
        for entry in self.export.entries.values():
            responses = [
                rg.Response(self.free[name], value, user_id=self.users[self.names[person]].id, status=status)
                for person, (status, values) in entry.answers.items()
                # A response without values needs the name of a question too.
                for name, value in (values or {first: None}).items()
            ]
            suggestions = [
                rg.Suggestion(self.free[name], value, score=to_score(value, score), agent=agent)
                for name, (value, score, agent) in entry.suggestions.items()
            ]
            metadata = {self.free[name, "metadata"]: value for name, value in entry.metadata.items()}
            records.append(rg.Record(id=entry.id, fields=entry.fields, metadata=metadata, responses=responses, suggestions=suggestions))
        largest = max(len(json.dumps(entry.fields)) for entry in self.export.entries.values())
        dataset.records.log(records, batch_size=max(1, min(BATCH_RECORDS_MAX, BATCH_CHARACTERS_MAX // largest)))

    def _send_comments(self, dataset):
        if not any(entry.comments for entry in self.export.entries.values()):
            return
        for record in dataset.records(with_suggestions=False, with_responses=False):
            for person, text in self.export.entries[record.id].comments:
                # Everyone comments in their own name only, so a comment of another person begins with theirs.
                body = f"{person}: {text}" if person else text
                url = f"/api/v1/records/{record._server_id}/comments"
                self.client.http_client.post(url, json={"body": body}).raise_for_status()

    def _report(self, did, passwords):
        entries = self.export.entries.values()
        answers = Counter(status for entry in entries for status, _ in entry.answers.values())
        print(f"{did} {len(entries)} records into the dataset `{self.arguments.name}`:")
        for what, count in [
            *((f"{status} answers", answers[status]) for status in ("submitted", "draft", "discarded")),
            ("suggestions", sum(len(entry.suggestions) for entry in entries)),
            ("comments", sum(len(entry.comments) for entry in entries)),
            ("metadata values", sum(len(entry.metadata) for entry in entries)),
        ]:
            if count:
                print(f"  {count} {what}")
        for person, name in self.names.items():
            print(f"  answers of {person or 'people without a name'} belong to the user {name}")
        for name in self.missing if not passwords else []:
            print(f"  the user {name} would be created")
        for name, password in passwords.items():
            print(f"  new user {name}, password {password}")
        print("Not imported:" if self.export.left else "Everything was imported.")
        lines = defaultdict(list)
        for what, count in sorted(self.export.left.items()):
            kind, _, key = what.partition(": ")
            lines[count, kind].append(key)
        for (count, kind), keys in lines.items():
            print(f"  {count} × {kind}{': ' if keys[0] else ''}{', '.join(keys)}")


def to_free(name, taken):
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def to_score(value, score):
    """A list of values has a score for each."""
    return [score] * len(value) or None if isinstance(value, list) and isinstance(score, (int, float)) else score


def to_agent(name):
    """Agents are letters, digits and `-_:./`."""
    return re.sub(r"[^A-Za-z0-9_:./\s-]", "-", str(name))[:200] if re.search("[A-Za-z0-9]", str(name)) else None
