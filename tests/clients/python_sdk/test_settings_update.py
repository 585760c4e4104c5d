import argilla as rg
from argilla._exceptions import SettingsError
from session import equal, eventually, holds, ids, make_dataset, make_text_dataset, make_user, raises, read_again
from test_settings import described, full_settings


def test_guidelines_distribution_and_extra_metadata_change():
    dataset = make_dataset(full_settings())
    dataset.guidelines = "New ones"
    dataset.allow_extra_metadata = False
    dataset.distribution = rg.TaskDistribution(min_submitted=5)
    dataset.update()
    settings = read_again(dataset).settings
    equal((settings.guidelines, settings.allow_extra_metadata), ("New ones", False))
    equal(settings.distribution.min_submitted, 5)
    dataset.guidelines = None
    dataset.settings.update()
    equal(read_again(dataset).guidelines, None, "guidelines can be taken away")


def test_fields_change_their_title_and_settings():
    dataset = make_dataset(full_settings())
    dataset.fields["text"].title = "Another title"
    dataset.fields["text"].use_markdown = False
    dataset.fields["chat"].use_markdown = True
    dataset.fields["custom"].template = "<i>new</i>"
    dataset.settings.update()
    fields = read_again(dataset).fields
    equal((fields["text"].title, fields["text"].use_markdown, fields["chat"].use_markdown), ("Another title", False, True))
    equal((fields["custom"].template, fields["script"].advanced_mode), ("<i>new</i>", True))


def test_questions_change_their_titles_descriptions_and_settings():
    dataset = make_dataset(full_settings())
    for question in dataset.questions:
        question.title = f"New {question.name}"
    dataset.questions["label"].description = "Another description"
    dataset.questions["label"].visible_labels = 4
    dataset.questions["comment"].use_markdown = False
    dataset.questions["note_span"].allow_overlapping = True
    dataset.questions["span"].visible_labels = 4
    dataset.settings.update()
    questions = read_again(dataset).questions
    equal([question.title for question in questions], [f"New {question.name}" for question in questions])
    equal((questions["label"].description, questions["label"].visible_labels), ("Another description", 4))
    equal((questions["comment"].use_markdown, questions["span"].visible_labels), (False, 4))
    equal((questions["note_span"].allow_overlapping, questions["span"].allow_overlapping), (True, True))


def test_labels_change_their_texts_and_order():
    dataset = make_dataset(full_settings())
    dataset.questions["label"].labels = {"na": "Nothing", "neg": "Bad", "neu": "So so", "pos": "Good"}
    dataset.settings.update()
    options = read_again(dataset).questions["label"]._model.settings.options
    equal([option["value"] for option in options], ["na", "neg", "neu", "pos"])
    equal([option["text"] for option in options], ["Nothing", "Bad", "So so", "Good"])


def test_an_update_without_changes_changes_nothing():
    dataset = make_dataset(full_settings())
    before = described(dataset.settings)
    dataset.settings.update()
    dataset.update()
    equal(described(read_again(dataset).settings), before)


def test_metadata_properties_and_vectors_change_title_and_visibility():
    dataset = make_dataset(full_settings())
    dataset.settings.metadata["source"].title = "Where from"
    dataset.settings.metadata["source"].visible_for_annotators = False
    dataset.settings.metadata["length"].visible_for_annotators = True
    dataset.settings.vectors["small"].title = "Tiny"
    dataset.settings.update()
    settings = read_again(dataset).settings
    equal((settings.metadata["source"].title, settings.metadata["source"].visible_for_annotators), ("Where from", False))
    equal(settings.metadata["length"].visible_for_annotators, True)
    equal(settings.metadata["source"].options, ["web", "book", "mail"])
    equal((settings.vectors["small"].title, settings.vectors["small"].dimensions), ("Tiny", 3))


def test_a_metadata_property_and_a_vector_are_added_to_a_published_dataset_and_used():
    dataset = make_text_dataset()
    dataset.records.log([{"id": "old", "text": "before"}])
    dataset.settings.metadata.add(rg.IntegerMetadataProperty(name="page", min=1))
    dataset.settings.vectors.add(rg.VectorField(name="embed", dimensions=2))
    dataset.settings.update()

    dataset = read_again(dataset)
    equal([each.name for each in dataset.settings.metadata], ["page"])
    equal([each.name for each in dataset.settings.vectors], ["embed"])
    dataset.records.log(
        [
            {"id": "new", "text": "after", "page": 7, "embed": [1.0, 0.0]},
            {"id": "far", "text": "after", "page": 3, "embed": [0.0, 1.0]},
        ]
    )
    equal(ids(dataset.records(rg.Query(filter=("metadata.page", ">=", 5)))), ["new"])
    nearest = list(dataset.records(rg.Query(similar=rg.Similar("embed", [0.0, 1.0]))))
    equal([record.id for record, _ in nearest], ["far", "new"])
    equal(ids(dataset.records), ["old", "new", "far"])


def test_settings_are_added_through_the_settings_object_too():
    dataset = make_text_dataset()
    dataset.settings.add(rg.TermsMetadataProperty(name="source"))
    dataset.settings.add(rg.VectorField(name="embed", dimensions=4))
    dataset.update()
    settings = read_again(dataset).settings
    equal(([each.name for each in settings.metadata], [each.name for each in settings.vectors]), (["source"], ["embed"]))


def test_a_metadata_property_and_a_vector_are_removed_from_a_published_dataset():
    dataset = make_dataset(full_settings())
    dataset.records.log([rg.Record(id="one", fields={"text": "a"}, metadata={"tag": "t"}, vectors={"small": [1, 2, 3]})])
    dataset.settings.metadata.remove("tag")
    dataset.settings.vectors.remove("small")
    dataset.settings.update()
    dataset = read_again(dataset)
    equal([each.name for each in dataset.settings.metadata], ["source", "length", "pages", "ratio", "weight"])
    equal([each.name for each in dataset.settings.vectors], ["large"])
    record = next(iter(dataset.records(with_vectors=True)))
    equal(dict(record.vectors), {}, "a vector goes with its settings")


def test_questions_and_fields_cannot_be_added_to_a_published_dataset():
    dataset = make_text_dataset()
    dataset.settings.questions.add(rg.TextQuestion(name="late"))
    raises(SettingsError, dataset.settings.update)
    other = make_text_dataset()
    other.settings.fields.add(rg.TextField(name="late"))
    raises(SettingsError, other.settings.update)
    equal([question.name for question in read_again(dataset).questions], ["topic"])
    equal([field.name for field in read_again(other).fields], ["text"])


def test_questions_cannot_be_removed_from_a_published_dataset():
    dataset = make_dataset(full_settings())
    dataset.settings.questions.remove("comment")
    raises(SettingsError, dataset.settings.update)
    holds(read_again(dataset).questions["comment"] is not None, "the question is still there")


def test_labels_cannot_be_added_to_a_published_question():
    dataset = make_text_dataset()
    dataset.questions["topic"].labels = ["food", "sport", "work", "more"]
    raises(SettingsError, dataset.settings.update)
    equal(read_again(dataset).questions["topic"].labels, ["food", "sport", "work"])


def test_a_changed_distribution_completes_and_reopens_records():
    dataset = make_text_dataset()
    user, other = make_user(), make_user()
    answers = [rg.Response("topic", "food", user_id=each.id, status="submitted") for each in (user, other)]
    dataset.records.log(
        [
            rg.Record(id="two", fields={"text": "a"}, responses=answers),
            rg.Record(
                id="one",
                fields={"text": "b"},
                responses=[rg.Response("topic", "work", user_id=user.id, status="submitted")],
            ),
        ]
    )

    def statuses():
        return [record.status for record in dataset.records]

    equal(statuses(), ["completed", "completed"])
    dataset.distribution = rg.TaskDistribution(min_submitted=2)
    dataset.update()
    eventually(statuses, ["completed", "pending"], "after raising it")
    dataset.distribution = rg.TaskDistribution(min_submitted=1)
    dataset.update()
    eventually(statuses, ["completed", "completed"], "after lowering it")
