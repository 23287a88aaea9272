import FirewheelAlamofire
import Testing

@Suite("AFError: descriptions")
struct AFErrorDescriptionTests {
    private struct Quoting: LocalizedError {
        var errorDescription: String? { "cannot reach http://user:hunter2@localhost/a?token=hunter2 today" }
    }

    private struct Target: URLConvertible {
        let address = "http://user:hunter2@localhost/"
        func asURL() throws -> URL { throw AFError.invalidURL(url: address) }
    }

    private struct Dumped: Error {
        let address = "http://user:hunter2@localhost/"
        let password = "hunter2"
    }

    private static let secret = URL(string: "http://user:hunter2@localhost/a?token=hunter2")!

    private static let errors: [AFError] = {
        let own = FirewheelError(
            .transportFailed(.timedOut), request: try? URLRequest(url: secret, method: .get), responseData: Data("hunter2".utf8))
        let causes: [any Error] = [
            Quoting(), Dumped(), own, AFError.invalidURL(url: secret), URLError(.badURL, userInfo: [NSURLErrorFailingURLErrorKey: secret]),
            CocoaError(.fileNoSuchFile, userInfo: [NSURLErrorKey: secret]),
        ]
        var errors: [AFError] = [
            .invalidURL(url: secret), .invalidURL(url: secret.absoluteString), .invalidURL(url: Target()),
            .invalidURL(url: "//user:hunter2@local host/"), .invalidURL(url: ""),
            .urlRequestValidationFailed(reason: .bodyDataInGETRequest(Data("hunter2".utf8))),
            .multipartEncodingFailed(reason: .bodyPartURLInvalid(url: secret)),
            .multipartEncodingFailed(reason: .bodyPartFilenameInvalid(in: secret)),
            .multipartEncodingFailed(reason: .bodyPartFileNotReachable(at: secret)),
            .multipartEncodingFailed(reason: .bodyPartFileIsDirectory(at: secret)),
            .multipartEncodingFailed(reason: .bodyPartFileSizeNotAvailable(at: secret)),
            .multipartEncodingFailed(reason: .bodyPartInputStreamCreationFailed(for: secret)),
            .multipartEncodingFailed(reason: .outputStreamCreationFailed(for: secret)),
            .multipartEncodingFailed(reason: .outputStreamFileAlreadyExists(at: secret)),
            .multipartEncodingFailed(reason: .outputStreamURLInvalid(url: secret)),
            .responseValidationFailed(reason: .dataFileReadFailed(at: secret)),
            .responseSerializationFailed(reason: .inputFileReadFailed(at: secret)),
        ]
        if let components = URLComponents(url: secret, resolvingAgainstBaseURL: false) { errors.append(.invalidURL(url: components)) }
        for cause in causes {
            errors += [
                .createUploadableFailed(error: cause), .createURLRequestFailed(error: cause), .requestAdaptationFailed(error: cause),
                .downloadedFileMoveFailed(error: cause, source: secret, destination: secret),
                .requestRetryFailed(retryError: cause, originalError: cause), .sessionTaskFailed(error: cause),
                .sessionInvalidated(error: cause),
                .multipartEncodingFailed(reason: .bodyPartFileNotReachableWithError(atURL: secret, error: cause)),
                .multipartEncodingFailed(reason: .bodyPartFileSizeQueryFailedWithError(forURL: secret, error: cause)),
                .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: cause)),
                .multipartEncodingFailed(reason: .inputStreamReadFailed(error: cause)),
                .parameterEncodingFailed(reason: .jsonEncodingFailed(error: cause)),
                .parameterEncodingFailed(reason: .customEncodingFailed(error: cause)),
                .parameterEncoderFailed(reason: .encoderFailed(error: cause)),
                .responseValidationFailed(reason: .customValidationFailed(error: cause)),
                .responseSerializationFailed(reason: .jsonSerializationFailed(error: cause)),
                .responseSerializationFailed(reason: .decodingFailed(error: cause)),
                .responseSerializationFailed(reason: .customSerializationFailed(error: cause)),
                .serverTrustEvaluationFailed(reason: .trustEvaluationFailed(error: cause)),
                .serverTrustEvaluationFailed(reason: .customEvaluationFailed(error: cause)),
            ]
        }
        return errors
    }()

    @Test("No description shows a password, whether printed, dumped or reflected", arguments: errors.indices)
    func secrets(index: Int) {
        let error = Self.errors[index]
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error.localizedDescription, "\(error)", String(reflecting: error), dumped, "\([error])"] {
            #expect(!text.contains("hunter2") && !text.contains("\n\n"), "\(text)")
        }
    }

    @Test("Reasons are printed like their error")
    func reasons() {
        let reason = AFError.MultipartEncodingFailureReason.bodyPartURLInvalid(url: Self.secret)
        #expect("\(reason)" == AFError.multipartEncodingFailed(reason: reason).localizedDescription)
        var dumped = ""
        dump(reason, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test("Text of a server cannot add lines")
    func lines() {
        let error = AFError.responseValidationFailed(
            reason: .unacceptableContentType(acceptableContentTypes: ["a/b"], responseContentType: "c/d\r\nforged"))
        #expect(!error.localizedDescription.contains { $0.isNewline })
    }

    @Test("A description says what happened and why")
    func texts() {
        let url = URL(string: "http://localhost/a")!
        let own = FirewheelError(.transportFailed(.timedOut), request: URLRequest(url: url))
        #expect(own.asAFError?.localizedDescription == "The request failed: GET http://localhost/a: timed out (URLError -1001)")
        #expect(AFError.explicitlyCancelled.localizedDescription == "The request was cancelled.")
        let custom = AFError.responseValidationFailed(reason: .customValidationFailed(error: Quoting()))
        #expect(
            custom.localizedDescription
                == "The response did not pass validation: cannot reach <redacted>@localhost/a?token=<redacted> today")
        let pins = AFError.serverTrustEvaluationFailed(
            reason: .publicKeyPinningFailed(host: "a.test", pinnedKeys: ["sha256/A"], serverKeys: ["sha256/B"]))
        #expect(
            pins.localizedDescription
                == "The server is not trusted: None of the keys of a.test is pinned (expected sha256/A; the server has sha256/B).")
    }

    @Test("Errors that contain errors are printed to a depth of eight")
    func nested() {
        let chain = (0..<2_000).reduce(AFError.explicitlyCancelled) { error, _ in .requestAdaptationFailed(error: error) }
        #expect(chain.localizedDescription == String(repeating: "A request adapter failed: ", count: 9) + "…")
        let tree = (0..<40).reduce(AFError.explicitlyCancelled) { error, _ in .requestRetryFailed(retryError: error, originalError: error) }
        #expect(tree.localizedDescription.utf8.count < 100_000)
    }
}
