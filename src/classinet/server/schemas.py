"""What requests and answers look like, for checking the former and documenting both.

Enter: JSON. Leave: checked values, and the OpenAPI document with an example of everything. Requests are read strictly:
a number in quotes is no number, and a member that nobody knows is refused rather than passed over.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from classinet.edits import Edit, Edits

MOST_EDITS = 1000
MOST_HOPS = 10
MOST_NEIGHBORS = 50

Method = Literal["global", "spectral", "all-neighbors", "mutual-neighbors", "independent", "local-path"]
Name = Annotated[str, Field(min_length=1)]
Ends = Annotated[list[Name], Field(min_length=2, max_length=2, description="Source and target of an edge.")]
Label = str | int | float | bool | list[str | int | float | bool]
EITHER: dict[str, Any] = {"oneOf": [{"required": ["text"]}, {"required": ["texts"]}]}
Version = Annotated[str, Field(description="The version of the model that answered.", examples=["v0001"])]


class Asked(BaseModel):
    """Base of all requests."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Told(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(extra="forbid", strict=True)


# ------------------------------------------------------------------------------------------------------ requests


class Ban(Asked):
    """Forbid a word, or the edge from one word to another."""

    ban: Name | Ends

    def to_edit(self) -> Edit:
        """Return it as the library has it."""
        if isinstance(self.ban, str):
            return Edit.ban_vertex(self.ban)
        source, target = self.ban
        return Edit.ban_edge(source, target)


class Pin(Asked):
    """Give an edge a weight."""

    pin: Ends
    weight: float = Field(ge=0, le=1)

    def to_edit(self) -> Edit:
        """Return it as the library has it."""
        source, target = self.pin
        return Edit.pin_edge(source, target, self.weight)


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default")


class TextRequest(Asked):
    """One text, or several."""

    # The defaults only stand for "not given": an explicit null is refused.
    text: str = Field("", description="One text.", json_schema_extra=_without_default)
    texts: list[str] = Field(
        [], min_length=1, description="Several texts, instead of one.", json_schema_extra=_without_default
    )
    edits: list[Ban | Pin] = Field(
        [],
        max_length=MOST_EDITS,
        description="Edits of the net for this request alone, after the model's own.",
    )

    @model_validator(mode="after")
    def _either(self) -> Self:
        if len(self.model_fields_set & {"text", "texts"}) != 1:
            raise ValueError('give either "text" or "texts"')
        return self

    def all_texts(self) -> list[str]:
        """Return the texts, also where it is one."""
        return [self.text] if "text" in self.model_fields_set else self.texts

    def all_edits(self) -> Edits:
        """Return the edits as the library has them; one that makes no sense is an `InputError`."""
        return Edits(tuple(edit.to_edit() for edit in self.edits))


def _example(examples: list[Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={**EITHER, "examples": examples})


class PredictRequest(TextRequest):
    """Ask for labels."""

    model_config = _example([{"text": "thunder and snow", "probabilities": True}])

    probabilities: bool = Field(False, description="Also return the probability of every class.")


class ExpandRequest(TextRequest):
    """Ask what the net adds."""

    model_config = _example([{"text": "thunder and snow", "top": 5, "hops": 2}])

    top: int = Field(20, ge=1, le=200, description="How many predicted features to return of each text.")
    method: Method | None = Field(None, description="How to expand; null for the way the model was trained.")
    damping: float | None = Field(None, gt=0, le=1, description='Damping of each hop, of "global".')
    hops: int | None = Field(None, ge=1, le=MOST_HOPS, description='Number of hops, of "global".')
    k: int | None = Field(None, ge=1, le=MOST_NEIGHBORS, description='Number of neighbours, of "…-neighbors".')

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the expansion that were given."""
        given = {"damping": self.damping, "hops": self.hops, "k": self.k}
        return {name: value for name, value in given.items() if value is not None}


class ExplainRequest(TextRequest):
    """Ask for reasons."""

    model_config = _example([{"text": "thunder and snow", "top": 10}])

    top: int = Field(40, ge=1, le=200, description="How many terms to return; the others are added up.")


# ------------------------------------------------------------------------------------------------------- answers


class Probability(Told):
    """How probable a class is."""

    label: Label
    probability: float


class Prediction(Told):
    """The label of a text."""

    label: Label = Field(description="The label, or the list of tags.")
    label_without_expansion: Label
    coverage: float = Field(description="Share of the text's distinct features that are known.")
    probabilities: list[Probability] | None = Field(None, description="The most probable class first; if asked for.")


class Predictions(Told):
    """Labels of texts, in the order of the texts."""

    version: Version
    predictions: list[Prediction]


class ExpandedFeature(Told):
    """A feature of an expanded text."""

    name: str
    kind: Literal["text", "phrase", "letters", "predicted"]
    value: float
    path: list[str] = Field(description="From a word of the text to this one; empty for a word of the text.")
    share: float = Field(description="How much of the value this path alone brought.")


class Expanded(Told):
    """A text with what the net adds."""

    text: str
    unknown: list[str]
    features: list[ExpandedFeature]
    coverage: float


class UsedExpansion(Told):
    """How texts were expanded."""

    method: str
    parameters: dict[str, Any]


class Expansions(Told):
    """Expanded texts, in the order of the texts."""

    version: Version
    expansions: list[Expanded]
    expansion: UsedExpansion


class ExplainedTerm(Told):
    """What a feature contributes to each class."""

    name: str
    kind: Literal["text", "phrase", "letters", "predicted", "intercept", "others"]
    contributions: list[float]
    value: float | None = None
    path: list[str] | None = None
    share: float | None = None
    count: int | None = Field(None, description='How many terms "others" adds up.')


class Explained(Told):
    """Why a text gets its label."""

    text: str
    label: Label
    label_without_expansion: Label
    coverage: float
    unknown: list[str]
    classes: list[str | int | float | bool]
    logits: list[float]
    probabilities: list[float]
    terms: list[ExplainedTerm]


class Explanations(Told):
    """Explanations, in the order of the texts."""

    version: Version
    explanations: list[Explained]


class NamedFeature(Told):
    """A vertex."""

    name: str
    frequency: float


class Features(Told):
    """Vertices that begin with some letters."""

    version: Version
    features: list[NamedFeature]


class Weight(Told):
    """What a feature means to a predictor."""

    name: str
    weight: float


class Feature(NamedFeature):
    """All about a vertex."""

    fires: float | None = Field(description="Share of held-out texts on which its predictor fires.")
    degree_out: int
    degree_in: int
    predictor: list[Weight] | None = Field(description="Features that matter most to its predictor.")
    examples: list[str] | None = Field(description="Texts that hold it, if the model was saved with examples.")


class AboutFeature(Told):
    """All about a vertex."""

    version: Version
    feature: Feature


class Neighbor(Told):
    """An edge."""

    source: str
    target: str
    weight: float
    association: float | None
    counts: list[int] | None = Field(description="How often both were predicted, only either, neither.")


class Neighbors(Told):
    """Edges of a vertex, strongest first."""

    version: Version
    feature: str
    neighbors: list[Neighbor]


class FoundPath(Told):
    """A chain of vertices."""

    names: list[str]
    weights: list[float]
    probability: float


class Path(Told):
    """The most probable path, null where none leads."""

    version: Version
    path: FoundPath | None


class Node(NamedFeature):
    """A vertex and how far it is."""

    distance: int


class Arrow(Told):
    """An edge of a drawing."""

    source: str
    target: str
    weight: float


class Graph(Told):
    """A part of the net."""

    version: Version
    nodes: list[Node]
    edges: list[Arrow]
    complete: bool = Field(description="False where the limit left vertices out.")


class About(Told):
    """What is served."""

    version: Version
    name: str
    kind: Literal["classifier", "net"]
    classes: list[str | int | float | bool] | None
    multilabel: bool
    n_vertices: int
    n_edges: int
    n_texts: int
    expansion: UsedExpansion
    settings: dict[str, Any] | None
    edits: int
    has_examples: bool
    has_predictors: bool
    methods: list[Method]
    library: str
    limits: dict[str, float]


class Reloaded(Told):
    """How many workers answer with the version."""

    version: Version
    workers: int


class Health(Told):
    """Whether the server is well."""

    status: str
    detail: str | None = Field(None, description="Why a newer version could not be loaded.")


class ErrorAt(Told):
    """One thing that is wrong with a request."""

    where: str
    what: str


class ProblemDetails(Told):
    """An error (RFC 9457)."""

    type: str = Field(examples=["/problems/too-large"])
    title: str
    status: int
    detail: str
    instance: str = Field(description="Names the request, also in the server's log.")
    errors: list[ErrorAt] | None = Field(None, description="Of status 422: what is wrong where.")
