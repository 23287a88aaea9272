import Firewheel
import Foundation

/// Reads a request's body from its source to its end.
///
/// `@unchecked` is sound because all mutable state is used on `queue` only.
final class StubBodyReading: @unchecked Sendable {
    private static let pieceSize = 64 * 1024

    private let source: BodySource?
    private let queue: DispatchQueue
    private let completion: @Sendable (Result<StubTransport.ReceivedBody, TransportError>) -> Void
    private var body = StubTransport.ReceivedBody()
    private var reader: (any BodyReader)?
    /// The number of the last request for a piece: the answers to others are ignored.
    private var asked = 0
    private var isOver = false

    /// - Parameters:
    ///   - source: nil for no body.
    ///   - queue: Serial.
    ///   - completion: Called on the queue, unless ``stop()`` was called before.
    init(
        _ source: BodySource?, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<StubTransport.ReceivedBody, TransportError>) -> Void
    ) {
        self.source = source
        self.queue = queue
        self.completion = completion
    }

    func start() {
        queue.async { [self] in
            if isOver { return }
            switch source {
            case nil: end(nil)
            case .data(let data):
                body.data = data
                end(nil)
            case .file(let file, let offset, let length): end(readFile(file, offset, length))
            case .stream(let stream):
                reader = stream.makeReader()
                ask()
            }
        }
    }

    /// Nobody wants the body any more.
    func stop() {
        queue.async { [self] in close() }
    }

    private func ask() {
        asked += 1
        let number = asked
        // On the queue each time, because a reader may answer before it returns, and many pieces would nest.
        reader?.read(upTo: Self.pieceSize) { piece in
            self.queue.async { self.take(piece, number) }
        }
    }

    private func take(_ piece: BodyPiece, _ number: Int) {
        guard !isOver, number == asked else { return }
        // An answer that comes twice counts once.
        asked += 1
        let length = source?.length
        switch piece {
        case .data(let data):
            body.data += data
            if let length, body.data.count > length { return end(Self.wrongLength("more bytes than its length", length)) }
            ask()
        case .end(let trailers):
            if let length, body.data.count < length { return end(Self.wrongLength("fewer bytes than its length", length)) }
            body.trailers = trailers
            end(nil)
        case .failed(let error): end(error)
        }
    }

    private func readFile(_ file: URL, _ offset: Int64, _ length: Int64) -> TransportError? {
        guard offset >= 0, length >= 0, let handle = try? FileHandle(forReadingFrom: file) else {
            return .failed(.cannotOpenFile, "cannot read the body from \(file.lastPathComponent)")
        }
        defer { try? handle.close() }
        do {
            try handle.seek(toOffset: UInt64(offset))
            while body.data.count < length {
                let count = min(Self.pieceSize, Int(length) - body.data.count)
                guard let piece = try handle.read(upToCount: count), !piece.isEmpty else {
                    return Self.wrongLength("fewer bytes than its length", length)
                }
                body.data += piece
            }
            return nil
        } catch {
            return .failed(.cannotOpenFile, "cannot read the body from \(file.lastPathComponent)")
        }
    }

    private static func wrongLength(_ words: String, _ length: Int64) -> TransportError {
        .failed(.requestBodyStreamExhausted, "the request's body has \(words), \(length)")
    }

    private func end(_ error: TransportError?) {
        if isOver { return }
        close()
        completion(error.map { .failure($0) } ?? .success(body))
    }

    private func close() {
        isOver = true
        // The reader is foreign code, which may release what calls this.
        let reader = reader
        self.reader = nil
        reader?.close()
    }
}
