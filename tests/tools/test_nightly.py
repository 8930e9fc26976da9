"""The table of long checks in docs/testing.md is merged row by row."""

import nightly

PAGE = f"""Text.
{nightly.BEGIN}
| What | Command | Result | Time | Commit |
|---|---|---|--:|---|
| awkward sizes | `sweep` | 5,000 cases | 9 s | abc |
| no longer there | `gone` | 1 | 1 s | abc |

{nightly.END}
More text.
"""


def outcome(name, status=0, last_line="all | agree"):
    row = next(row for row in nightly.rows() if row.name == name)
    return nightly.Outcome(row, "command", status, 12.4, last_line)


def test_rows_that_were_not_run_stay_and_others_are_replaced():
    page = nightly.merged(PAGE, [outcome("random graphs"), outcome("threads", 1, "1 failed")], "def")
    assert page.splitlines() == [
        "Text.",
        nightly.BEGIN.strip(),
        "",
        "| What | Command | Result | Time | Commit |",
        "|---|---|---|--:|---|",
        "| random graphs | `command` | all \\| agree | 12 s | def |",
        "| awkward sizes | `sweep` | 5,000 cases | 9 s | abc |",
        "| threads | `command` | **failed:** 1 failed | 12 s | def |",
        "",
        nightly.END,
        "More text.",
    ]
    assert nightly.merged(page, [], "xyz") == page


def test_the_page_holds_rows_of_checks_only():
    names = {row.name for row in nightly.rows()}
    _, _, rest = nightly.PAGE.read_text().partition(nightly.BEGIN)
    rows = [line for line in rest.partition(nightly.END)[0].splitlines() if line.startswith("| ")][1:]
    assert rows
    for row in rows:
        cells = row.strip("| ").split(" | ")
        assert len(cells) == 5
        assert cells[0] in names, row
