"""Reads multipart/form-data with two parsers that are not Firewheel's, and prints what they find as JSON, a line for each form.

The arguments are files: a line with the form's Content-Type, then the form.
"""

import base64
import json
import sys

import multipart
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

# Odd, so that every kind of token is cut somewhere.
PIECE = 4099


def part(name, filename, content_type, content):
    # As they were sent: one of the parsers decodes all of this, the other only quotes.
    names = [text and text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22") for text in (name, filename)]
    return {"name": names[0], "fileName": names[1], "type": content_type, "content": base64.b64encode(content).decode()}


def pieces(body):
    return (body[start:start + PIECE] for start in range(0, len(body), PIECE))


def with_werkzeug(boundary, body):
    decoder = MultipartDecoder(boundary.encode())
    parts, head, content = [], None, b""
    for piece in [*pieces(body), None]:
        decoder.receive_data(piece)
        while not isinstance(event := decoder.next_event(), NeedData):
            if isinstance(event, (Field, File)):
                head, content = event, b""
            elif isinstance(event, Data):
                content += event.data
                if not event.more_data:
                    parts.append(part(head.name, getattr(head, "filename", None), head.headers.get("content-type"), content))
            elif isinstance(event, Epilogue):
                return parts
    raise ValueError("the form has no end")


def with_multipart(boundary, body):
    parts, head, content = [], None, b""
    with multipart.PushMultipartParser(boundary) as parser:
        for piece in [*pieces(body), b""]:
            for event in parser.parse(piece):
                if isinstance(event, multipart.MultipartSegment):
                    head, content = event, b""
                elif event:
                    content += event
                else:
                    parts.append(part(head.name, head.filename, head.header("Content-Type"), content))
            if parser.closed:
                return parts
    raise ValueError("the form has no end")


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        kind, body = file.readline().decode().strip(), file.read()
    media_type, options = parse_options_header(kind)
    assert media_type == "multipart/form-data", media_type
    print(json.dumps([read(options["boundary"], body) for read in (with_werkzeug, with_multipart)]))
