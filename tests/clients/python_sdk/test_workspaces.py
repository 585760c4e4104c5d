from uuid import uuid4

import argilla as rg
from argilla._exceptions import ConflictError, NotFoundError
from session import (
    equal,
    fresh,
    holds,
    is_uuid,
    make_dataset,
    make_user,
    make_workspace,
    owner,
    raises,
)


def usernames(workspace):
    return [user.username for user in workspace.users]


def test_a_workspace_is_created_and_found_by_name_and_by_id():
    workspace = make_workspace()
    holds(is_uuid(workspace.id) and workspace.inserted_at and workspace.updated_at, "id and times come from the server")
    equal(owner.workspaces(workspace.name).id, workspace.id)
    equal(owner.workspaces(id=workspace.id).name, workspace.name)
    equal(owner.workspaces(id=str(workspace.id)).name, workspace.name)
    equal(owner.workspaces(fresh("none")), None)
    equal(owner.workspaces(id=uuid4()), None)


def test_a_workspace_may_be_created_with_a_chosen_id():
    workspace_id = uuid4()
    equal(rg.Workspace(name=fresh("chosen"), id=workspace_id).create().id, workspace_id)
    equal(owner.api.workspaces.exists(workspace_id), True)


def test_a_workspace_may_be_added_through_the_collection():
    workspace = owner.workspaces.add(rg.Workspace(name=fresh("added")))
    equal(owner.workspaces(workspace.name).id, workspace.id)


def test_workspaces_are_listed_oldest_first_and_the_default_is_the_oldest():
    workspace = make_workspace()
    names = [each.name for each in owner.workspaces]
    equal((names[0], names[-1]), ("default", workspace.name))
    equal((len(owner.workspaces), owner.workspaces[0].name), (len(names), "default"))
    equal(owner.workspaces.default.name, "default")


def test_members_are_added_by_object_and_by_name_and_listed():
    workspace, first, second = make_workspace(), make_user(), make_user("admin")
    equal(usernames(workspace), [])
    equal(workspace.add_user(first).username, first.username)
    equal(workspace.add_user(second.username).id, second.id)
    equal(usernames(workspace), [first.username, second.username])
    equal((len(workspace.users), workspace.users[1].role), (2, "admin"))
    equal([user.id for user in owner.users.list(workspace=workspace)], [first.id, second.id])


def test_members_are_removed_by_object_and_by_name():
    workspace = make_workspace()
    first, second = make_user(workspace=workspace), make_user(workspace=workspace)
    equal(workspace.remove_user(first).username, first.username)
    equal(usernames(workspace), [second.username])
    equal(workspace.remove_user(second.username).id, second.id)
    equal(usernames(workspace), [])


def test_a_user_joins_and_leaves_a_workspace():
    workspace, other, user = make_workspace(), make_workspace(), make_user()
    user.add_to_workspace(workspace)
    user.add_to_workspace(other)
    joined = [each.name for each in owner.api.workspaces.list_by_user_id(user.id)]
    equal(joined, [workspace.name, other.name])
    user.remove_from_workspace(workspace)
    equal([each.name for each in owner.api.workspaces.list_by_user_id(user.id)], [other.name])


def test_a_second_membership_is_a_conflict_and_a_missing_one_is_not_found():
    workspace, user = make_workspace(), make_user()
    workspace.add_user(user)
    raises(ConflictError, lambda: workspace.add_user(user))
    workspace.remove_user(user)
    raises(NotFoundError, lambda: workspace.remove_user(user))


def test_a_taken_name_is_a_conflict():
    workspace = make_workspace()
    equal(raises(ConflictError, rg.Workspace(name=workspace.name).create).status_code, 409)


def test_a_workspace_lists_its_datasets_only():
    workspace = make_workspace()
    settings = rg.Settings.for_classification(labels=["yes", "no"])
    first, second = make_dataset(settings, workspace.name), make_dataset(settings, workspace.name)
    make_dataset(settings)
    equal([dataset.name for dataset in workspace.datasets], [first.name, second.name])


def test_a_workspace_with_datasets_cannot_be_deleted_and_an_empty_one_can():
    workspace = make_workspace()
    user = make_user(workspace=workspace)
    dataset = make_dataset(rg.Settings.for_classification(labels=["yes", "no"]), workspace.name)
    raises(ConflictError, workspace.delete)
    dataset.delete()
    workspace.delete()
    equal(owner.api.workspaces.exists(workspace.id), False)
    equal(owner.workspaces(workspace.name), None)
    equal(owner.users(id=user.id).username, user.username, "a member outlives the workspace")
