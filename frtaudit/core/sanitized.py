"""What sanitization left of a cohort, step by step."""

from dataclasses import dataclass

from frtaudit.core.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCount:
    """Subjects and samples of one class of a schema."""

    schema: str
    group: str
    subjects: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What was left after a step: ``step`` is its code (``read``: before the first), ``said`` its rule in words."""

    step: str
    said: str
    reason: str
    subjects: int
    samples: int
    groups: tuple[ClassCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """How many subjects of a class have at least j samples: ``left[j - 1]``, j = 1, 2, ..., the most that any has."""

    schema: str
    group: str
    left: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitized:
    """The stages in order, and ``required``: counted after the stage at position ``counted_at``.

    That is the last one before samples per subject are asked for: the choice of their number is seen there.
    """

    stages: tuple[Stage, ...]
    required: tuple[Required, ...]
    counted_at: int

    def to_json(self) -> dict[str, Json]:
        """The mapping of the result contract.

        >>> Sanitized(stages=(), required=(Required(schema="s", group="a", left=(2, 1)),), counted_at=0).to_json()
        {'stages': [], 'required': [{'schema': 's', 'group': 'a', 'left': [2, 1]}], 'counted_at': 0}
        """
        stages: list[Json] = [
            {
                "step": stage.step,
                "said": stage.said,
                "reason": stage.reason,
                "subjects": stage.subjects,
                "samples": stage.samples,
                "groups": [
                    {
                        "schema": item.schema,
                        "group": item.group,
                        "subjects": item.subjects,
                        "samples": item.samples,
                    }
                    for item in stage.groups
                ],
            }
            for stage in self.stages
        ]
        required: list[Json] = [
            {"schema": item.schema, "group": item.group, "left": list(item.left)} for item in self.required
        ]
        return {"stages": stages, "required": required, "counted_at": self.counted_at}
