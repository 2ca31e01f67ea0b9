from frtaudit.core.records import to_json
from frtaudit.core.sanitized import ClassCount, Required, Sanitized, Stage


def test_the_record_as_json() -> None:
    """Every stage with its words, counts and classes; subjects left by required samples."""
    count = ClassCount(schema="tone", group="light", subjects=2, samples=5)
    stage = Stage(step="read", said="as read", reason="", subjects=2, samples=5, groups=(count,))
    made = to_json(
        Sanitized(
            stages=(stage,), required=(Required(schema="tone", group="light", left=(2, 1)),), counted_at=0
        )
    )
    assert made["stages"] == [
        {
            "step": "read",
            "said": "as read",
            "reason": "",
            "subjects": 2,
            "samples": 5,
            "groups": [{"schema": "tone", "group": "light", "subjects": 2, "samples": 5}],
        }
    ]
    assert made["required"] == [{"schema": "tone", "group": "light", "left": [2, 1]}]
