import shlex

from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import example, given
from hypothesis import strategies as st

from frtaudit.core.text.quoting import listed, quoted, shell_word

PARSER = OverridesParser.create()
TEXTS = st.text(st.sampled_from("a\\'\",[]{}:= $\n\u00e9"), max_size=12)


@given(TEXTS)
@example("\\server\\share\\run 1\\")
@example("it\\'s")
def test_hydra_reads_the_text_that_was_quoted(text: str) -> None:
    """Alone, and in a list: backslashes, quotes and brackets come back as they were."""
    assert PARSER.parse_override(f"key={quoted(text)}").value() == text
    assert PARSER.parse_override(f"key=[{quoted(text)},{quoted('x')}]").value() == [text, "x"]


@given(
    TEXTS
    | st.sampled_from(["faces", "/a/b-c.d", "../x", "null", "TRUE", "nan", "1", "1e5", ".5", "my faces (2)"])
)
@example('it\'s "it"')
def test_a_shell_and_hydra_read_the_text_that_is_typed(text: str) -> None:
    """What a command prints to be typed is one word, and its value is the text, whatever it holds."""
    (word,) = shlex.split(shell_word("key", text))
    assert PARSER.parse_override(word).value() == text


def test_a_list_of_texts_is_of_the_grammar() -> None:
    """What it gives back, parsed, is the texts; nothing where a text could be in none."""
    texts = ["x", "18-35", "a, b"]
    assert PARSER.parse_override(f"k={listed(texts)}").value() == texts
    assert listed(['"']) == listed(["${x}"]) == ""
