"""A page as a browser would take it."""

from html.parser import HTMLParser

EMPTY = {"area", "br", "col", "hr", "img", "input", "link", "meta"}


class Reader(HTMLParser):
    """Everything a browser would fetch, the text it would show, and whether all tags are closed."""

    def __init__(self, page):
        super().__init__()
        self.addresses, self.text, self.open, self.tags = [], "", [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)
        self.addresses += [
            value for name, value in attributes if name in ("src", "href", "xlink:href", "srcset", "data")
        ]

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
