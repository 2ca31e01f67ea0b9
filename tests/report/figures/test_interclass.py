from frtaudit.report.figures.interclass import Line, left, sanitized_sizes


def test_what_the_steps_ask_for() -> None:
    """Declared numbers, their defaults, none without steps."""
    assert sanitized_sizes({}) == (None, None)
    assert sanitized_sizes({"sanitize": [{"step": "fixed_samples", "number": 5}]}) == (None, 5)
    assert sanitized_sizes({"sanitize": [{"step": "min_subjects", "number": None}]}) == (30, None)


def test_people_left_are_drawn_on_a_log_scale() -> None:
    """A point without people is not drawn; the alt text says where each line starts and ends."""
    lines = [Line(name="a", index=0, x=(1, 2, 3), y=(40, 12, 0)), Line(name="b", index=1, x=(1, 2), y=(5, 1))]
    panel = left("p", lines, samples=2, people=30)
    assert panel.alt == "Subjects left against required samples: a from 40 to 0; b from 5 to 1."
    assert panel.svg.startswith("<svg")
    assert left("p", lines, samples=None, people=None).svg != panel.svg
