"""The session, users and workspaces."""

import argilla as rg
from argilla.client.apis.status import Status
from argilla.client.singleton import active_client
from session import API_KEY, URL, connect, raises

connect("people")
client = active_client()
assert client.user.username == "owner" and client.user.role == "owner"
assert "people" in client.user.workspaces or "people" in [known.name for known in rg.Workspace.list()]

me = rg.User.me()
assert me.username == "owner" and me.api_key == API_KEY

lena = rg.User.create(username="lena", password="a long password", first_name="Lena", last_name="K", role="admin", workspaces=["people"])
assert lena.full_name == "Lena K" and lena.role == "admin" and [known.name for known in lena.workspaces] == ["people"]
raises(KeyError, "already exists", lambda: rg.User.create(username="lena", password="a long password", first_name="Lena", role="admin"))
raises(ValueError, "There is no workspace named: nowhere", lambda: rg.User.create(username="nora", password="a long password", first_name="Nora", workspaces=["nowhere"]))
raises(ValueError, "`nora` doesn't exist", lambda: rg.User.from_name("nora"))
assert rg.User.from_name("lena").id == lena.id
assert {user.username for user in rg.User.list()} >= {"owner", "lena"}

other = rg.Workspace.create("other-people")
raises(ValueError, "already exists", lambda: rg.Workspace.create("other-people"))
assert other.users == []
other.add_user(lena.id)
raises(ValueError, "already exists in workspace", lambda: other.add_user(lena.id))
assert [user.username for user in other.users] == ["lena"]
other.delete_user(lena.id)
raises(ValueError, "doesn't belong to workspace", lambda: other.delete_user(lena.id))
assert rg.Workspace.from_name("other-people").id == other.id
other.delete()
raises(ValueError, "doesn't exist", lambda: rg.Workspace.from_name("other-people"))

rg.init(api_url=URL, api_key=lena.api_key, workspace="people")
assert rg.User.me().username == "lena"
assert [user.username for user in rg.Workspace.from_name("people").users] == ["lena"]
raises(PermissionError, "not allowed to call `create`", lambda: rg.User.create(username="eve", password="a long password", first_name="Eve"))

connect("people")
lena.delete()
raises(ValueError, "`lena` doesn't exist", lambda: rg.User.from_name("lena"))

status = Status(active_client().http_client)
assert status.get_info().version == "1.29.1"
assert status.get_status().elasticsearch.version.number is not None
print("done")
