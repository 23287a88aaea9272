import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// No text of an error has a line break or another control character: what stands in a log behind one would look like the program's own line.
@Suite("Errors on one line")
struct OneLineTests {
    private func expectOneLine(_ error: any Error, sourceLocation: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(error, to: &dumped)
        // Each child of a dump is a line of its own, which no URL or header begins.
        #expect(!dumped.contains("\nadmin"), "\(dumped)", sourceLocation: sourceLocation)
        let texts = ["\(error)", error.localizedDescription, (error as? FirewheelError)?.detail ?? "", String(reflecting: error)]
        for text in texts {
            let isPlain = text.unicodeScalars.allSatisfy {
                ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
            #expect(isPlain, "\(text.debugDescription)", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "Errors that quote an invalid URL are on one line",
        arguments: [
            "http://a b\nadmin logged in", "x\r\nadmin", "http://h\u{0}/", "\u{1B}[31mred", "http://\u{2028}admin", "ht\ntp://x",
            "a\u{85}admin@b",
        ])
    func urls(text: String) async {
        let session = Session(transport: StubTransport { _ in [.finish(body: nil)] })
        let error = await session.request(text).raw().error
        #expect(kind(error) == .invalidURL, "\(String(describing: error))")
        if let error { expectOneLine(error) }
        withExtendedLifetime(session) {}
    }

    @Test("Errors that quote a cause, a media type or a path are on one line")
    func causes() {
        let text = "x\nadmin\u{1B}[0m\u{2029}y"
        let context = DecodingError.Context(codingPath: [], debugDescription: text)
        let errors: [FirewheelError] = [
            FirewheelError(.invalidHeader, detail: text), FirewheelError(.createURLRequestFailed, underlyingError: TransportFailure(text)),
            FirewheelError(.responseValidationFailed(.unacceptableContentType(acceptable: [text], received: text))),
            FirewheelError(.responseValidationFailed(.dataFileReadFailed(at: URL(fileURLWithPath: "/\(text)")))),
            FirewheelError(.responseSerializationFailed(.decodingFailed), underlyingError: DecodingError.dataCorrupted(context)),
            FirewheelError(
                .createURLRequestFailed, underlyingError: NSError(domain: "a", code: 1, userInfo: [NSLocalizedDescriptionKey: text])),
            FirewheelError(.createURLRequestFailed, underlyingError: FirewheelError(.invalidURL, detail: text)),
        ]
        for error in errors { expectOneLine(error) }
        expectOneLine(TransportFailure(text))
        #expect(FirewheelError(.invalidURL, detail: "a\r\n\tb\u{0}c\u{7F}").description == #"a\r\n\tb\0c\u{7F}"#)
        #expect(FirewheelError(.invalidURL, detail: #"C:\new"#).description == #"C:\new"#)
    }
}
