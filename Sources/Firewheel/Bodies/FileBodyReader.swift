import Foundation

/// Reads a part of a file as the body of a request, on a thread that may block.
final class FileBodyReader: BodyReader {
    private let reader: BlockingBodyReader

    /// - Parameters:
    ///   - isWhole: Whether it is an error if the file does not end where the part does.
    ///   - onFailure: Called on any thread, before the failure is passed on.
    init(
        _ url: URL, offset: Int64, length: Int64, isWhole: Bool = false,
        onFailure: @escaping @Sendable (FirewheelError) -> Void = { _ in }
    ) {
        reader = BlockingBodyReader(FilePieces(url, offset: offset, length: length, isWhole: isWhole), onFailure: onFailure)
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) { reader.read(upTo: count, answer) }

    func close() { reader.close() }
}

/// The bytes of a part of a regular file. It is opened when the first of them is asked for.
final class FilePieces: BlockingPieces {
    private let url: URL
    private let end: Int64
    private let isWhole: Bool
    private var offset: Int64
    private var remaining: Int64
    private var descriptor: Int32?

    /// - Parameter isWhole: Whether the file must end where the part does, both when it is opened and when the last byte is read.
    init(_ url: URL, offset: Int64, length: Int64, isWhole: Bool) {
        self.url = url
        self.isWhole = isWhole
        self.offset = offset
        remaining = length
        let (end, overflow) = offset.addingReportingOverflow(length)
        self.end = overflow ? .max : end
    }

    deinit {
        if let descriptor { systemClose(descriptor) }
    }

    func next(upTo count: Int) throws(FirewheelError) -> Data? {
        // An empty file is opened, too, because it may have grown.
        guard remaining > 0 || (isWhole && descriptor == nil) else { return nil }
        let descriptor = try open()
        guard remaining > 0 else { return nil }
        let size = Int(min(Int64(count), remaining))
        var code: Int32 = 0
        let read = PieceMemory.shared.data(upTo: size) { memory in
            while true {
                let got = pread(descriptor, memory, size, off_t(offset))
                if got >= 0 { return got }
                code = errno
                if code != EINTR { return got }
            }
        }
        guard let read else { throw UploadFile.failure(url, code: ENOMEM) }
        guard let data = read.data else {
            throw read.result < 0 ? UploadFile.failure(url, code: code) : UploadFile.mismatch(url, "fewer bytes than")
        }
        offset += Int64(data.count)
        remaining -= Int64(data.count)
        // Before the last piece is sent, because the server takes a body that has all its bytes for a good one.
        if remaining == 0 { try checkEnd(of: descriptor) }
        return data
    }

    private func open() throws(FirewheelError) -> Int32 {
        if let descriptor { return descriptor }
        try UploadFile.checkFileURL(url)
        // Non-blocking, because opening a FIFO would wait.
        let opened = url.withUnsafeFileSystemRepresentation { path in path.map { systemOpen($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } }
        guard let opened, opened >= 0 else { throw UploadFile.failure(url, code: opened == nil ? ENOENT : errno) }
        descriptor = opened
        guard DescriptorReserve.isKept(behind: opened) else { throw UploadFile.failure(url, code: EMFILE) }
        try checkSize(UploadFile.facts(of: opened, url))
        if remaining == 0 { try checkEnd(of: opened) }
        return opened
    }

    private func checkEnd(of descriptor: Int32) throws(FirewheelError) {
        guard isWhole else { return }
        try checkSize(UploadFile.facts(of: descriptor, url))
        // The files of /proc have more bytes than their size says.
        var byte: UInt8 = 0
        if pread(descriptor, &byte, 1, off_t(end)) > 0 { throw UploadFile.mismatch(url, "more bytes than") }
    }

    private func checkSize(_ facts: stat) throws(FirewheelError) {
        guard isWhole, Int64(facts.st_size) != end else { return }
        throw UploadFile.mismatch(url, Int64(facts.st_size) < end ? "fewer bytes than" : "more bytes than")
    }
}

// Methods of the same names shadow the system's functions.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags) }
private func systemClose(_ descriptor: Int32) { close(descriptor) }
