import argilla as rg
from argilla._models import UserResponseModel
from session import answers_of, client_of, equal, make_dataset, make_text_dataset, make_user, make_workspace, read_again


def answered(key, *answers):
    responses = [rg.Response("topic", "food", user_id=user.id, status=status) for user, status in answers]
    return rg.Record(id=key, fields={"text": key}, responses=responses)


def test_progress_counts_records_and_answers_of_each_user():
    dataset = make_text_dataset(distribution=rg.TaskDistribution(min_submitted=2))
    ann, ben, cleo = make_user(), make_user(), make_user()
    for user in (ann, ben, cleo):
        dataset.workspace.add_user(user)
    dataset.records.log(
        [
            answered("done", (ann, "submitted"), (ben, "submitted")),
            answered("more than done", (ann, "submitted"), (ben, "submitted"), (cleo, "draft")),
            answered("half", (ann, "submitted"), (ben, "discarded")),
            answered("begun", (ben, "draft")),
            answered("untouched"),
        ]
    )
    equal(dataset.progress(), {"total": 5, "completed": 2, "pending": 3})
    equal(
        dataset.progress(with_users_distribution=True),
        {
            "total": 5,
            "completed": 2,
            "pending": 3,
            "users": {
                ann.username: {
                    "completed": {"submitted": 2, "draft": 0, "discarded": 0},
                    "pending": {"submitted": 1, "draft": 0, "discarded": 0},
                },
                ben.username: {
                    "completed": {"submitted": 2, "draft": 0, "discarded": 0},
                    "pending": {"submitted": 0, "draft": 1, "discarded": 1},
                },
                cleo.username: {
                    "completed": {"submitted": 0, "draft": 1, "discarded": 0},
                    "pending": {"submitted": 0, "draft": 0, "discarded": 0},
                },
            },
        },
    )


def test_an_empty_dataset_has_no_progress():
    expected = {"total": 0, "completed": 0, "pending": 0, "users": {}}
    equal(make_text_dataset().progress(with_users_distribution=True), expected)


def test_progress_follows_deleted_records():
    dataset, user = make_text_dataset(), make_user()
    dataset.records.log([answered("a", (user, "submitted")), answered("b")])
    next(iter(dataset.records)).delete()
    equal(dataset.progress(with_users_distribution=True), {"total": 1, "completed": 0, "pending": 1, "users": {}})


def test_an_answer_of_an_annotator_completes_a_record():
    workspace = make_workspace()
    user = make_user(workspace=workspace)
    dataset = make_dataset(rg.Settings.for_classification(labels=["yes", "no"]), workspace.name)
    dataset.records.log([{"id": "a", "document": "A"}, {"id": "b", "document": "B"}])
    first = next(iter(dataset.records))
    answer = UserResponseModel(values={"label": {"value": "yes"}}, status="submitted", user_id=user.id)
    client = client_of(user)
    client.api.records.create_record_response(record_id=first._server_id, user_response=answer)
    first.get()
    equal((first.status, answers_of(first, "label")), ("completed", [(user.id, "yes", "submitted")]))
    progress = read_again(dataset, client).progress(with_users_distribution=True)
    equal((progress["total"], progress["completed"], list(progress["users"])), (2, 1, [user.username]))


def test_a_deleted_user_takes_the_answers_along():
    dataset, user = make_text_dataset(), make_user()
    dataset.records.log([answered("a", (user, "submitted"))])
    equal(dataset.progress()["completed"], 1)
    user.delete()
    equal(dataset.progress(with_users_distribution=True), {"total": 1, "completed": 0, "pending": 1, "users": {}})
    (record,) = dataset.records
    equal((record.status, len(record.responses)), ("pending", 0))
