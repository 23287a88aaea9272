"""Writes documents with other programs, and what those read in them, into a folder.

    make-documents.py FOLDER          all of them
    make-documents.py FOLDER small    without the large ones: what Tests/Documents has

contents.json has, by kind, the description of every file: see `markup`, `property_list` and `picture`.
"""
import datetime
import io
import json
import pathlib
import plistlib
import struct
import subprocess
import sys
import xml.dom.minidom
import xml.etree.ElementTree as ElementTree
import xmlrpc.client

import docutils.core
import lxml.etree
import svgwrite
import zeep
from feedgen.feed import FeedGenerator
from PIL import Image

folder = pathlib.Path(sys.argv[1])
is_small = "small" in sys.argv[2:]
# ImageMagick's; the first `convert` of a PATH may be another program.
convert = "/usr/bin/convert"
contents = {"markup": [], "propertyLists": [], "pictures": []}
date = datetime.datetime(2024, 2, 29, 12, 30, 45, tzinfo=datetime.timezone.utc)
words = ["Grüße", "a < b & c", "“quoted”", "日本語", "emoji 🎉", "tab\tand line\nbreak", "]]>", "&amp;"]


# Markup.


def markup(name, data):
    """The elements in order with their prefixes, all text without white space, and how many attributes there are, as lxml reads them."""
    (folder / name).write_bytes(data)
    parser = lxml.etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False)
    root = lxml.etree.fromstring(data, parser)
    names, attributes = [], 0
    for element in root.iter(lxml.etree.Element):
        local = lxml.etree.QName(element).localname
        names.append(f"{element.prefix}:{local}" if element.prefix else local)
        attributes += len(element.attrib)
    text = "".join(root.xpath("string()").split())
    contents["markup"].append({"file": name, "elements": names, "text": text, "attributes": attributes})


def feeds():
    feed = FeedGenerator()
    feed.load_extension("podcast")
    feed.id("https://example.org/feed")
    feed.title("Neues & Altes")
    feed.author({"name": "Zoë", "email": "zoe@example.org"})
    feed.link(href="https://example.org/?a=1&b=2", rel="alternate")
    feed.link(href="https://example.org/feed", rel="self")
    feed.description("Was es <gibt>")
    feed.language("de")
    feed.updated(date)
    feed.lastBuildDate(date)
    for number, word in enumerate(words):
        entry = feed.add_entry(order="append")
        entry.id(f"https://example.org/{number}")
        entry.title(word)
        entry.link(href=f"https://example.org/{number}?x=1&y={number}")
        entry.content(f"<p class=\"x\">{number} &amp; {word}</p>", type="CDATA")
        entry.enclosure(f"https://example.org/{number}.mp3", "1000", "audio/mpeg")
        entry.published(date)
        entry.updated(date)
    markup("feedgen.rss", feed.rss_str(pretty=True))
    markup("feedgen.atom", feed.atom_str())


def page():
    text = "Überschrift\n===========\n\n*Betont*, ``code`` und `ein Verweis <https://example.org/?a=1&b=2>`_.\n\n"
    text += "".join(f"- {word.split(chr(9))[0]}\n" for word in words) + "\n== ==\n1  2\n== ==\nä  ß\n== ==\n"
    markup("docutils.xhtml", docutils.core.publish_string(text, writer="html4", settings_overrides={"stylesheet_path": "", "output_encoding": "utf-8"}))
    markup("docutils.xml", docutils.core.publish_string(text, writer="docutils_xml", settings_overrides={"indents": True, "output_encoding": "iso-8859-1", "output_encoding_error_handler": "xmlcharrefreplace"}))


# The description of a service for zeep, which writes the envelopes.
SERVICE = """<definitions name="S" targetNamespace="urn:example" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="urn:example"
  xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap{version}/" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
<types><xsd:schema targetNamespace="urn:example" elementFormDefault="qualified">
<xsd:element name="Find"><xsd:complexType><xsd:sequence>
<xsd:element name="word" type="xsd:string" maxOccurs="unbounded"/><xsd:element name="since" type="xsd:dateTime"/>
<xsd:element name="data" type="xsd:base64Binary"/></xsd:sequence><xsd:attribute name="limit" type="xsd:int"/></xsd:complexType></xsd:element>
</xsd:schema></types>
<message name="FindIn"><part name="parameters" element="tns:Find"/></message>
<portType name="P"><operation name="Find"><input message="tns:FindIn"/></operation></portType>
<binding name="B" type="tns:P"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="Find"><soap:operation soapAction="urn:example#Find"/><input><soap:body use="literal"/></input></operation></binding>
<service name="S"><port name="P" binding="tns:B"><soap:address location="http://localhost/"/></port></service></definitions>"""


def envelopes():
    for name, version in {"zeep-soap11.xml": "", "zeep-soap12.xml": "12"}.items():
        client = zeep.Client(io.BytesIO(SERVICE.format(version=version).encode()))
        envelope = client.create_message(client.service, "Find", word=[word.replace("]]>", "]]") for word in words], since=date, data=bytes(range(256)), limit=7)
        markup(name, lxml.etree.tostring(envelope, xml_declaration=True, encoding="utf-8", pretty_print=version == ""))
    call = xmlrpc.client.dumps((1, 2.5, True, words, {"a": [None]}, xmlrpc.client.DateTime(date), xmlrpc.client.Binary(bytes(range(40)))), "find", allow_none=True)
    markup("xmlrpc.xml", call.encode())
    markup("xmlrpc-fault.xml", xmlrpc.client.dumps(xmlrpc.client.Fault(4, "Too many <parameters> & more")).encode())


def drawings():
    drawing = svgwrite.Drawing(size=("100px", "80px"), viewBox="0 0 100 80", debug=False)
    gradient = drawing.defs.add(drawing.linearGradient((0, 0), (1, 1), id="g"))
    gradient.add_stop_color(0, "red").add_stop_color(1, "blue", opacity=0.5)
    drawing.add(drawing.rect((5, 5), (60, 40), fill="url(#g)", stroke="black"))
    drawing.add(drawing.path("M10,10 L90,10 C90,70 50,70 10,70 Z", fill="none"))
    drawing.add(drawing.a("https://example.org/?a=1&b=2")).add(drawing.text(words[1], insert=(10, 75), style="font-family:'Noto Sans'"))
    markup("svgwrite.svg", ('<?xml version="1.0" encoding="utf-8"?>\n' + drawing.tostring()).encode())


def trees():
    root = ElementTree.Element("{urn:a}root", {"{urn:b}x": "1", "y": "a\"<>&'\n\t"})
    for word in words:
        child = ElementTree.SubElement(root, "{urn:a}word", {"text": word})
        child.text, child.tail = word, "\n"
    for encoding in ["utf-8", "utf-16", "us-ascii", "iso-8859-1", "windows-1252"]:
        markup(f"etree-{encoding}.xml", ElementTree.tostring(root, encoding=encoding, xml_declaration=True))
    document = xml.dom.minidom.getDOMImplementation().createDocument(None, "list", None)
    document.insertBefore(document.createProcessingInstruction("xml-stylesheet", 'href="a.css"'), document.documentElement)
    document.documentElement.appendChild(document.createComment(" c "))
    for word in words:
        item = document.documentElement.appendChild(document.createElement("item"))
        item.setAttribute("word", word.replace("\n", " "))
        item.appendChild(document.createCDATASection(word.replace("]]>", "")))
    markup("minidom.xml", document.toprettyxml(indent="  ", encoding="utf-8"))
    if is_small:
        return
    body = "".join(f"<row n='{number}'><cell>{words[number % 6]}</cell><empty/></row>".replace("a < b & c", "abc") for number in range(20_000))
    markup("large.xml", lxml.etree.tostring(lxml.etree.fromstring(f"<table>{body}</table>"), encoding="utf-8", xml_declaration=True, pretty_print=True))


# Property lists.


def description(value):
    """A value as text: the same for every program that reads it."""
    if isinstance(value, bool):
        return f"bool {str(value).lower()}"
    if isinstance(value, (int, float)):
        return "number " + struct.pack(">d", float(value)).hex()
    if isinstance(value, str):
        return "text " + value.encode().hex()
    if isinstance(value, bytes):
        return "data " + value.hex()
    if isinstance(value, datetime.datetime):
        return f"date {int(value.replace(tzinfo=datetime.timezone.utc).timestamp())}"
    if isinstance(value, list):
        return "[" + ", ".join(map(description, value)) + "]"
    return "{" + ", ".join(sorted(f"{description(key)}: {description(each)}" for key, each in value.items())) + "}"


def property_list(name, value, **options):
    data = plistlib.dumps(value, **options)
    assert description(plistlib.loads(data)) == description(value)
    (folder / name).write_bytes(data)
    contents["propertyLists"].append({"file": name, "value": description(value)})


def property_lists():
    when = date.replace(tzinfo=None)
    value = {
        "words": words, "empty": [[], {}, "", b""], "numbers": [0, 1, -1, 255, 256, 65536, -(2**31), 2**53, 2**63 - 1, -(2**63), 2**64 - 1, 0.5, -1e300, 5e-324],
        "truth": [True, False], "data": [bytes(range(256)), b"x" * 5000], "dates": [when, when.replace(year=1970, day=1), when.replace(year=2000)],
        "deep": {"a": [{"b": [{"c": [["d"] * 20]}]}]}, "": "no key", "ключ": {word: number for number, word in enumerate(words)},
    }
    wide = [{"name": f"item {number}", "kind": "shared text " * 5, "index": number, "tags": ["a", "b"]} for number in range(3_000)]
    shared = ["one", "list", {"that": "is", "in": "it"}] * 4
    for kind, form in {"xml": plistlib.FMT_XML, "binary": plistlib.FMT_BINARY}.items():
        property_list(f"values-{kind}.plist", value, fmt=form)
        if not is_small:
            property_list(f"wide-{kind}.plist", wide, fmt=form)
        # plistlib writes an object that is shared once, and refers to it.
        property_list(f"shared-{kind}.plist", [shared, shared, {"again": shared}], fmt=form)
        property_list(f"text-{kind}.plist", "only text", fmt=form)


# Images.

WIDTH, HEIGHT = 40, 24


def picture(name, data, kind, width=WIDTH, height=HEIGHT, samples=None, tolerance=0):
    """The size, and red, green, blue and alpha of some pixels, not premultiplied, as Pillow reads them; none if it is not to be decoded."""
    (folder / name).write_bytes(data)
    pixels = []
    if samples is not None:
        for x, y in [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1), (width // 2, height // 2), (width // 3, height // 4)]:
            pixels.append([x, y, *samples.getpixel((x, y))])
    contents["pictures"].append({"file": name, "kind": kind, "width": width, "height": height, "pixels": pixels, "tolerance": tolerance})


def saved(image, form, **options):
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def converted(arguments, form):
    return subprocess.run([convert, "png:-", *arguments, f"{form}:-"], input=saved(color, "PNG"), capture_output=True, check=True).stdout


def pictures():
    for mode in ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"]:
        image = (shades if mode.startswith(("1", "L", "I")) else color).convert(mode) if mode != "I;16" else Image.new("I;16", (WIDTH, HEIGHT), 40_000)
        data = saved(image, "PNG", optimize=mode == "P")
        eight = Image.new("L", (WIDTH, HEIGHT), 40_000 * 255 // 65_535) if mode == "I;16" else image
        picture(f"pillow-{mode.replace(';', '-')}.png", data, "png", samples=eight.convert("RGBA"), tolerance=1)
    opaque = color.convert("RGB")
    for name, options in {"plain": {}, "progressive": {"progressive": True}, "422": {"subsampling": 1}, "low": {"quality": 30}}.items():
        data = saved(opaque, "JPEG", **{"quality": 92, **options})
        picture(f"pillow-{name}.jpeg", data, "jpeg", samples=Image.open(io.BytesIO(data)).convert("RGBA"), tolerance=4)
    data = saved(shades, "JPEG")
    picture("pillow-grey.jpeg", data, "jpeg", samples=Image.open(io.BytesIO(data)).convert("RGBA"), tolerance=4)
    picture("pillow-cmyk.jpeg", saved(opaque.convert("CMYK"), "JPEG"), "jpeg")
    for form, kind in {"GIF": "gif", "TIFF": "tiff", "BMP": "bmp", "WEBP": "webp"}.items():
        picture(f"pillow.{kind}", saved(opaque, form), kind)
    picture("pillow-lossless.webp", saved(color, "WEBP", lossless=True), "webp")
    picture("pillow-animated.gif", saved(opaque, "GIF", save_all=True, append_images=[opaque.rotate(180)]), "gif")
    picture("pillow-animated.webp", saved(opaque, "WEBP", save_all=True, append_images=[opaque.rotate(180)]), "webp")
    picture("pillow-deflated.tiff", saved(opaque, "TIFF", compression="tiff_deflate"), "tiff")
    picture("pillow.ico", saved(color, "ICO", sizes=[(16, 16), (32, 19)]), "ico", *(32, 19))

    for name, arguments in {"plain": [], "interlaced": ["-interlace", "PNG"], "palette": ["-colors", "16", "-type", "Palette"], "depth16": ["-depth", "16"]}.items():
        data = converted(arguments, "png")
        picture(f"imagemagick-{name}.png", data, "png", samples=Image.open(io.BytesIO(data)).convert("RGBA"), tolerance=1)
    for name, arguments in {"plain": [], "progressive": ["-interlace", "JPEG"], "420": ["-sampling-factor", "4:2:0", "-quality", "90"]}.items():
        data = converted(["-background", "white", "-flatten", *arguments], "jpeg")
        picture(f"imagemagick-{name}.jpeg", data, "jpeg", samples=Image.open(io.BytesIO(data)).convert("RGBA"), tolerance=4)
    for kind in ["gif", "tiff", "bmp", "bmp2", "ico", "webp"]:
        picture(f"imagemagick.{kind}", converted([], kind), kind.rstrip("2"))
    picture("imagemagick-big-endian.tiff", converted(["-endian", "MSB"], "tiff"), "tiff")


color = Image.new("RGBA", (WIDTH, HEIGHT))
color.putdata([(x * 6, y * 10, 255 - x * 3 - y * 4, 255 if x > 20 else 40 + x * 10) for y in range(HEIGHT) for x in range(WIDTH)])
shades = Image.new("L", (WIDTH, HEIGHT))
shades.putdata([x * 4 + y * 4 for y in range(HEIGHT) for x in range(WIDTH)])

for make in [feeds, page, envelopes, drawings, trees, property_lists, pictures]:
    make()
(folder / "contents.json").write_text(json.dumps(contents, ensure_ascii=False, indent=1))
