import Foundation

/// What is needed to go on with a download that was interrupted, also in another process. `resumeData` of a request is this, encoded.
///
/// The format, version 1, is a JSON object with these members:
///
/// | member | |
/// | --- | --- |
/// | `firewheelResumeData` | the version |
/// | `url` | the URL of the first hop, without user information. It may contain a signature: so the data is a secret |
/// | `method` | `GET` |
/// | `etag` | a strong entity tag, as sent; or |
/// | `lastModified`, `date` | `Last-Modified` and `Date` as sent, if they are a strong validator together |
/// | `source` | beside `lastModified`: the SHA-256 of the URL that the bytes came from, after redirects. Without it nothing is appended |
/// | `total` | the file's size in bytes, if known |
/// | `count` | how many of its bytes, from the first, are in the partial file |
/// | `partial` | the partial file's id: see ``PartialFolder`` |
/// | `contentEncoding` | the file's content codings, if they were not undone |
/// | `boot` | the id of the system's start, if the bytes may not be on the disk yet: see below |
/// | `checksum` | CRC-32 of the data without this member, against damage: it is no protection against anybody who changes it |
///
/// With `boot`, as while the download runs, the bytes may be missing after another start of the system, and the download begins at its
/// first byte.
///
/// It contains no path, no header fields and no credentials. Data of a newer version is refused. Other members are ignored.
struct ResumeData: Equatable, Sendable {
    static let version = 1
    /// The most bytes of encoded data.
    static let maximumSize = 1 << 16

    var url: TargetURI
    var validator: ResumeValidator?
    /// The hash of the URL that the bytes came from, if the validator is a modification date: see ``hash(of:)``.
    var source: String?
    var total: Int64?
    var count: Int64
    let partial: String
    /// The id of the system's start during which the bytes were written; nil if they are on the disk.
    var boot: String?
    /// The content codings that the bytes have; nil for none.
    let contentEncoding: String?

    private struct Coded: Codable {
        var firewheelResumeData: Int
        var url: String
        var method: String
        var etag: String?
        var lastModified: String?
        var date: String?
        var source: String?
        var total: Int64?
        var count: Int64
        var partial: String
        var boot: String?
        var contentEncoding: String?
        var checksum: UInt32?

        /// The encoded members without the checksum, in a fixed order.
        func summed() throws -> UInt32 {
            var (members, sum) = (self, CRC32())
            members.checksum = nil
            try ResumeData.encode(members).withUnsafeBytes { sum.add($0) }
            return sum.value
        }
    }

    private struct Version: Decodable {
        let firewheelResumeData: Int
    }

    init(
        url: TargetURI, validator: ResumeValidator?, source: String? = nil, total: Int64?, count: Int64, partial: String,
        boot: String? = nil, contentEncoding: String? = nil
    ) {
        self.url = url
        self.validator = validator
        self.source = source
        self.total = total
        self.count = count
        self.partial = partial
        self.boot = boot
        self.contentEncoding = contentEncoding
    }

    /// Whether a crash of the system may have lost bytes that it counts.
    var isFromOtherBoot: Bool { boot.map { $0 != BootID.current } ?? false }

    /// The file now has more bytes, which are not on the disk yet.
    mutating func add(upTo end: Int64) {
        guard end > count else { return }
        (count, boot) = (end, BootID.current)
    }

    /// The file's bytes are on the disk now. Those that a crash of the system may have lost are lost all the same.
    mutating func didSynchronize(count: Int64) {
        self.count = count
        if !isFromOtherBoot { boot = nil }
    }

    /// Decodes data from anywhere.
    ///
    /// - Throws: ``FirewheelError`` with `resumeDataInvalid`.
    init(_ data: Data) throws {
        guard data.count <= Self.maximumSize else { throw Self.invalid("it is larger than \(Self.maximumSize) bytes") }
        let decoder = JSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: data).firewheelResumeData else {
            throw Self.invalid("it is not a download's resume data of this library")
        }
        guard version == Self.version else { throw Self.invalid("its version is \(version), and this release reads \(Self.version)") }
        guard let coded = try? decoder.decode(Coded.self, from: data) else { throw Self.invalid("a member is missing or has another type") }
        guard let url = TargetURI(coded.url), url.userInfo == nil else { throw Self.invalid("its URL is not valid") }
        guard let sum = coded.checksum, sum == (try? coded.summed()) else { throw Self.invalid("it was changed, or is damaged") }
        guard coded.method == "GET" else { throw Self.invalid("only a GET can be resumed") }
        guard RandomName.isValid(coded.partial) else { throw Self.invalid("its partial file is not valid") }
        guard coded.count >= 0, coded.total.map({ $0 >= coded.count }) ?? true else { throw Self.invalid("its count is not valid") }
        self.init(
            url: url, validator: try Self.validator(of: coded), source: coded.source, total: coded.total, count: coded.count,
            partial: coded.partial, boot: coded.boot, contentEncoding: coded.contentEncoding)
    }

    private static func validator(of coded: Coded) throws -> ResumeValidator? {
        switch (coded.etag, coded.lastModified, coded.date) {
        case (nil, nil, nil): return nil
        case (let tag?, nil, nil):
            if let validator = ResumeValidator(entityTag: tag) { return validator }
        case (nil, let modified?, let date?):
            if let validator = ResumeValidator(lastModified: modified, date: date) { return validator }
        default: break
        }
        throw invalid("its validator is not valid")
    }

    private static func invalid(_ reason: String) -> FirewheelError { FirewheelError(.resumeDataInvalid, detail: reason) }

    /// The data to save; nil if it would be too large, which only a URL can be.
    func encoded() -> Data? {
        var coded = Coded(
            firewheelResumeData: Self.version, url: url.string, method: "GET", source: source, total: total, count: count,
            partial: partial, boot: boot, contentEncoding: contentEncoding)
        switch validator {
        case .entityTag(let tag)?: coded.etag = tag
        case .lastModified(let modified, let date)?: (coded.lastModified, coded.date) = (modified, date)
        case nil: break
        }
        coded.checksum = try? coded.summed()
        return (try? Self.encode(coded)).flatMap { $0.count <= Self.maximumSize ? $0 : nil }
    }

    private static func encode(_ coded: Coded) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(coded)
    }
}

extension ResumeData: CustomStringConvertible, CustomReflectable {
    /// Without the URL's secrets and the partial file's id.
    var description: String { "ResumeData(\(url), \(count) of \(total.map { "\($0)" } ?? "unknown") bytes)" }

    var customMirror: Mirror { Mirror(self, children: [:]) }
}
