"""An HTML page taken apart."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """A page: its tags with their attributes and their own text, in order."""

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.text = ""
        self.open = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes), []))
        self.open.append(self.tags[-1])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1][0] in ("script", "style"):
            return
        self.text += data
        for _, _, texts in self.open:
            texts.append(data)

    def all(self, tag, **attributes):
        """Text of each such tag."""
        return ["".join(texts) for _, texts in self.find(tag, **attributes)]

    def find(self, tag, **attributes):
        """Attributes and text of each such tag."""
        return [
            (found, texts)
            for name, found, texts in self.tags
            if name == tag and attributes.items() <= found.items()
        ]
