import Foundation

/// libFuzzer's entry point for each input. All targets are one program, because building takes longest, and `FUZZ_TARGET` selects one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "media-type": fuzzMediaType, "charset": fuzzCharset, "date": fuzzDate, "form": fuzzForm, "location": fuzzLocation,
    "url": fuzzURL, "json": fuzzJSON, "http-date": fuzzHTTPDate, "response": fuzzResponse, "chunks": fuzzChunks,
    "http2": fuzzHTTP2, "image": fuzzImage, "lines": fuzzLines, "utf8": fuzzUTF8, "events": fuzzEvents, "xml": fuzzXML,
    "plist": fuzzPropertyList, "socks": fuzzSOCKS, "connect": fuzzConnect, "proxy-variable": fuzzProxyVariable,
    "gzip": fuzzCoding("gzip"), "deflate": fuzzCoding("deflate"), "br": fuzzCoding("br"), "zstd": fuzzCoding("zstd"),
    "websocket": fuzzWebSocket, "websocket-messages": fuzzWebSocketMessages, "websocket-extensions": fuzzWebSocketExtensions,
]

private let target: @Sendable ([UInt8]) -> Void = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = targets[name] else { fatalError("FUZZ_TARGET is none of \(targets.keys.sorted())") }
    return target
}()

/// Ends the program if the condition is false, which libFuzzer reports as a finding.
func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    guard condition else { fatalError(message()) }
}

/// The bytes as ISO-8859-1, like field values.
func latin1(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

/// Splits an input into what a target needs.
struct Source {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

    /// As many bytes as the next one says, with invalid UTF-8 replaced.
    mutating func text() -> String {
        let count = Int(byte())
        let text = bytes.prefix(count)
        bytes = bytes[text.endIndex...]
        return String(decoding: text, as: UTF8.self)
    }

    mutating func rest() -> [UInt8] {
        defer { bytes = [] }
        return Array(bytes)
    }
}
