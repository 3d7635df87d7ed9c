"""The review page in a real browser; skipped where there is none."""

from __future__ import annotations

import shutil

import pytest
from projects import drawn, finish, project

pytest.importorskip("fastapi")
pytest.importorskip("playwright")

from playwright.sync_api import expect, sync_playwright
from reviewing import TOKEN, reviewing

from spacy_deid.review.state import Mark
from spacy_deid.review.store import ADJUDICATE, READ

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser"),
]

SCRIPT = "<script>window.hit=1</script>"
DOCTOR = "\U0001f469\u200d\u2695\ufe0f"
ODD = f"\U0001f600 Zo\u00eb\r\n\u2003saw {SCRIPT} Maria {DOCTOR} and Maria.\r\nEnd\n"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens the page of a reader; nothing may be asked of any other server."""
    contexts = []

    def visit(url):
        context = browser.new_context()
        contexts.append(context)
        page = context.new_page()
        page.asked = []
        page.errors = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda message: page.errors.append(message.text))
        page.goto(f"{url}/#{TOKEN}")
        page.wait_for_selector(".line")
        return page

    yield visit
    for context in contexts:
        for page in context.pages:
            hosts = {url.split("/")[2] for url in page.asked if url.startswith("http")}
            assert len(hosts) == 1 and page.errors == []
        context.close()


def saved(page):
    expect(page.locator("#saved")).to_have_text("Saved")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    saved(page)


def select(page, phrase, number=0):
    """Select text with the mouse's means, and let go."""
    page.evaluate(
        """([phrase, number]) => {
            const walker = document.createTreeWalker(document.getElementById("text"), 4);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                for (const {index} of node.data.matchAll(phrase.replace(/[()]/g, "."))) {
                    if (number--) continue;
                    getSelection().setBaseAndExtent(node, index, node, index + phrase.length);
                    node.parentNode.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
                    return;
                }
            }
        }""",
        [phrase, number],
    )
    page.wait_for_selector("#palette:not([hidden])")


def texts(store, number=1, reader="anna"):
    note = store.note(number)
    spans = store.read(note, reader).spans
    return [(note.text[span.start : span.end], span.type) for span in spans]


def test_a_note_is_read_by_keyboard(tmp_path, visit):
    with project(tmp_path, drawn(), drawn(2)) as store, reviewing(store) as url:
        page = visit(url)
        press(page, "Enter", "x")
        assert texts(store) == [("Maria", "PATIENT")]
        press(page, "u", "u", "r")
        press(page, "n", "2")
        assert texts(store) == [("Maria", "PATIENT"), ("Chen", "DOCTOR")]
        press(page, "Escape", *["ArrowRight"] * 3, "3")
        assert texts(store)[-1] == ("Monday", "DATE")
        press(page, ".", ".", ",")
        assert texts(store)[-1] == ("Monday,", "DATE")
        press(page, "u", "u", "u")
        page.reload()
        page.wait_for_selector(".phi")
        press(page, "u")
        assert texts(store) == [("Maria", "PATIENT"), ("Chen", "DOCTOR")]
        press(page, "A", "c")
        page.keyboard.type("fine")
        page.keyboard.press("Escape")
        press(page, "f")
        expect(page.locator("#title")).to_have_text("n2")
        state = store.read(store.note(1), "anna")
        assert (state.stage, state.comment) == ("done", "fine")
        assert "1 of 2" in page.inner_text("#done")


def test_text_is_marked_by_mouse(tmp_path, visit):
    with project(tmp_path, drawn(marks=[])) as store, reviewing(store) as url:
        page = visit(url)
        box = page.locator(".line").first.bounding_box()
        width = page.evaluate(
            """() => {
                const range = document.createRange();
                range.selectNodeContents(document.querySelector(".line"));
                return range.getBoundingClientRect().width;
            }"""
        )
        at = [box["x"] + width * place / len(store.note(1).text) for place in (10.2, 14.8)]
        page.mouse.move(at[0], box["y"] + 12)
        page.mouse.down()
        page.mouse.move(at[1], box["y"] + 12, steps=3)
        page.mouse.up()
        page.locator("#types li").nth(1).click()
        saved(page)
        assert texts(store) == [("Chen", "DOCTOR")]
        page.mouse.click(at[0], box["y"] + 12)
        page.get_by_role("button", name="Reject").click()
        saved(page)
        assert texts(store) == []


def test_offsets_are_exact_and_text_is_only_text(tmp_path, visit):
    note = drawn(text=ODD, marks=[Mark(2, 5, "PATIENT")])
    with project(tmp_path, note) as store, reviewing(store) as url:
        page = visit(url)
        assert page.inner_text("mark") == "Zo\u00eb"
        select(page, "Maria", 1)
        page.keyboard.type("doc")
        press(page, "Enter")
        at = ODD.rindex("Maria")
        span = store.read(note, "anna").spans[-1]
        assert (span.start, span.end, span.type) == (at, at + 5, "DOCTOR")
        press(page, "e")
        assert texts(store) == [("Zo\u00eb", "PATIENT"), ("Maria", "DOCTOR"), ("Maria", "DOCTOR")]
        select(page, SCRIPT)
        press(page, "1")
        assert (SCRIPT, "PATIENT") in texts(store)
        assert page.evaluate("window.hit") is None
        assert page.url == f"{url}/"


def test_a_blind_note_has_a_second_look(tmp_path, visit):
    with project(tmp_path, drawn(held=[0, 1])) as store, reviewing(store) as url:
        page = visit(url)
        assert page.locator("mark").count() == 0 and "mark all PHI" in page.inner_text("#notice")
        select(page, "Maria")
        press(page, "1")
        press(page, "f")
        page.wait_for_selector("mark.open")
        assert "1 detections" in page.inner_text("#notice")
        press(page, "Enter", "f")
        page.wait_for_selector(".text.done")
        state = store.read(store.note(1), "anna")
        assert len(state.first) == 1 and len(state.spans) == 2


def test_two_readers_and_an_adjudicator(tmp_path, visit):
    with project(tmp_path) as store:
        finish(store, reader="ben")
        with reviewing(store) as url:
            page = visit(url)
            assert "ben" not in page.content()
            press(page, "Enter", "x", "f")
            page.wait_for_selector(".text.done")
        with reviewing(store, "eve", ADJUDICATE) as url:
            page = visit(url)
            assert "Agreement" in page.inner_text("nav") and "nothing" in page.inner_text("aside")
            press(page, "Enter", "f")
            page.wait_for_selector(".text.done")
        assert store.readers(1, ADJUDICATE) == ["eve"] and len(store.readers(1, READ)) == 2


def test_a_very_long_note_opens_and_reacts(tmp_path, visit):
    line = "Maria met Chen on Monday about the potassium of last week, and slept well after it. "
    text = "\n".join(line + f"({number})" for number in range(1600))
    starts = [place for place in range(len(text)) if text.startswith("Maria", place)]
    marks = [Mark(start, start + 5, "PATIENT") for start in starts]
    assert len(text.split()) > 25_000
    with project(tmp_path, drawn(text=text, marks=marks)) as store, reviewing(store) as url:
        page = visit(url)
        assert page.locator("mark").count() == 1600
        press(page, "Enter", "Enter", "n")
        page.keyboard.press("A")
        expect(page.locator("mark.open")).to_have_count(0)
        saved(page)
        assert store.read(store.note(1), "anna").spans == tuple(mark.span for mark in marks)


def test_what_is_not_saved_is_sent_again(tmp_path, visit):
    with project(tmp_path) as store, reviewing(store) as url:
        page = visit(url)
        page.context.set_offline(True)
        page.keyboard.press("Enter")
        page.wait_for_selector("#saved.alarm")
        assert store.events(1, "anna") == []
        page.errors.clear()
        page.context.set_offline(False)
        saved(page)
        assert [event.kind for event in store.events(1, "anna")] == ["edit"]
        page.errors.clear()
