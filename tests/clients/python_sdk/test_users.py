from uuid import uuid4

import argilla as rg
from argilla._exceptions import (
    ArgillaCredentialsError,
    ConflictError,
    NotFoundError,
    UnauthorizedError,
    UnprocessableEntityError,
)
from session import api_key_of, client_of, connect, equal, fresh, holds, is_uuid, make_user, owner, raises


def sign_in(username, password):
    return owner.http_client.post("/api/v1/token", data={"username": username, "password": password}).status_code


def test_the_client_knows_who_it_is():
    equal((owner.me.username, owner.me.role), ("owner", "owner"))
    holds(is_uuid(owner.me.id), "the id is a UUID")


def test_a_user_is_created_with_names_role_and_password():
    username = fresh("lena")
    user = rg.User(
        username=username, first_name="Lena", last_name="Berg", role="admin", password="password-of-lena"
    ).create()
    equal((user.username, user.first_name, user.last_name, user.role), (username, "Lena", "Berg", "admin"))
    equal(user.password, "password-of-lena")
    holds(is_uuid(user.id) and user.inserted_at and user.updated_at, "id and times are given by the server")
    equal(sign_in(username, "password-of-lena"), 201)


def test_a_user_without_role_is_an_annotator_and_without_first_name_gets_the_username():
    user = rg.User(username=fresh("omar"), password="password-of-omar").create()
    equal((user.role, user.first_name, user.last_name), ("annotator", user.username, None))


def test_a_user_may_be_created_with_a_chosen_id():
    user_id = uuid4()
    user = rg.User(id=user_id, username=fresh("chosen"), password="password-of-user").create()
    equal(user.id, user_id)
    equal(owner.users(id=user_id).username, user.username)


def test_a_user_may_be_added_through_the_collection():
    user = owner.users.add(rg.User(username=fresh("added"), role="owner", password="password-of-user"))
    equal(owner.users(user.username).role, "owner")


def test_a_user_is_found_by_name_and_by_id():
    user = make_user()
    equal(owner.users(user.username).id, user.id)
    equal(owner.users(id=user.id).username, user.username)
    equal(owner.users(id=str(user.id)).username, user.username)
    equal(owner.users(fresh("nobody")), None)
    equal(owner.users(id=uuid4()), None)
    equal((owner.api.users.exist(user.id), owner.api.users.exist(uuid4())), (True, False))


def test_users_are_listed_oldest_first():
    first, second = make_user(), make_user()
    names = [user.username for user in owner.users]
    equal(names[0], "owner")
    equal(names[-2:], [first.username, second.username])
    equal(len(owner.users), len(names))
    equal(owner.users[0].username, "owner")
    equal([user.username for user in owner.users.list()], names)


def test_a_user_is_updated():
    user = owner.users(make_user().username)
    user.first_name = "Renamed"
    user.last_name = "Person"
    user.role = "admin"
    user.update()
    again = owner.users(id=user.id)
    equal((again.first_name, again.last_name, again.role), ("Renamed", "Person", "admin"))
    holds(again.updated_at > again.inserted_at, "the time of the change moved")


def test_an_update_without_password_keeps_the_password_and_one_with_it_changes_it():
    user = owner.users(make_user().username)
    user.update()
    equal(sign_in(user.username, "password-of-user"), 201)
    user.password = "another-password"
    user.update()
    equal((sign_in(user.username, "password-of-user"), sign_in(user.username, "another-password")), (401, 201))


def test_a_deleted_user_is_gone_and_the_key_is_refused():
    user = make_user()
    user_id, key = user.id, api_key_of(user)
    client = connect(key)
    user.delete()
    equal(owner.users(id=user_id), None)
    raises(UnauthorizedError, lambda: client.workspaces.list())
    raises(ArgillaCredentialsError, lambda: connect(key))
    raises(NotFoundError, lambda: owner.api.users.delete(user_id))


def test_a_taken_username_or_id_is_a_conflict():
    user = make_user()
    twin = rg.User(username=user.username, password="password-of-user")
    equal(raises(ConflictError, twin.create).status_code, 409)
    raises(ConflictError, rg.User(id=user.id, username=fresh("twin"), password="password-of-user").create)


def test_a_short_password_is_refused():
    error = raises(UnprocessableEntityError, rg.User(username=fresh("short"), password="short").create)
    holds("password" in str(error), f"the message names the property: {error}")


def test_each_role_connects_with_its_own_key():
    for role in ("owner", "admin", "annotator"):
        user = make_user(role)
        me = client_of(user).me
        equal((me.id, me.role), (user.id, role))
