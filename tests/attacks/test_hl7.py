"""HL7 messages with delimiters and escapes of their own."""

from __future__ import annotations

import pytest
from attack_files import redact_file, withheld

HEADER = "MSH|^~\\&|lab\r"
UNUSABLE = "its header segment names no valid set of delimiters"


def redact_text(nlp, tmp_path, text, header=HEADER):
    """What becomes of a text in OBX-5."""
    bar = header[3]
    message = header + bar.join(["OBX", "1", "TX", "", "", text, "", "\r"])
    result, summary = redact_file(nlp, tmp_path, "a.hl7", message)
    assert summary.failures == []
    return result.decode().removeprefix(header).split(bar)[5]


@pytest.mark.parametrize(
    "header, text, expected",
    [
        ("MSH|^~@/|\r", "on 3@T@4@T@67.", "on [DATE]."),
        ("MSH/^~@&/\r", "on 3@F@4@F@67, a@F@b", "on [DATE], a@F@b"),
        ("MSH|/~@&|\r", "on 3@S@4@S@67, a@S@b", "on [DATE], a@S@b"),
        ("MSH|^/@&|\r", "on 3@R@4@R@67, a@R@b", "on [DATE], a@R@b"),
        ("MSH|^~/&|\r", "on 3/E/4/E/67, a/E/b", "on [DATE], a/E/b"),
        ("MSH|^~\\&/|\r", "on 3\\P\\4\\P\\67, a\\P\\b", "on [DATE], a\\P\\b"),
        ("MSH*^~@&*\r", "555@.br@0116 555@.sp@0116", "[PHONE] [PHONE]"),
        ("MSH|^~.&|\r", "seen.F.Maria.F.today", "seen.F.[PATIENT].F.today"),
    ],
)
def test_delimiters_of_the_message(nlp, tmp_path, header, text, expected):
    assert redact_text(nlp, tmp_path, text, header) == expected


def test_each_message_has_its_own_delimiters(nlp, tmp_path):
    first = "MSH|^~@/|\rNTE|1||3@T@4@T@67\r"
    second = "BHS#^~\\/#\rMSH#^~\\/#\rNTE#1##3\\T\\4\\T\\67\rBTS#1\r"
    result, _ = redact_file(nlp, tmp_path, "a.hl7", "FHS|^~\\&|\r" + first + second)
    expected = (first + second).replace("3@T@4@T@67", "[DATE]").replace("3\\T\\4\\T\\67", "[DATE]")
    assert result.decode() == "FHS|^~\\&|\r" + expected


def test_a_replacement_with_delimiters_is_escaped(nlp, tmp_path):
    text = redact_text(nlp, tmp_path, "for Maria.", "MSH|[~\\]|\r")
    assert text == "for \\S\\PATIENT\\T\\."


@pytest.mark.parametrize(
    "header",
    [
        "MSH",
        "MSH|",
        "MSH|^~\\|",
        "MSH|^~\\&#!|",
        "MSH|^~~&|",
        "MSH|^~|&|",
        "MSH|^~A&|",
        "MSH|^~ &|",
        "MSHA^~\\&A",
        "MSH\u00a6^~\\&\u00a6",
        " MSH|^~\\&|",
    ],
)
def test_a_message_without_usable_delimiters_is_withheld(nlp, tmp_path, header):
    good = HEADER + "NTE|1||Maria\r"
    bad = header + "\rPID|1||7||Lopez\rNTE|1||3@T@4@T@67\r"
    result, summary = redact_file(nlp, tmp_path, "a.hl7", good + bad + good)
    assert result.decode() == 2 * good.replace("Maria", "[PATIENT]")
    assert list(withheld(summary).values()) == [UNUSABLE]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("\\H\\Mar\\N\\ia", "\\H\\[PATIENT]"),
        ("on 3/\\H\\4\\N\\/67", "on [DATE]"),
        ("on 3\\X2F\\4\\X2F\\67", "on [DATE]"),
        ("\\X4D\\ar\\X69\\a", "[PATIENT]"),
        ("\\X0D4D61726961\\", "\\X0D\\[PATIENT]"),
        ("\\X0D" + "20" * 80 + "4D61726961\\", "\\X0D\\" + " " * 80 + "[PATIENT]"),
        ("M\\XFC\\ller \\XC3\\\\XBC\\", "Müller ü"),
        ("a\\X7E\\b\\X7C\\c\\X0a\\d", "a\\R\\b\\F\\c\\X0A\\d"),
        ("555\\Z1\\0116 555\\C2842\\0116 \\Maria\\", "[PHONE] [PHONE] \\[PATIENT]\\"),
        ("\\H\\Maria\\N\\ came \\H\\here\\N\\", "\\H\\[PATIENT]\\N\\ came \\H\\here\\N\\"),
        ("a^\\S\\ & \\T\\ x\\y \uff3e \x0c\\.sp\\", "a^\\S\\ & \\T\\ x\\y \uff3e \x0c\\.sp\\"),
    ],
)
def test_escapes_hide_nothing_and_come_back(nlp, tmp_path, text, expected):
    assert redact_text(nlp, tmp_path, text) == expected


def test_marks_of_transport_do_not_hide_a_segment(nlp, tmp_path):
    result, _ = redact_file(nlp, tmp_path, "a.hl7", HEADER + "\x0bNTE|1||Maria\r")
    assert result.decode() == HEADER + "\x0bNTE|1||[PATIENT]\r"


def test_other_fields_of_a_segment_are_named(nlp, tmp_path):
    _, summary = redact_file(nlp, tmp_path, "a.hl7", HEADER + "NTE|1||seen|by Lopez\r")
    assert list(summary.kept) == ["segment MSH", "other fields of segment NTE"]


def test_a_type_that_is_none_is_not_quoted(nlp, tmp_path):
    _, summary = redact_file(nlp, tmp_path, "a.hl7", HEADER + "OBX|1|Maria|||x\r")
    assert list(summary.kept) == ["segment MSH", "segment OBX"]


def test_escaped_delimiters_cut_no_number_in_two(en_deid, tmp_path):
    text = "Call 412@F@555@F@0142 Maria@S@Lopez"
    redacted = redact_text(en_deid, tmp_path, text, "MSH|^~@&|lab\r")
    assert redacted == "Call [PHONE] [PATIENT]"
