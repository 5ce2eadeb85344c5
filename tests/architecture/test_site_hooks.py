"""What the hooks of the site make of equations."""

from __future__ import annotations

import re

from tests.helpers.scripts import script


def drawn(latex: str) -> str:
    hooks = script("site_hooks")
    return str(hooks.on_page_content(f'<span class="arithmatex">\\({latex}\\)</span>'))


def test_a_word_as_an_index_is_upright() -> None:
    assert "<mtext>before</mtext>" in drawn("n_{before}")
    assert "mtext" not in drawn("H_{ab}")


def test_bars_know_their_sides() -> None:
    """Else browsers space them as relations: | p |."""
    forms = re.findall(r'form="(\w+)">&#x(?:0007C|02016);', drawn(r"\lvert p \rvert \le \lVert q \rVert"))
    assert forms == ["prefix", "postfix", "prefix", "postfix"]
