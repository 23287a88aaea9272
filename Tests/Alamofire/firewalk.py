#!/usr/bin/env python3
"""A stand-in for Firewalk, the server that Alamofire's tests talk to: firewalk.py PORT

Answers on 127.0.0.1 as Firewalk does, statuses, headers and missing headers included, except for a wrong Content-Range. Left out are the
routes of WebSockets, and those that Firewalk passes on to httpbin.org (compression, Digest), which no test that runs uses. Needs aiohttp
(requirements.txt).
"""
import asyncio
import base64
import binascii
import json
import os
import sys
import urllib.parse
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

from aiohttp import web

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
LARGEST_BODY = 10_000_000
ADDRESS = f"http://127.0.0.1:{sys.argv[1]}"
BINARY = "application/octet-stream"

routes = web.RouteTableDef()
# The values of Cache-Control that /cache has answered with an old date, and not yet with the present one.
aged = set()


def route(path, methods=METHODS):
    """Serves the path for these methods: GET also means HEAD."""

    def add(handler):
        for method in methods:
            (routes.get(path) if method == "GET" else routes.route(method, path))(handler)
        return handler

    return add


def count(request, name="count", least=1, most=100):
    """A number in the path, or status 400."""
    try:
        number = int(request.match_info[name])
    except ValueError:
        raise web.HTTPBadRequest from None
    if not least <= number <= most:
        raise web.HTTPBadRequest
    return number


def plain(status=200, body=b"", **headers):
    """A response without Content-Type, unless it is in the headers, whose underscores are hyphens."""
    response = web.Response(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response["has type"] = "Content_Type" in headers
    return response


async def remove_default_type(request, response):
    if response.get("has type") is False:
        response.headers.pop("Content-Type", None)


def fields(request, body):
    """The fields of a form or of a JSON object, if all are strings."""
    if request.content_type == "application/x-www-form-urlencoded":
        return dict(urllib.parse.parse_qsl(body.decode(errors="replace"), keep_blank_values=True))
    if request.content_type == "application/json":
        try:
            value = json.loads(body)
        except ValueError:
            return None
        if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
            return value
    return None


async def reply(request):
    """What has been received, as JSON."""
    body = await request.read()
    answer = {
        "url": ADDRESS + request.raw_path,
        "origin": request.remote,
        "headers": [{"name": name.decode("latin-1"), "value": value.decode(errors="replace")} for name, value in request.raw_headers],
        "args": dict(request.query),
    }
    if body:
        answer["data"] = body.decode(errors="replace")
        form = fields(request, body)
        if form is not None:
            answer["form"] = form
    return json.dumps(answer).encode()


async def json_reply(request):
    return plain(body=await reply(request), Content_Type="application/json; charset=utf-8")


for each in METHODS:
    route(f"/{each.lower()}", [each])(json_reply)


@route("/delay/{interval}")
async def delay(request):
    seconds = count(request, "interval", 0, sys.maxsize)
    if seconds <= 10:
        await asyncio.sleep(seconds)
    return await json_reply(request)


@route("/status/{code}")
async def status(request):
    code = count(request, "code", 200, 599)
    await request.read()
    if code in (204, 205) or code >= 400:
        return plain(code)
    if code >= 300:
        return plain(code, Location=f"{ADDRESS}/{request.method.lower()}")
    return plain(code, await reply(request))


@route("/redirect-to")
async def redirect_to(request):
    await request.read()
    if "url" not in request.query:
        raise web.HTTPBadRequest
    return plain(int(request.query.get("statusCode", 302)), Location=request.query["url"])


@route("/redirect/{count}", ["GET"])
async def redirect(request):
    left = count(request, most=99) - 1
    return plain(302, Location=f"{ADDRESS}/redirect/{left}" if left else f"{ADDRESS}/get")


def is_authorized(request):
    kind, _, credentials = request.headers.get("Authorization", "").partition(" ")
    try:
        given = base64.b64decode(credentials, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return kind == "Basic" and given == "{user}:{password}".format(**request.match_info)


@route("/basic-auth/{user}/{password}")
async def basic_authentication(request):
    if not is_authorized(request):
        return plain(401, WWW_Authenticate="Basic")
    return await json_reply(request)


@route("/hidden-basic-auth/{user}/{password}")
async def hidden_basic_authentication(request):
    if not is_authorized(request):
        return plain(401)
    return await json_reply(request)


@route("/response-headers", ["GET"])
async def response_headers(request):
    response = plain(body=json.dumps(dict(request.query)).encode())
    for name, value in request.query.items():
        response.headers[name] = value
    response["has type"] = "content-type" in map(str.lower, request.query)
    return response


@route("/cache", ["GET"])
async def cache(request):
    """As /response-headers, and every other time five seconds old."""
    control = request.query.get("Cache-Control")
    if control is None:
        raise web.HTTPBadRequest
    response = await response_headers(request)
    if control in aged:
        aged.remove(control)
    else:
        aged.add(control)
        response.headers["Date"] = format_datetime(datetime.now(timezone.utc) - timedelta(seconds=5), usegmt=True)
    return response


@route("/bytes/{count}", ["GET"])
async def some_bytes(request):
    return plain(body=os.urandom(count(request, least=0, most=100_000)))


@route("/stream/{count}", ["GET"])
async def stream(request):
    return plain(body=b"\n".join([await reply(request)] * count(request)))


async def send_slowly(request, chunks):
    """Sends the chunks, with as many milliseconds after each as the path says."""
    pause = count(request, "delay", 0, 10_000) / 1000
    response = web.StreamResponse(headers={"Content-Type": BINARY})
    response.enable_chunked_encoding()
    await response.prepare(request)
    for chunk in chunks:
        await response.write(chunk)
        await asyncio.sleep(pause)
    await response.write_eof()
    return response


@route("/chunked/{count}/{delay}", ["GET"])
async def chunked(request):
    return await send_slowly(request, [bytes([number]) for number in range(count(request), 0, -1)])


@route("/payloads/{count}/{delay}", ["GET"])
async def payloads(request):
    return await send_slowly(request, [await reply(request)] * count(request))


@route("/infinite", ["GET"])
async def infinite(request):
    response = web.StreamResponse()
    response["has type"] = False
    response.enable_chunked_encoding()
    await response.prepare(request)
    while True:
        await response.write(b"\x01" * 1_000_000)


@route("/download/{count}", ["GET"])
async def download(request):
    """Bytes in ten segments, or a range of them at once. With `shouldProduceError` the connection ends after six segments."""
    total = count(request, least=0, most=LARGEST_BODY)
    if total % 10:
        raise web.HTTPBadRequest
    headers = {"Content-Type": BINARY, "Last-Modified": "Mon, 01 Jan 2001 12:00:00 GMT"}
    if "Range" in request.headers:
        start = request.http_range.start or 0
        # Firewalk names the total as the last position, which its body does not have, and no total.
        headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
        return web.Response(status=206, body=bytes(total - start), headers=headers)
    response = web.StreamResponse(headers=headers | {"Accept-Ranges": "bytes", "Content-Length": str(total)})
    await response.prepare(request)
    breaks = request.query.get("shouldProduceError") == "true"
    for _ in range(6 if breaks else 10):
        await response.write(bytes(total // 10))
        await asyncio.sleep(0.001)
    if not breaks:
        await response.write_eof()
    elif request.transport is not None:
        request.transport.close()
    return response


@route("/upload", ["POST"])
async def upload(request):
    received = 0
    async for chunk in request.content.iter_any():
        received += len(chunk)
    return plain(body=json.dumps({"bytes": received}).encode())


@route("/ip", ["GET"])
async def ip(request):
    return plain(body=json.dumps({"origin": request.remote}).encode(), Content_Type="application/json; charset=utf-8")


@route("/image/jpeg", ["GET"])
async def image(request):
    # The start and the end of an image: no test looks inside.
    return plain(body=b"\xff\xd8\xff\xd9", Content_Type="image/jpeg", Content_Disposition='attachment; filename="jpeg.jpeg"')


@route("/xml", ["GET"])
async def xml(request):
    return plain(body=b'<?xml version="1.0"?>\n<notes><note author="Ann">Buy milk</note></notes>\n', Content_Type="application/xml")


@web.middleware
async def errors_as_json(request, handler):
    try:
        return await handler(request)
    except web.HTTPException as error:
        # Firewalk has no method that a path does not know: such a request is for another path.
        code = 404 if error.status == 405 else error.status
        reason = "Not Found" if code == 404 else error.reason
        return plain(code, json.dumps({"error": True, "reason": reason}).encode(), Content_Type="application/json; charset=utf-8")


def main():
    application = web.Application(client_max_size=LARGEST_BODY, middlewares=[errors_as_json])
    application.on_response_prepare.append(remove_default_type)
    application.add_routes(routes)
    web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None, shutdown_timeout=1)


if __name__ == "__main__":
    main()
