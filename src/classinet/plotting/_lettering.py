"""Names as letters on paper: any string in, a text that the fonts at hand can draw out, and how large it will be.

A name may hold anything: line breaks, halves of surrogate pairs, emoji, scripts the usual font lacks. What cannot be
drawn is replaced by what a reader understands best, so that drawing warns of nothing and fails on nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from classinet.plotting._axes import plot_module

LONGEST = 24
JOINERS = "\u200c\u200d"
UNKNOWN, NOTHING = "□", "␣"


@dataclass(frozen=True)
class Lettering:
    """Names as they will be drawn, and the font families that hold all their characters."""

    texts: tuple[str, ...]
    families: tuple[str, ...]

    def measure(self, text: str, size: float) -> tuple[float, float]:
        """Return width and height, in points, of a text in these families."""
        properties = plot_module("font_manager").FontProperties(family=list(self.families), size=size)
        measure = plot_module("textpath").text_to_path.get_text_width_height_descent
        width, height, _ = measure(text, properties, False)
        # Text is set in lines at least as high as these letters, whatever it holds.
        return float(width), float(max(height, measure("lp", properties, False)[1]))


def lettering(names: Iterable[str], longest: int = LONGEST) -> Lettering:
    r"""Return names fit for drawing: one line each, shortened, in characters that some installed font has.

    >>> lettering(["café", "two\nlines", "a" * 100]).texts
    ('café', 'two lines', 'aaaaaaaaaaaaaaaaaaaaaaa…')
    """
    tidied = [_shortened(_one_line(name), longest) for name in names]
    wanted = {character for name in tidied for character in name}
    families, missing = _families({*wanted, *UNKNOWN, *NOTHING, "…", ":"})
    texts = (_shortened("".join(_stand_in(c) if c in missing else c for c in name), longest) for name in tidied)
    return Lettering(tuple(text if text.strip() else NOTHING for text in texts), families)


def _one_line(name: str) -> str:
    return " ".join("".join(map(_drawable, name)).split())


def _drawable(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zs", "Zl", "Zp"):
        return " "
    if category in ("Cs", "Co"):
        return UNKNOWN
    # Marks that steer the direction or the look of others would act on more than the name, or show as boxes.
    steering = category == "Cf" and character not in JOINERS
    return "" if steering or 0xFE00 <= ord(character) <= 0xFE0F else character


def _shortened(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _stand_in(character: str) -> str:
    """What to read instead of a character no font has: the name of a symbol or emoji, else an empty box."""
    if character in JOINERS:
        return ""
    name = unicodedata.name(character, "")
    return f":{name.lower()}:" if name and unicodedata.category(character) == "So" else UNKNOWN


def _families(characters: set[str]) -> tuple[tuple[str, ...], set[str]]:
    """Return the user's font, matplotlib's own and as few installed ones as needed, and the characters none has."""
    manager = plot_module("font_manager")
    usual = manager.get_font(manager.findfont(manager.FontProperties())).family_name
    families, missing = [], set(characters)
    for family in dict.fromkeys((usual, "DejaVu Sans")):
        families.append(family)
        missing -= _held(manager.findfont(family), missing)
    regular = [f for f in manager.fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal", "regular")]
    for font in sorted(regular, key=lambda f: (f.name, str(f.fname))):
        if not missing:
            break
        # A font of last resort has a box for every character, and would hide that the character is missing.
        if "last" in font.name.lower() and "resort" in font.name.lower():
            continue
        held = _held(font.fname, missing)
        if held:
            families.append(font.name)
            missing -= held
    return tuple(families), missing


def _held(path: str, characters: Iterable[str]) -> set[str]:
    try:
        font = plot_module("font_manager").get_font(path)
        held = {c for c in characters if font.get_char_index(ord(c))}
        for character in held:
            font.load_char(ord(character))
    except (RuntimeError, OSError):
        # A font file that is gone, or of bitmaps that cannot be scaled (as of coloured emoji), holds nothing for us.
        return set()
    return held
