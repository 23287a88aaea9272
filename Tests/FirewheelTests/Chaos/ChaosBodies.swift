import Firewheel
import FirewheelTesting
import Foundation

/// A stream that gives small pieces, each after a pause.
final class ChaosStream: InputStream {
    private let source: InputStream
    private let plan: ChaosScenario.Upload

    init(_ body: Data, _ plan: ChaosScenario.Upload) {
        source = InputStream(data: body)
        self.plan = plan
        super.init(data: Data())
    }

    override func open() { source.open() }
    override func close() { source.close() }
    override var hasBytesAvailable: Bool { source.hasBytesAvailable }
    override var streamStatus: Stream.Status { source.streamStatus }
    override var streamError: (any Error)? { source.streamError }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        if plan.pause > 0 { usleep(UInt32(plan.pause)) }
        return source.read(buffer, maxLength: min(count, plan.piece))
    }
}

/// An async sequence of pieces, each after a pause.
struct ChaosPieces: AsyncSequence, Sendable {
    let body: Data
    let plan: ChaosScenario.Upload

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: Data
        let plan: ChaosScenario.Upload

        mutating func next() async throws -> Data? {
            if plan.pause > 0 { try await Task.sleep(nanoseconds: UInt64(plan.pause) * 1000) }
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(plan.piece) }
            return rest.prefix(plan.piece)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: body, plan: plan) }
}

// MARK: - Requests

extension ChaosRequests {
    /// - Parameter content: The body, or the file of a form.
    func uploadRequest(_ number: Int, _ url: String, _ session: Session, _ plan: ChaosScenario.Upload, _ content: Data) throws
        -> UploadRequest
    {
        let trip = scenario.trips[number]
        let (method, request) = (trip.method, Given(url: url, trip: trip, body: nil))
        let (headers, modifier, target) = Self.flaws(of: trip.source, url)
        let isWhole = trip.source == .urlRequest
        let length = plan.kind.hasLength ? Int64(content.count) : nil
        switch plan.kind {
        case .data:
            return isWhole
                ? session.upload(content, with: request)
                : session.upload(content, to: target, method: method, headers: headers, requestModifier: modifier)
        case .file:
            let file = try write(content, number)
            return isWhole
                ? session.upload(file, with: request)
                : session.upload(file, to: target, method: method, headers: headers, requestModifier: modifier)
        case .stream, .streamOfKnownLength:
            let stream = ChaosStream(content, plan)
            return isWhole
                ? session.upload(stream, length: length, with: request)
                : session.upload(stream, length: length, to: target, method: method, headers: headers, requestModifier: modifier)
        case .sequence, .sequenceOfKnownLength:
            let pieces = ChaosPieces(body: content, plan: plan)
            return isWhole
                ? session.upload(pieces, length: length, with: request)
                : session.upload(pieces, length: length, to: target, method: method, headers: headers, requestModifier: modifier)
        case .form, .formOfFile, .formOfStream:
            let form = try form(number, plan, content)
            let threshold: UInt64 = plan.kind == .form ? 10_000_000 : 0
            return isWhole
                ? session.upload(multipartFormData: form, with: request, usingThreshold: threshold)
                : session.upload(
                    multipartFormData: form, to: target, usingThreshold: threshold, method: method, headers: headers,
                    requestModifier: modifier)
        }
    }

    private func form(_ number: Int, _ plan: ChaosScenario.Upload, _ content: Data) throws -> MultipartFormData {
        let form = MultipartFormData(boundary: ChaosScenario.formBoundary(number))
        form.append(Data("a form".utf8), withName: "note")
        let (name, fileName, type) = ("body", "body.bin", "application/octet-stream")
        switch plan.kind {
        case .formOfFile: form.append(try write(content, number), withName: name, fileName: fileName, mimeType: type)
        case .formOfStream:
            let stream = ChaosStream(content, plan)
            form.append(stream, withLength: UInt64(content.count), name: name, fileName: fileName, mimeType: type)
        default: form.append(content, withName: name, fileName: fileName, mimeType: type)
        }
        return form
    }

    private func write(_ content: Data, _ number: Int) throws -> URL {
        let file = folder.appendingPathComponent("\(number).upload")
        try content.write(to: file)
        return file
    }

    /// What makes a request fail before it is sent, by its source.
    static func flaws(of source: ChaosScenario.Source, _ url: String) -> (HTTPHeaders?, RequestModifier?, String) {
        switch source {
        case .url, .urlRequest, .parameters: (nil, nil, url)
        case .invalidURL: (nil, nil, "http:///nowhere")
        case .invalidHeader: (["no token": "x"], nil, url)
        case .throwingModifier: (nil, { _ in throw Refusal() }, url)
        }
    }
}
