import Foundation

extension MultipartFormData {
    /// The whole form in memory. It reads files and streams on the calling thread, which may block.
    ///
    /// - Throws: ``FirewheelError`` with `multipartEncodingFailed`: the first error of a part, or that of reading one. With
    ///   `uploadBodyFailed(.notRepeatable)` if a stream was read before.
    public func encode() throws -> Data {
        try content().encoded()
    }

    /// Writes the form to a new file. It reads files and streams on the calling thread, which may block. The file is removed if that fails.
    ///
    /// - Parameter fileURL: Where there is no file yet.
    /// - Throws: The same as ``encode()``, and `multipartEncodingFailed` with `.outputStreamFileAlreadyExists`, `.outputStreamURLInvalid`
    ///   or `.outputStreamWriteFailed`.
    public func writeEncodedData(to fileURL: URL) throws {
        let content = try content()
        guard fileURL.isFileURL, !fileURL.path.isEmpty, !fileURL.path.utf8.contains(0) else {
            throw FirewheelError(.multipartEncodingFailed(.outputStreamURLInvalid(url: fileURL.withoutSecrets)))
        }
        let path = fileURL.path
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let error = POSIXError.of(errno, path: path)
            throw error.code == .EEXIST
                ? FirewheelError(.multipartEncodingFailed(.outputStreamFileAlreadyExists(at: fileURL)))
                : Self.unwritable(fileURL, error)
        }
        do {
            try Self.write(content, to: OpenFile(path, owning: descriptor))
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes the form to a new temporary file, readable by its owner only. It reads files and streams on the calling thread, which may
    /// block.
    ///
    /// - Parameter folder: Where the file is created.
    /// - Throws: The same as ``encode()``, and `multipartEncodingFailed` with `.outputStreamWriteFailed`.
    package func writeTemporaryFile(in folder: URL) throws -> TemporaryFile {
        let content = try content()
        let made: (TemporaryFile, OpenFile)
        do { made = try TemporaryFolder(folder).makeFile() } catch { throw Self.unwritable(folder, error) }
        try Self.write(content, to: made.1)
        return made.0
    }

    private static func write(_ content: MultipartContent, to file: OpenFile) throws {
        let url = URL(fileURLWithPath: file.path, isDirectory: false)
        try MultipartPieces(content).readAll { piece throws(FirewheelError) in
            do { try file.write(piece) } catch { throw unwritable(url, error) }
        }
        do { try file.close() } catch { throw unwritable(url, error) }
    }

    private static func unwritable(_ url: URL, _ cause: any Error) -> FirewheelError {
        FirewheelError(.multipartEncodingFailed(.outputStreamWriteFailed), detail: url.lastPathComponent, underlyingError: cause)
    }

    /// The form as the body of a request. Parts that are added later do not change it.
    ///
    /// - Parameters:
    ///   - threshold: The length from which on the body is read from its parts while it is sent. A shorter one is read into memory now, on
    ///     the calling thread, which may block.
    ///   - trailers: The trailer fields that follow the body, which is then never in memory. Default: none.
    func makeBody(threshold: UInt64, trailers: HTTPHeaders = [:]) throws(FirewheelError) -> BodySource {
        try content().makeBody(threshold: threshold, trailers: trailers)
    }
}

extension MultipartContent {
    /// As ``MultipartFormData/makeBody(threshold:trailers:)``.
    func makeBody(threshold: UInt64, trailers: HTTPHeaders = [:]) throws(FirewheelError) -> BodySource {
        guard length < threshold, trailers.isEmpty else { return .stream(MultipartBody(self, trailers: trailers)) }
        return .data(try encoded())
    }

    /// All bytes.
    func encoded() throws(FirewheelError) -> Data {
        if stretches.count == 1, case .bytes(let data) = stretches[0] { return data }
        var data = Data()
        // The length of a stream is only what its owner says.
        data.reserveCapacity(Int(min(length, 16 << 20)))
        try MultipartPieces(self).readAll { piece throws(FirewheelError) in data += piece }
        return data
    }
}
