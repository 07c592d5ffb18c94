# SPDX-License-Identifier: BSD-2-Clause
"""svg_checks.py - what tests of pages have in common: checks, which page.sh turns into subtests, and what the page says."""

WHO = "document.querySelector('.who').textContent"


def say(passed, title, *notes):
    """One check."""
    print(0 if passed else 1, title)
    if not passed:
        for note in notes:
            print("#", repr(note)[:2000])


def equal(title, want, got):
    """One check of a value."""
    say(want == got, title, ("wanted", want), ("got", got))
