import Foundation

// What a body that is not in memory means for sending the request.
extension HopRequest {
    private var uploadBody: (any UploadBody)? {
        var source = bodySource
        // What is compressed is the caller's body.
        while case .stream(let stream) = source, let compressed = stream as? CompressedBody { source = compressed.source }
        guard case .stream(let stream) = source else { return nil }
        return stream as? any UploadBody
    }

    /// Whether the body was begun to be sent and cannot be produced again.
    var isSpent: Bool { uploadBody.map { !$0.isRepeatable && $0.isUsed } ?? false }

    /// The body's own failure, if that is what a transport's error reports; nil otherwise.
    func failure(by error: TransportError) -> FirewheelError? {
        guard case .failed(.requestBodyStreamExhausted, _) = error else { return nil }
        return uploadBody?.failure
    }

    /// Whether the body waits for the server's consent.
    func expectsContinue(by rule: ContinueExpectation) -> Bool {
        guard mayExpectContinue, let bodySource, bodySource.length != 0 else { return false }
        if headers.contains(name: "Expect") {
            return headers.values(for: "Expect").contains { $0.lowercased().contains("100-continue") }
        }
        return rule.applies(to: bodySource)
    }
}
