import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// If a URL could name two servers, only the one that Foundation's host and port show may get the request.
@Suite("URLs that could name two servers", .eachTransport, .timeLimit(.minutes(5)))
struct HostTricksTests {
    private static let tricks = [
        "http://A@B/", "http://A:x@B/", "http://A/@B/", "http://A?@B/", "http://A#@B/", "http://A\\@B/", "http://A\\B/", "http://A/\\B/",
        "http://A%2f@B/", "http://A%23@B/", "http://A%40B/", "http://A%00@B/", "http://A;@B/", "http://A&@B/", "http://A@@B/",
        "http://A @B/",
        "http://A\r\n@B/", "http://A,B/", "http://A//B/", "http://A/../B/", "http:/A/@B/", "http:///A@B/", "http://A＠B/", "http://A／@B/",
        "http://A。B/",
    ]

    @Test("A URL that could name two servers reaches only the one that Foundation shows, by every route", arguments: tricks)
    func oneServer(trick: String) async throws {
        let (first, second) = (try MockServer(), try MockServer())
        defer {
            first.shutdown()
            second.shutdown()
        }
        for server in [first, second] { server.route("*") { _ in .text("\(server.port)") } }
        let text = trick.replacing("A", with: "127.0.0.1:\(first.port)").replacing("B", with: "127.0.0.1:\(second.port)")
        let url = URL(string: text)
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 20 })
        var responses = [await session.request(text).raw()]
        if let url { responses += [await session.request(url).raw(), await session.request(URLRequest(url: url)).raw()] }
        // A line break ends the field, and what follows is another field.
        if !text.contains("\r\n") {
            first.route("/from") { _ in .redirect(to: text) }
            responses.append(await session.request(first.url("/from")).raw())
        }
        for response in responses {
            guard let answered = response.text else { continue }
            #expect(url?.host == "127.0.0.1", "\(text.debugDescription)")
            #expect(url?.port.map(String.init) == answered, "\(text.debugDescription)")
        }
    }
}
