import Firewheel
import Foundation

extension TransportConformance {
    /// Parsing of response heads, and responses without a body.
    static let headCases: [Case] = [
        Case("Every status code is reported as it is", "RFC 9110 section 15") { bench in
            for status in [200, 201, 206, 299, 400, 404, 418, 451, 500, 503, 599, 999] {
                bench.server.enqueue(.text("body", status: status))
                let answer = try bench.succeed(try bench.request())
                try checkEqual("the status", answer.head.statusCode, status)
                try checkSame("the body of a \(status)", answer.body, Data("body".utf8))
            }
        },
        Case("Response fields are found by name in any case", "RFC 9110 section 5.1") { bench in
            bench.server.enqueue(MockResponse.text("x").header("X-One", "1").header("ETag", "\"a\"").header("x-lower", " padded \t"))
            let head = try bench.succeed(try bench.request()).head
            try checkEqual("x-ONE", head.headers["x-ONE"], "1")
            try checkEqual("etag", head.headers["etag"], "\"a\"")
            try checkEqual("X-Lower", head.headers["X-Lower"], "padded")
            try checkEqual("Content-Length", head.headers["Content-Length"], "1")
        },
        Case("Response fields keep their order, case and repetition", "ResponseHead.headers; RFC 9110 section 5.3") { bench in
            bench.server.enqueue(
                MockResponse.text("x").header("Set-Cookie", "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT").header("zEta", "z")
                    .header("Set-Cookie", "b=2").header("ALPHA", "a"))
            let head = try bench.succeed(try bench.request()).head
            try checkEqual("Set-Cookie", head.headers.values(for: "Set-Cookie"), ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"])
            let names = head.headers.map(\.name).filter { ["Set-Cookie", "zEta", "ALPHA"].contains($0) }
            try checkEqual("the order of the fields", names, ["Set-Cookie", "zEta", "Set-Cookie", "ALPHA"])
        },
        Case("Bytes above 127 in a field are read as ISO-8859-1, and are not a failure", "RFC 9110 section 5.5; ResponseHead.headers") {
            bench in
            bench.server.enqueue(MockResponse.text("x").rawHeaderLine(Data("X-Name: caf".utf8) + [0xE9]))
            try checkEqual("X-Name", try bench.succeed(try bench.request()).head.headers["X-Name"], "café")
        },
        Case("The HTTP version is that of the status line", "ResponseHead.httpVersion") { bench in
            bench.server.enqueue(MockResponse.text("old").statusLine(reason: "Fine", httpVersion: "HTTP/1.0"), .text("new"))
            try checkEqual("the version", try bench.succeed(try bench.request()).head.httpVersion, "HTTP/1.0")
            try checkEqual("the version", try bench.succeed(try bench.request()).head.httpVersion, "HTTP/1.1")
        },
        Case("A response to HEAD has no body, whatever its fields say", "RFC 9110 section 9.3.2") { bench in
            bench.server.enqueue(.text("twelve bytes"), MockResponse.text("chunks").framed(.chunked))
            for length in ["12", nil] {
                let answer = try bench.succeed(try bench.request(method: .head))
                try checkEqual("the status", answer.head.statusCode, 200)
                try checkEqual("the body", answer.body ?? Data(), Data())
                try checkEqual("Content-Length", answer.head.headers["Content-Length"], length)
                try checkEqual("the method", try bench.receivedRequest().method, "HEAD")
            }
        },
        Case("204 and 304 have no body and leave the connection usable", "RFC 9112 section 6.3") { bench in
            for status in [204, 304] {
                bench.server.enqueue(MockResponse.status(status).header("ETag", "\"a\""), .text("next"))
                let answer = try bench.succeed(try bench.request(headers: ["If-None-Match": "\"b\""]))
                try checkEqual("the status", answer.head.statusCode, status)
                try checkEqual("the body", answer.body, nil)
                try checkSame("the next body", try bench.succeed(try bench.request()).body, Data("next".utf8))
            }
        },
        Case("Interim responses are skipped", "RFC 9110 section 15.2") { bench in
            for delivery in [TransportRequest.Delivery.whole, .chunks] {
                bench.server.enqueue(
                    MockResponse.text("final").informational(100).informational(103, headers: [("Link", "</a>; rel=preload")])
                        .informational(102))
                let request = try bench.request { $0.delivery = delivery }
                let recorder = try bench.start(request)
                let result = try bench.end(of: request, on: recorder)
                try check(result.error == nil, "the exchange ended with \(ConformanceBench.describe(result.error))")
                try checkEqual("the status", result.head?.statusCode, 200)
                try checkEqual("Link, a field of an interim response", result.head?.headers["Link"], nil)
                try checkEqual("the statuses reported", Set(recorder[request.id].heads.map(\.statusCode)).subtracting([200]), [])
                try checkSame("the body", delivery == .whole ? result.body : recorder[request.id].content, Data("final".utf8))
            }
        },
        Case("A redirect is a response like any other", "Transport: redirects are the client's") { bench in
            bench.server.route("/target") { _ in .text("must not be fetched") }
            for status in [301, 302, 303, 307, 308] {
                let location = "\(bench.server.baseURL)/target"
                bench.server.route("/from") { _ in MockResponse.text("moved", status: status).header("Location", location) }
                let answer = try bench.succeed(try bench.request("/from"))
                try checkEqual("the status", answer.head.statusCode, status)
                try checkEqual("Location", answer.head.headers["Location"], location)
                try checkSame("the body of a \(status)", answer.body, Data("moved".utf8))
                try checkEqual("the path", try bench.receivedRequest().path, "/from")
            }
            try checkEqual("the number of requests", bench.server.requestCount, 5)
        },
        Case("A 401 is a response like any other, and so is a 407", "Transport: authentication is the client's") { bench in
            let fields = [
                (401, "WWW-Authenticate", "Basic realm=\"r\""), (401, "WWW-Authenticate", "Bearer"),
                (401, "WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\""), (407, "Proxy-Authenticate", "Basic realm=\"p\""),
            ]
            for (status, name, value) in fields {
                bench.server.enqueue(MockResponse.text("who?", status: status).header(name, value))
                let answer = try bench.succeed(try bench.request())
                try checkEqual("the status", answer.head.statusCode, status)
                try checkEqual(name, answer.head.headers[name], value)
                try checkSame("the body of a \(status)", answer.body, Data("who?".utf8))
            }
            try checkEqual("the number of requests", bench.server.requestCount, fields.count)
        },
        Case("Cookies are not kept", "Transport: cookies are the client's") { bench in
            bench.server.enqueue(MockResponse.text("x").header("Set-Cookie", "a=1; Path=/"), .text("x"), .text("x"))
            _ = try bench.succeed(try bench.request())
            _ = try bench.receivedRequest()
            _ = try bench.succeed(try bench.request())
            try checkEqual("Cookie", try bench.receivedRequest().header("Cookie"), nil)
            _ = try bench.succeed(try bench.request(headers: ["Cookie": "b=2"]))
            try checkEqual("Cookie", try bench.receivedRequest().headerValues("Cookie"), ["b=2"])
        },
        Case("Nothing is answered from a cache", "Transport: caching is the client's") { bench in
            for text in ["first", "second"] {
                bench.server.enqueue(MockResponse.text(text).header("Cache-Control", "max-age=1000").header("ETag", "\"a\""))
                try checkSame("the body", try bench.succeed(try bench.request()).body, Data(text.utf8))
                try checkEqual("If-None-Match", try bench.receivedRequest().header("If-None-Match"), nil)
            }
        },
    ]
}
