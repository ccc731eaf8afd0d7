"""The core's reading and the careful one are twins: of every text they give the same table, notes and errors."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow

from files.written import cells, written
from quercus.data import encode
from quercus.errors import FileError, QuercusError
from quercus.files import cells as cells_by_core
from quercus.files import content, delimited, read_file

PIECES: dict[str, list[str]] = {
    "whole": ["0", "1", "-7", "+3", "42", "1000000", "-0", " 5", "5 ", "9007199254740991"],
    "number": ["0.5", ".5", "5.", "-1.25", "1e5", "2E-3", "1.234", "12.345", "0.1e+2", "3", "1234.5678901234567",
               "179769313486231570000", "5e-324", "0.30000000000000004", "1e22", "1e23", "8.41345678901234e-310"],
    "comma": ["1,5", "0,25", "1,234", "12,345,678", "-3,0", "1.234,5", "7", "2,5e3"],
    "odd number": ["01", "007", "1e400", "1e-400", "9007199254740993", "12345678901234567890123", "1_0", "0x1", "٣",
                   "1.2.3", "1e", "e5", "+", "-", ".", "1 2", "inf", "nan", "10%", "1'234"],
    "token": ["NA", "na", "?", "N/A", " NA ", "-", ".", "null", "\u00a0NA", "none"],
    "date": ["2024-05-01", "2024-02-30", "31.12.2024", "05/04/2024", "12/31/23", "2024-05-01T12:30"],
    "text": ["a", "b", "Ann", "grün", "日本", "it's", "x y", " lead", "trail ", "  ", "\u00a0", "\x1c", "true",
             "abcdefgh", "abcdefghi", "a longer text than eight", "\ufeff"],
    "sign": ['"', "'", '""', '5" disk', "a'b", "\\", "#", ";", ",", "\t", "|", "a,b", "x;y", "p\nq", "p\r\nq"],
    "empty": [""],
}  # fmt: skip


def random_cell(random: np.random.Generator, kinds: list[str], delimiter: str, quote: str, hostile: bool) -> str:
    cell = str(random.choice(PIECES[str(random.choice(kinds))]))
    needs = any(sign in cell for sign in (delimiter, quote, "\n", "\r"))
    if (needs and not hostile) or random.random() < 0.15:
        return quote + cell.replace(quote, quote * 2) + quote
    return cell


def random_text(random: np.random.Generator) -> tuple[str, dict[str, Any]]:
    delimiter, quote = str(random.choice(list(",;\t|"))), str(random.choice(['"', '"', "'"]))
    hostile = bool(random.random() < 0.3)
    n_columns, n_rows = int(random.choice([1, 2, 3, 4])), int(random.choice([1, 2, 5, 12, 60]))
    columns = [list(random.choice(list(PIECES), size=int(random.choice([1, 1, 2, 3])))) for _ in range(n_columns)]
    space = delimiter + (" " if random.random() < 0.15 else "")
    lines = [] if random.random() < 0.2 else [space.join(f"c{k}" for k in range(n_columns))]
    for _ in range(n_rows):
        lines.append(space.join(random_cell(random, kinds, delimiter, quote, hostile) for kinds in columns))
        if random.random() < 0.05:
            lines.append(str(random.choice(["", "  ", "\u00a0", "\x1c"])))
        if hostile and random.random() < 0.05:
            lines.append(
                str(random.choice(["a", f"1{delimiter}" * 5, quote, f"{quote}x{quote}y", f"1{delimiter}{quote}"]))
            )
    end = str(random.choice(["\n", "\r\n", "\r"]))
    text = end.join(lines) + str(random.choice(["", end, end * 3]))
    if random.random() < 0.05:
        text = f"sep={delimiter}{end}{text}"
    options: dict[str, Any] = {}
    for name, values in (
        ("decimal", [".", ","]), ("delimiter", [delimiter]), ("quote", [quote, None]), ("header", [True, False]),
        ("date_order", ["dmy", "mdy"]), ("drop", ["c0"]),
        ("missing_tokens", ["", "?", "7", 0.5, ["a", -7], {"c0": "Ann"}]),
        ("schema", [{"columns": {"c0": {"kind": kind}}} for kind in ("numeric", "nominal", "date", "boolean")]
                   + [{"columns": {"c0": {"not_applicable": "N/A"}}}, {"columns": {"c0": {"values": ["a", 1]}}}]),
    ):  # fmt: skip
        if random.random() < 0.12:
            options[name] = values[int(random.integers(len(values)))]
    return text, options


def outcome(file: Path, options: dict[str, Any], fast: bool) -> Any:
    try:
        table = read_file(file, fast=fast, **options)
    except QuercusError as error:
        return type(error), str(error)
    types = {name: getattr(column, "dtype", None) for name, column in table.columns.items()}
    texts = {name: column.tolist() for name, column in table.texts().items()} if table.texts is not None else None
    try:
        data = encode({name: table.columns[name] for name in table.attributes()}, **table.options())
        encoded: Any = ([a.values for a in data.schema], [np.nan_to_num(c, nan=-1e300).tolist() for c in data.columns])
    except QuercusError as error:
        encoded = str(error)
    return cells(table), types, table.kinds, table.domains, table.notes, table.row_names, table.ignored, texts, encoded


@pytest.mark.parametrize("seed", most_slow(8, 2))
def test_random_tables(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    seen = {"table": 0, "error": 0}
    for _ in range(500):
        text, options = random_text(random)
        file = written(tmp_path, "a.csv", text)
        fast, careful = (outcome(file, options, fast) for fast in (True, False))
        assert fast == careful, (text, options)
        seen["error" if isinstance(careful[0], type) else "table"] += 1
    assert min(seen.values()) > 50


@pytest.mark.parametrize("seed", most_slow(4, 2))
def test_random_bytes(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(400):
        letters = random.choice(list("ab01.,;\"' \n\r\t-e"), size=int(random.integers(1, 40)))
        file = written(tmp_path, "a.csv", "".join(letters))
        assert outcome(file, {}, True) == outcome(file, {}, False), letters


def test_what_is_text(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    pieces = [b"a", b"\xc3\xbc", b"\xe2\x82\xac", b"\xf0\x9f\x8c\xb3", b"\xed\x9f\xbf", b"\xf4\x8f\xbf\xbf", b"b" * 9]
    broken = [
        b"\xff",
        b"\xc0\x80",
        b"\xc3",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\x80",
        b"\0",
        b"\xf5",
    ]
    for _ in range(600):
        cell = b"".join(pieces[int(k)] for k in random.integers(0, len(pieces), int(random.integers(1, 8))))
        if random.random() < 0.5:
            at = int(random.integers(len(cell) + 1))
            cell = cell[:at] + broken[int(random.integers(len(broken)))] + cell[at:]
        file = written(tmp_path, "a.csv", b"a,b\n1," + cell + b"\n" + b"2,x\n" * int(random.integers(3)))
        assert outcome(file, {}, True) == outcome(file, {}, False), cell


def test_numbers_are_rounded_as_python_rounds_them(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    bits = random.integers(0, 2**63, 20_000).view(np.float64)
    known = bits[np.isfinite(bits)]
    texts = [repr(number) for number in known.tolist()]
    texts += [f"{random.integers(0, 10**int(k))}.{random.integers(0, 10**int(j)):0{int(j)}d}"
              for k, j in random.integers(1, 18, (20_000, 2))]  # fmt: skip
    texts += [
        f"{int(m)}e{int(e)}"
        for m, e in zip(random.integers(1, 2**62, 5000), random.integers(-40, 40, 5000), strict=True)
    ]
    texts += [
        f"0.{'0' * int(k)}{int(m)}"
        for k, m in zip(random.integers(0, 30, 2000), random.integers(1, 2**62, 2000), strict=True)
    ]
    texts = [text for text in texts if not (text.startswith("0") and text[1:2].isdigit()) and float(text) != 0.0]
    for sign in (".", ","):
        lines = "".join(f"{text.replace('.', sign)};x\n" for text in texts)
        column = read_file(written(tmp_path, "a.csv", f"a;b\n{lines}"), decimal=sign).columns["a"]
        assert column.dtype == np.float64 and column.tolist() == list(map(float, texts))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_long_file_is_read_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr(cells_by_core, "_BLOCK", 64)
    monkeypatch.setattr(content, "_LONG", 100)
    monkeypatch.setattr(delimited, "_BEGINNINGS", (200, 1000))
    random = np.random.default_rng(len(end))
    for _ in range(60):
        columns = [
            random.normal(size=300).round(3).astype(str), random.integers(0, 50, 300).astype(str),
            random.choice([f'"line{end}break"', "grün", '"a ""b"""', f'"{"long " * 30}"'], 300),
            np.where(np.arange(300) < 250, "1", "x"), np.where(np.arange(300) > 250, "1", ""),
        ][: int(random.integers(1, 6))]  # fmt: skip
        lines = list(map(",".join, zip(*(column.tolist() for column in columns), strict=True)))
        lines = [",".join(f"c{k}" for k in range(len(columns))), *lines, *([""] * int(random.integers(3)))]
        if random.random() < 0.2:
            lines.insert(int(random.integers(len(lines))), str(random.choice(["", '"', "a,b,c,d,e,f,g", '"x"y', "\0"])))
        file = written(tmp_path, "a.csv", end.join(lines))
        assert outcome(file, {}, True) == outcome(file, {}, False)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_LONG", 100)
    file = written(tmp_path, "a.csv", "a,b\n" + "1,x\n" * 100)
    table = read_file(file)
    assert table.fingerprint == hashlib.sha256(file.read_bytes()).hexdigest()
    found = content.read_content(file)
    written(tmp_path, "a.csv", "a,b\n" + "1,y\n" * 101)
    with pytest.raises(FileError, match="the file was changed while it was read"):
        found.beginning(10)


def test_dates_are_dates(tmp_path: Path) -> None:
    table = read_file(written(tmp_path, "a.csv", "a,b\n2024-05-01,1\n2024-05-01 00:00,2\n,3\n"))
    assert table.columns["a"].tolist() == [dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1), None]
    assert table.columns["a"].values == (dt.datetime(2024, 5, 1),)


@pytest.mark.parametrize("block", [1 << 10, 1 << 22])
@pytest.mark.parametrize(
    "odd",
    [
        "",
        " l5",
        "l5 ",
        "NA",
        " NA ",
        "n/a",
        "\u00a0",
        "\u2003l5",
        "l5\u3000",
        "l5\u0085",
        "Äbc",
        "abcß",
        "é",
        '"',
        "a\nb",
    ],
)
def test_many_levels_are_the_same_texts_with_the_same_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: str, block: int
) -> None:
    """More texts than become strings at once, in several blocks; one of them is a token, or has blanks of any kind."""
    monkeypatch.setattr(cells_by_core, "_BLOCK", block)
    random = np.random.default_rng(len(odd))
    levels = [f"l{number}" for number in range(900)] + [f'say "{number}"' for number in range(300)] + [odd] * 5
    rows = [[f"row {number}", levels[random.integers(len(levels))], odd, str(number % 7)] for number in range(3000)]
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    plain = [",".join(row) for row in rows] if not set(odd) & set('"\n') else quoted
    lines = [quoted[k] if '"' in rows[k][1] or k % 3 else plain[k] for k in range(len(rows))]
    file = tmp_path / "levels.csv"
    file.write_text("name,level,odd,number\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert outcome(file, {}, fast=True) == outcome(file, {}, fast=False)
    table = read_file(file)
    assert type(table.columns["name"].values).__name__ == "Texts" and table.columns["name"].tolist()[-1] == "row 2999"


def test_texts_of_the_core_are_like_a_tuple(tmp_path: Path) -> None:
    """Places, slices, membership, comparison, copies and pickles, before and after all strings are made."""
    file = tmp_path / "names.csv"
    names = [f"name {number}" for number in range(500)]
    file.write_text("name,x\n" + "".join(f"{name},1\n" for name in names), encoding="utf-8")
    for made in (False, True):
        texts = read_file(file).columns["name"].values
        if made:
            assert texts.strings == tuple(names)
        assert (len(texts), texts[0], texts[499], texts[-1]) == (500, "name 0", "name 499", "name 499")
        assert list(texts) == names and texts == tuple(names) and texts[3:5] == ("name 3", "name 4")
        assert "name 7" in texts and "name 500" not in texts and texts.index("name 42") == 42
        assert pickle.loads(pickle.dumps(texts)) == copy.deepcopy(texts) == tuple(names)
        assert np.array([*texts, None], dtype=object).tolist() == [*names, None] and texts.short(6) == names[:10]
        with pytest.raises(IndexError):
            texts[500]
