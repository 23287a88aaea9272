import Foundation

extension Certificate {
    /// The certificates of a text in PEM (RFC 7468), in their order: one certificate, a chain or a bundle of authorities.
    ///
    /// Text around them, Windows line ends and blocks of other kinds, such as keys, are skipped.
    ///
    /// - Throws: ``FirewheelError`` of kind `certificateInvalid(.missing)` if there is no certificate, and `certificateInvalid(.malformed)`
    ///   if one of them cannot be read; the text names the line where it begins.
    public static func all(inPEM text: Data) throws -> [Certificate] { try all(inPEM: text, of: nil) }

    /// The certificates of a file in PEM, as ``all(inPEM:)`` reads them.
    ///
    /// - Parameter file: A regular file of at most 16 MiB, or a symbolic link to one.
    /// - Throws: As ``all(inPEM:)``, with the name of the file, and `certificateInvalid(.fileReadFailed)` if the file cannot be read.
    public static func all(inPEMFile file: URL) throws -> [Certificate] {
        let (content, path) = try content(of: file)
        return try all(inPEM: content, of: path)
    }

    /// The certificate of a file in DER, or those of one in PEM.
    ///
    /// - Throws: As ``all(inPEMFile:)``.
    package static func all(inFile file: URL) throws -> [Certificate] {
        let (content, path) = try content(of: file)
        guard PEMBlock.isDER(content) else { return try all(inPEM: content, of: path) }
        do throws(CertificateProblem) {
            return [Certificate(der: content, facts: try CertificateFacts(der: content))]
        } catch {
            throw error.error(at: path)
        }
    }

    /// The certificates of a folder's files with these extensions, in lower case, sorted by name.
    ///
    /// - Throws: As ``all(inPEMFile:)``.
    package static func all(inFolder folder: URL, extensions: Set<String>) throws -> [Certificate] {
        var isFolder: ObjCBool = false
        guard folder.isFileURL, FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw FirewheelError(
                .certificateInvalid(.fileReadFailed), detail: "\(Redaction.url(folder.absoluteString)): it is not the URL of a folder")
        }
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        } catch {
            throw FirewheelError(.certificateInvalid(.fileReadFailed), detail: folder.path, underlyingError: error)
        }
        return try files.filter { extensions.contains($0.pathExtension.lowercased()) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .flatMap { try all(inFile: $0) }
    }

    private static func content(of file: URL) throws -> (Data, path: String) {
        let path = file.path
        guard file.isFileURL, !path.isEmpty, !path.utf8.contains(0) else {
            throw FirewheelError(
                .certificateInvalid(.fileReadFailed), detail: "\(Redaction.url(file.absoluteString)): it is not the URL of a file")
        }
        let content: Data?
        do {
            // Certificates in containers are often links.
            content = try OpenFile(URL(fileURLWithPath: path).resolvingSymlinksInPath().path).contents(limit: 1 << 24)
        } catch {
            throw FirewheelError(.certificateInvalid(.fileReadFailed), detail: path, underlyingError: error)
        }
        guard let content else {
            throw FirewheelError(.certificateInvalid(.fileReadFailed), detail: "\(path): it is larger than 16 MiB")
        }
        return (content, path)
    }

    private static func all(inPEM text: Data, of path: String?) throws -> [Certificate] {
        let place = path ?? "the text"
        var certificates: [Certificate] = []
        var others: [PEMBlock] = []
        for block in PEMBlock.all(in: text) {
            guard block.isCertificate else {
                others.append(block)
                continue
            }
            do throws(CertificateProblem) {
                guard let der = block.content else { throw .malformed }
                certificates.append(try Certificate(der: der, facts: CertificateFacts(der: der)))
            } catch {
                throw error.error(at: "the block that begins in line \(block.line) of \(place)")
            }
        }
        guard certificates.isEmpty else { return certificates }
        var what = "\(place) has no certificate in PEM"
        if let other = others.first { what += " (line \(other.line) begins a \(other.label.onOneLine))" }
        if PEMBlock.isDER(text) { what += " (for one in DER use Certificate(der:))" }
        throw FirewheelError(.certificateInvalid(.missing), detail: what)
    }
}
