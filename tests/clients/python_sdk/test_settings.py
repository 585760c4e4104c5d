import json
import tempfile
from functools import cache
from pathlib import Path

import argilla as rg
from session import equal, fresh, holds, make_dataset, read_again

MADE_BY_SERVER = {"id", "dataset_id", "inserted_at", "updated_at"}


def full_settings():
    return rg.Settings(
        guidelines="# Read the text\n\nThen answer.",
        allow_extra_metadata=True,
        distribution=rg.TaskDistribution(min_submitted=2),
        fields=[
            rg.TextField(name="text", title="The text", use_markdown=True, description="What it is about"),
            rg.TextField(name="note", required=False),
            rg.ImageField(name="image", title="The picture", required=False),
            rg.ChatField(name="chat", title="The talk", use_markdown=False, required=False),
            rg.CustomField(name="custom", template="<b>{{record.fields.custom.a}}</b>", required=False),
            rg.CustomField(name="script", template="<script></script>", advanced_mode=True, required=False),
        ],
        questions=[
            rg.LabelQuestion(
                name="label",
                title="Which one?",
                description="Choose *one*.",
                labels={"pos": "Positive", "neu": "Neutral", "neg": "Negative", "na": "None"},
                visible_labels=3,
            ),
            rg.LabelQuestion(name="yes_or_no", labels=["yes", "no"], required=False),
            rg.MultiLabelQuestion(
                name="multi", labels=["a", "b", "c", "d"], labels_order="suggestion", visible_labels=4, required=False
            ),
            rg.MultiLabelQuestion(name="natural", labels=["x", "y", "z"], required=False),
            rg.RatingQuestion(name="rating", values=list(range(11)), title="How good?", description="0 is bad."),
            rg.RatingQuestion(name="unordered", values=[5, 1, 3], required=False),
            rg.RankingQuestion(name="ranking", values={"r1": "First", "r2": "Second", "r3": "Third"}, required=False),
            rg.TextQuestion(name="comment", use_markdown=True, required=False, description="Anything else?"),
            rg.SpanQuestion(
                name="span",
                field="text",
                labels={"per": "Person", "loc": "Place", "org": "Organisation", "misc": "Else"},
                allow_overlapping=True,
                visible_labels=3,
                required=False,
            ),
            rg.SpanQuestion(name="note_span", field="note", labels=["only"], required=False),
        ],
        metadata=[
            rg.TermsMetadataProperty(name="source", title="The source", options=["web", "book", "mail"]),
            rg.TermsMetadataProperty(name="tag"),
            rg.IntegerMetadataProperty(name="length", min=0, max=100, visible_for_annotators=False),
            rg.IntegerMetadataProperty(name="pages"),
            rg.FloatMetadataProperty(name="ratio", min=-1.5, max=2.0),
            rg.FloatMetadataProperty(name="weight"),
        ],
        vectors=[
            rg.VectorField(name="small", dimensions=3, title="Small one"),
            rg.VectorField(name="large", dimensions=384),
        ],
    )


@cache
def the_dataset():
    """For tests that only read."""
    return make_dataset(full_settings())


def described(settings):
    """All settings without the ids and timestamps of the server."""

    def bare(value):
        if isinstance(value, dict):
            return {key: bare(inner) for key, inner in value.items() if key not in MADE_BY_SERVER}
        return [bare(inner) for inner in value] if isinstance(value, list) else value

    return bare(json.loads(json.dumps(settings.serialize())))


def test_every_field_type_is_read_back_as_it_was_given():
    fields = read_again(the_dataset()).fields
    equal([field.name for field in fields], ["text", "note", "image", "chat", "custom", "script"])
    equal([field._model.settings.type for field in fields], ["text", "text", "image", "chat", "custom", "custom"])
    equal([field.title for field in fields], ["The text", "note", "The picture", "The talk", "custom", "script"])
    equal([field.required for field in fields], [True, False, False, False, False, False])
    equal((fields["text"].use_markdown, fields["note"].use_markdown, fields["chat"].use_markdown), (True, False, False))
    equal((fields["custom"].template, fields["custom"].advanced_mode), ("<b>{{record.fields.custom.a}}</b>", False))
    equal(fields["script"].advanced_mode, True)


def test_every_question_type_is_read_back_as_it_was_given():
    questions = read_again(the_dataset()).questions
    types = ["label_selection"] * 2 + ["multi_label_selection"] * 2 + ["rating"] * 2 + ["ranking", "text"] + ["span"] * 2
    equal([question._model.settings.type for question in questions], types)
    required = [question.name for question in questions if question.required]
    equal(required, ["label", "rating"])


def test_label_questions_keep_labels_texts_order_and_visible_count():
    questions = read_again(the_dataset()).questions
    label, multi, natural = questions["label"], questions["multi"], questions["natural"]
    equal((label.title, label.description), ("Which one?", "Choose *one*."))
    equal((label.labels, label.visible_labels), (["pos", "neu", "neg", "na"], 3))
    equal([option["text"] for option in label._model.settings.options], ["Positive", "Neutral", "Negative", "None"])
    equal((questions["yes_or_no"].labels, questions["yes_or_no"].visible_labels), (["yes", "no"], None))
    equal((multi.labels, multi.visible_labels), (["a", "b", "c", "d"], 4))
    equal((multi._model.settings.options_order, natural._model.settings.options_order), ("suggestion", "natural"))
    equal(natural.visible_labels, 3, "the SDK shows all labels when the user says nothing")


def test_rating_ranking_text_and_span_questions_keep_their_settings():
    questions = read_again(the_dataset()).questions
    span = questions["span"]
    equal((questions["rating"].values, questions["unordered"].values), (list(range(11)), [5, 1, 3]))
    equal((questions["rating"].title, questions["rating"].description), ("How good?", "0 is bad."))
    equal(questions["ranking"].values, ["r1", "r2", "r3"])
    equal([option["text"] for option in questions["ranking"]._model.settings.options], ["First", "Second", "Third"])
    equal((questions["comment"].use_markdown, questions["comment"].description), (True, "Anything else?"))
    equal((span.field, span.labels, span.visible_labels), ("text", ["per", "loc", "org", "misc"], 3))
    equal((span.allow_overlapping, questions["note_span"].allow_overlapping), (True, False))
    equal((questions["note_span"].field, questions["note_span"].labels), ("note", ["only"]))


def test_metadata_properties_and_vectors_keep_their_settings():
    settings = read_again(the_dataset()).settings
    metadata, vectors = settings.metadata, settings.vectors
    equal([each.name for each in metadata], ["source", "tag", "length", "pages", "ratio", "weight"])
    equal([each._model.type for each in metadata], ["terms", "terms", "integer", "integer", "float", "float"])
    equal((metadata["source"].title, metadata["source"].options), ("The source", ["web", "book", "mail"]))
    equal((metadata["tag"].title, metadata["tag"].options), ("tag", None))
    equal([each.visible_for_annotators for each in metadata], [True, True, False, True, True, True])
    equal((metadata["length"].min, metadata["length"].max), (0, 100))
    equal((metadata["pages"].min, metadata["pages"].max), (None, None))
    equal((metadata["ratio"].min, metadata["ratio"].max), (-1.5, 2.0))
    equal((metadata["weight"].min, metadata["weight"].max), (None, None))
    equal([(each.name, each.dimensions, each.title) for each in vectors], [("small", 3, "Small one"), ("large", 384, "large")])


def test_guidelines_distribution_and_extra_metadata_are_kept():
    settings = read_again(the_dataset()).settings
    equal(settings.guidelines, "# Read the text\n\nThen answer.")
    equal((settings.distribution.min_submitted, settings.allow_extra_metadata), (2, True))


def test_settings_left_out_have_their_defaults():
    plain = rg.Settings(fields=[rg.TextField(name="text")], questions=[rg.TextQuestion(name="answer")])
    settings = read_again(make_dataset(plain)).settings
    equal((settings.guidelines, settings.allow_extra_metadata, settings.distribution.min_submitted), (None, False, 1))
    equal((len(settings.metadata), len(settings.vectors)), (0, 0))
    equal((settings.fields["text"].title, settings.questions["answer"].title), ("text", "answer"))


def test_what_a_created_dataset_holds_is_what_is_read_later():
    equal(read_again(the_dataset()).settings.serialize(), the_dataset().settings.serialize())


def test_settings_saved_as_json_make_an_equal_dataset():
    dataset = the_dataset()
    path = Path(tempfile.mkdtemp()) / "settings.json"
    dataset.settings.to_json(path)
    copy = make_dataset(rg.Settings.from_json(path))
    equal(described(copy.settings), described(dataset.settings))
    theirs = {question.id for question in dataset.questions}
    holds(theirs.isdisjoint(question.id for question in copy.questions), "the copy has questions of its own")


def test_a_dataset_takes_the_settings_of_another():
    dataset = the_dataset()
    copy = rg.Dataset(name=fresh("copy"), workspace="default", settings=dataset.settings).create()
    equal(described(read_again(copy).settings), described(dataset.settings))


def test_the_templates_of_the_sdk_make_datasets():
    for settings in (
        rg.Settings.for_classification(labels=["positive", "negative"]),
        rg.Settings.for_classification(labels=["cat", "dog", "bird"], field_type="image"),
        rg.Settings.for_ranking(),
        rg.Settings.for_rating(),
    ):
        dataset = make_dataset(settings)
        equal([field.name for field in dataset.fields], [field.name for field in settings.fields])
        equal([question.name for question in dataset.questions], [question.name for question in settings.questions])
        equal(dataset.guidelines, settings.guidelines)
