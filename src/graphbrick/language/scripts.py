"""Ranges of characters of scripts, for character classes of regular expressions.

Users take the scripts that matter to them: passages and phrases that are stored were made with exactly these ranges.
"""

THAI_AND_LAO, MYANMAR, KHMER = "\u0e00-\u0eff", "\u1000-\u109f", "\u1780-\u17ff"
KANA, KATAKANA = "\u3040-\u30ff", "\u30a1-\u30fa"
HAN = "\u3400-\u9fff"  # with the signs between its two blocks
HANGUL = "\uac00-\ud7a3"
LATIN = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"

UNSPACED = (
    f"{THAI_AND_LAO}{MYANMAR}{KHMER}\u2e80-\u2fdf\u3005-\u3007{KANA}\u3400-\u4dbf\u4e00-\u9fff"
    f"{HANGUL}\uf900-\ufaff\U00020000-\U0003ffff"
)
"""All scripts without spaces between words, and Hangul, whose words have endings: each character is a token."""
