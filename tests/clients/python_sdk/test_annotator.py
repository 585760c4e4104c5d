"""The SDK, used by a user who is not the owner."""

import argilla as rg
from argilla._exceptions import ForbiddenError
from session import (
    answers_of,
    client_of,
    equal,
    fresh,
    holds,
    ids,
    make_dataset,
    make_user,
    make_workspace,
    owner,
    raises,
    read_again,
)


def make_team(role="annotator"):
    """Returns a member, their client, and a dataset in their workspace, as objects of the owner's client."""
    workspace = make_workspace()
    user = make_user(role, workspace)
    settings = rg.Settings(
        fields=[rg.TextField(name="text")],
        questions=[rg.LabelQuestion(name="topic", labels=["food", "sport"])],
        metadata=[
            rg.TermsMetadataProperty(name="shown"),
            rg.TermsMetadataProperty(name="hidden", visible_for_annotators=False),
        ],
        vectors=[rg.VectorField(name="embed", dimensions=2)],
    )
    dataset = make_dataset(settings, workspace.name)
    dataset.records.log(
        [
            rg.Record(
                id="one",
                fields={"text": "a"},
                metadata={"shown": "yes", "hidden": "no"},
                vectors={"embed": [1, 2]},
                suggestions=[rg.Suggestion("topic", "food")],
                responses=[
                    rg.Response("topic", "food", user_id=user.id, status="submitted"),
                    rg.Response("topic", "sport", user_id=owner.me.id, status="submitted"),
                ],
            )
        ]
    )
    return user, client_of(user), dataset


def test_an_annotator_sees_only_their_workspaces_and_datasets():
    _, client, dataset = make_team()
    other = make_dataset(rg.Settings.for_classification(labels=["yes", "no"]))
    equal([workspace.name for workspace in client.workspaces], [dataset.workspace.name])
    equal([each.name for each in client.datasets], [dataset.name])
    equal(client.workspaces("default"), None)
    equal(client.api.datasets.exists(other.id), False)
    raises(ForbiddenError, lambda: client.datasets(id=other.id))
    raises(ForbiddenError, lambda: client.workspaces(id=other.workspace.id))


def test_an_annotator_reads_the_settings_that_are_meant_for_annotators():
    _, client, dataset = make_team()
    seen = read_again(dataset, client)
    equal([field.name for field in seen.fields], ["text"])
    equal([question.name for question in seen.questions], ["topic"])
    equal([each.name for each in seen.settings.metadata], ["shown"])
    equal([each.name for each in seen.settings.vectors], ["embed"])


def test_an_annotator_changes_no_dataset():
    _, client, dataset = make_team()
    seen = read_again(dataset, client)
    mine = rg.Dataset(name=fresh("mine"), workspace=seen.workspace, settings=dataset.settings, client=client)
    error = raises(ForbiddenError, mine.create)
    holds("not authorized to create a dataset" in str(error), f"{error}")
    raises(ForbiddenError, seen.delete)
    raises(ForbiddenError, seen.update)
    raises(ForbiddenError, lambda: seen.records.log([{"id": "two", "text": "b"}]))
    raises(ForbiddenError, lambda: list(seen.records))
    raises(ForbiddenError, lambda: list(seen.records("a")))
    equal(ids(dataset.records), ["one"])


def test_an_annotator_changes_no_record():
    _, client, dataset = make_team()
    (record,) = dataset.records
    theirs = rg.Record(id="one", fields={"text": "changed"}, _server_id=record._server_id, _dataset=read_again(dataset, client))
    raises(ForbiddenError, theirs.update)
    raises(ForbiddenError, theirs.delete)
    equal(next(iter(dataset.records)).fields["text"], "a")


def test_an_annotator_gets_a_record_with_their_own_answer_and_what_they_may_see():
    user, client, dataset = make_team()
    (record,) = dataset.records
    theirs = rg.Record(id="one", fields={"text": ""}, _server_id=record._server_id, _dataset=read_again(dataset, client))
    theirs.get()
    equal((theirs.fields["text"], theirs.suggestions["topic"].value), ("a", "food"))
    equal(dict(theirs.metadata), {"shown": "yes"})
    equal(answers_of(theirs, "topic"), [(user.id, "food", "submitted")])


def test_an_annotator_reads_the_progress():
    _, client, dataset = make_team()
    seen = read_again(dataset, client)
    equal(seen.progress(), {"total": 1, "completed": 1, "pending": 0})
    equal(len(seen.progress(with_users_distribution=True)["users"]), 2)


def test_an_admin_works_inside_their_workspaces_only():
    user, client, dataset = make_team("admin")
    seen = read_again(dataset, client)
    seen.records.log([{"id": "two", "text": "b", "shown": "x", "hidden": "y"}])
    equal(ids(seen.records), ["one", "two"])
    equal([each.name for each in seen.settings.metadata], ["shown", "hidden"])
    (record,) = dataset.records(rg.Query(filter=("id", "==", "one")))
    equal(len(record.responses), 2)
    equal([each.username for each in seen.workspace.users], [user.username])
    mine = rg.Dataset(name=fresh("mine"), workspace=seen.workspace, settings=dataset.settings, client=client).create()
    mine.guidelines = "Mine"
    mine.update()
    mine.delete()
    raises(ForbiddenError, lambda: client.users.list())
    elsewhere = make_dataset(rg.Settings.for_classification(labels=["yes", "no"]))
    raises(ForbiddenError, lambda: client.api.datasets.get(elsewhere.id))


def test_a_user_who_left_the_workspace_sees_it_no_more():
    user, client, dataset = make_team()
    dataset.workspace.remove_user(user)
    equal(list(client.workspaces), [])
    equal(list(client.datasets), [])
