import Foundation

extension HTTPURLResponse {
    /// A filename for the download that is safe to append to a folder: the name that `Content-Disposition` suggests (RFC 6266), otherwise
    /// the last component of the URL's path, otherwise `download`.
    ///
    /// The server controls both, and may say `..`, nothing, or a hidden file. This is a single path component, never empty, `.` or `..`:
    /// what follows the last slash or backslash, without control characters, characters that change the direction of text, and leading or
    /// trailing dots and spaces. Characters and names that Windows does not allow, such as `?` and `CON`, get an underscore. It has at most
    /// 255 bytes and keeps its extension. The file may already exist, and its content is not checked. `DownloadRequest.destination(in:)`
    /// uses it.
    public var safeFilename: String {
        let suggested = headers.singleton("Content-Disposition").map { ContentDisposition($0).names } ?? []
        return (suggested + [nameInURL].compactMap(\.self)).lazy.compactMap(SafeFilename.make).first ?? "download"
    }

    /// The last component of the URL's path, percent-decoded.
    private var nameInURL: String? {
        guard let last = url?.path(percentEncoded: true).utf8.split(separator: UInt8(ascii: "/")).last else { return nil }
        return FieldOctets.text(Percent.decodingOctets(last) ?? Array(last))
    }
}
