from uuid import uuid4

import argilla as rg
from argilla._exceptions import ConflictError, NotFoundError, SettingsError
from session import (
    equal,
    fresh,
    holds,
    make_dataset,
    make_text_dataset,
    make_workspace,
    owner,
    raises,
    read_again,
    requests_of,
)


def yes_or_no():
    return rg.Settings.for_classification(labels=["yes", "no"])


def test_a_created_dataset_is_published():
    dataset = make_dataset(yes_or_no())
    equal(dataset._model.status, "ready")
    equal(dataset.workspace.name, "default")
    holds(dataset.inserted_at and dataset.updated_at and dataset._model.last_activity_at, "all times are there")


def test_a_dataset_without_name_and_workspace_gets_a_name_and_the_default_workspace():
    dataset = rg.Dataset(settings=yes_or_no()).create()
    equal(dataset.workspace.name, "default")
    equal(owner.datasets(dataset.name).id, dataset.id)


def test_a_dataset_takes_its_workspace_as_name_object_or_id():
    workspace = make_workspace()
    for given in (workspace.name, workspace, workspace.id):
        equal(make_dataset(yes_or_no(), given).workspace.id, workspace.id)


def test_a_dataset_is_found_by_name_and_by_id():
    dataset = make_dataset(yes_or_no())
    equal(owner.datasets(dataset.name, workspace="default").id, dataset.id)
    equal(owner.datasets(id=dataset.id).name, dataset.name)
    equal(owner.datasets(id=str(dataset.id)).name, dataset.name)
    equal(owner.datasets(fresh("none")), None)
    equal(owner.datasets(id=uuid4()), None)
    equal((owner.api.datasets.exists(dataset.id), owner.api.datasets.exists(uuid4())), (True, False))


def test_datasets_are_listed_oldest_first_and_iterated_with_their_settings():
    first, second = make_dataset(yes_or_no()), make_text_dataset()
    names = [dataset.name for dataset in owner.datasets]
    equal(names[-2:], [first.name, second.name])
    equal(len(owner.datasets), len(names))
    equal([field.name for field in owner.datasets[-1].fields], ["text"])
    equal([question.name for question in owner.datasets[-1].questions], ["topic"])


def test_a_dataset_may_be_added_through_the_collection():
    dataset = owner.datasets.add(rg.Dataset(name=fresh("added"), workspace="default", settings=yes_or_no()))
    equal(read_again(dataset).id, dataset.id)


def test_a_name_is_taken_once_in_a_workspace_and_free_in_another():
    dataset, workspace = make_dataset(yes_or_no()), make_workspace()
    twin = rg.Dataset(name=dataset.name, workspace="default", settings=yes_or_no())
    equal(raises(ConflictError, twin.create).status_code, 409)
    elsewhere = rg.Dataset(name=dataset.name, workspace=workspace, settings=yes_or_no()).create()
    holds(elsewhere.id != dataset.id, "two datasets share the name")
    equal(owner.datasets(dataset.name, workspace=workspace.name).id, elsewhere.id)


def test_a_dataset_whose_settings_are_refused_leaves_nothing_behind():
    span = rg.SpanQuestion(name="parts", field="missing", labels=["a", "b"])
    settings = rg.Settings(fields=[rg.TextField(name="text")], questions=[span])
    dataset = rg.Dataset(name=fresh("refused"), workspace="default", settings=settings)
    raises(SettingsError, dataset.create)
    equal(requests_of("DELETE", f"/datasets/{dataset.id}")[0].status, 200)
    equal(owner.datasets(dataset.name), None)


def test_a_dataset_without_a_required_question_cannot_be_published():
    settings = rg.Settings(fields=[rg.TextField(name="text")], questions=[rg.TextQuestion(name="note", required=False)])
    dataset = rg.Dataset(name=fresh("optional"), workspace="default", settings=settings)
    raises(SettingsError, dataset.create)
    equal([exchange.status for exchange in requests_of("PUT", "/publish")], [422])
    equal(owner.datasets(dataset.name), None)


def test_a_deleted_dataset_is_gone_with_its_records():
    dataset = make_text_dataset()
    dataset.records.log([{"id": "one", "text": "a text"}])
    record = next(iter(dataset.records))
    dataset.delete()
    equal(owner.api.datasets.exists(dataset.id), False)
    equal(owner.datasets(dataset.name), None)
    equal(list(dataset.records), [], "the SDK reads nothing from a dataset that is gone")
    raises(NotFoundError, record.get)
    raises(NotFoundError, dataset.delete)
    raises(NotFoundError, lambda: dataset.records.log([{"id": "two", "text": "a text"}]))


def test_the_name_of_a_deleted_dataset_is_free_again():
    dataset = make_dataset(yes_or_no())
    dataset.delete()
    again = rg.Dataset(name=dataset.name, workspace="default", settings=yes_or_no()).create()
    equal(list(again.records), [])
