import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

extension URLSessionConfigurationTests {
    /// The header fields of a request, but for `Host` and `Accept: */*`.
    private static func sent(_ configuration: URLSessionConfiguration) async throws -> [String: String] {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("x"))
        let settings = SessionSettings(configuration)
        #expect(settings.problem == nil)
        _ = try await Firewheel.Session(configuration: settings.configuration).get(server.url()).serializingData().value
        let fields = try await server.takeRequest().headers.filter { $0.name != "Host" && $0 != ("Accept", "*/*") }
        return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    @Test("Only the fields of the configuration are sent; .af adds the default ones")
    func headersOnWire() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        #expect(try await Self.sent(configuration) == [:])
        configuration.httpAdditionalHeaders = ["X-Own": "a", "User-Agent": "b/1"]
        #expect(try await Self.sent(configuration) == ["X-Own": "a", "User-Agent": "b/1"])
        // The cookies of the default configuration are those of the process, which has other tests.
        let usual = URLSessionConfiguration.af.default
        usual.httpShouldSetCookies = false
        #expect(try await Self.sent(usual) == HTTPHeaders.default.dictionary)
        #expect(try await Self.sent(.af.ephemeral) == HTTPHeaders.default.dictionary)
    }

    @Test("Numbers and parts of strings become text")
    func headerNumbers() {
        let values: [AnyHashable: Any] = [
            "A": 7, "B": 0.25, "C": true, "D": NSNumber(value: 1_234_567_890_123), "E": "-x".dropFirst(), "F": NSString(string: "f"),
        ]
        let settings = Self.settings { $0.httpAdditionalHeaders = values }
        #expect(settings.problem == nil)
        let expected = ["A": "7", "B": "0.25", "C": "1", "D": "1234567890123", "E": "x", "F": "f"]
        #expect(settings.configuration.headers.dictionary == expected)
    }

    @Test("Other values and names are refused without being shown, and so are two fields of one name")
    func headersRefused() {
        struct Secret { let text = "hunter2" }
        let dictionaries: [[AnyHashable: Any]] = [
            ["X-Date": Date()], ["X-Data": Data("hunter2".utf8)], ["X-Secret": Secret()], ["X-List": ["hunter2"]],
            [7: "hunter2"], ["X-Own": "hunter2", "x-own": "hunter2"],
        ]
        for dictionary in dictionaries {
            let settings = Self.settings { $0.httpAdditionalHeaders = dictionary }
            #expect(settings.problems.map(\.field) == ["httpAdditionalHeaders"])
            #expect(settings.problem?.contains("hunter2") == false)
            #expect(settings.configuration.headers.isEmpty)
        }
    }

    @Test("headers reads and writes httpAdditionalHeaders")
    func headersProperty() {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.headers.isEmpty)
        configuration.headers.update(name: "X-Own", value: "a")
        #expect(configuration.httpAdditionalHeaders as? [String: String] == ["X-Own": "a"])
        configuration.httpAdditionalHeaders = ["X-Other": "b"]
        #expect(configuration.headers["x-other"] == "b")
    }

    @Test("A field that cannot be sent is an error of each request, as in any session")
    func headersInvalid() async {
        let settings = Self.settings { $0.httpAdditionalHeaders = ["X-Own": "a\r\nX-Injected: b"] }
        let session = Firewheel.Session(configuration: settings.configuration, transport: StubTransport())
        let response = await session.get("http://a.test/").serializingData().response
        guard case .invalidHeader = response.error?.asFirewheelError?.kind else {
            Issue.record("\(response)")
            return
        }
    }
}
