"""Notes for pages: formulas as MathML, pictures as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.session.text.notes import MATHML, FormulaError, notes_html


def test_formulas_are_mathml() -> None:
    text = notes_html(r"Grashof: $s + l \le p + q$", MATHML)
    assert '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">' in text
    assert "&#x02264;" in text or "≤" in text


def test_a_formula_alone_stands_by_itself() -> None:
    assert 'display="block"' in notes_html(r"$\dot q = \frac{a}{b}$", MATHML)


def test_a_formula_that_cannot_be_set_shows_its_source() -> None:
    with pytest.raises(FormulaError):
        MATHML.inline(r"x^a^b")
    assert notes_html(r"wrong: $x^a^b$", MATHML) == '<p>wrong: <code style="white-space:nowrap">x^a^b</code></p>'


def test_markup_of_the_text_is_escaped() -> None:
    assert notes_html("<script>alert(1)</script>", MATHML) == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"


def test_pictures_become_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"picture")
    assert 'src="data:image/png;base64,cGljdHVyZQ=="' in notes_html("![A](a.png)", MATHML, tmp_path)


def test_a_picture_that_is_not_there_stays_named(tmp_path: Path) -> None:
    assert 'src="b.png"' in notes_html("![B](b.png)", MATHML, tmp_path)


def test_no_words_are_no_paragraph() -> None:
    assert notes_html("  \n", MATHML) == ""
