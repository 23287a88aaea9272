/// The address of a Unix socket on Linux: a path, or an abstract name (unix(7)).
struct UnixSocket: Sendable, Hashable, CustomStringConvertible {
    /// Why there is no such socket, to be put behind the name of what describes it.
    struct Problem: Error {
        let words: String
    }

    /// The most bytes of a path or a name: `sun_path` has 108, one of which is NUL.
    static let mostBytes = 107

    /// As people write it: an abstract name has `@` in front.
    let text: String
    /// What the system has in `sun_path`.
    let bytes: [UInt8]

    /// - Parameter path: A path; or an abstract name behind `@`, as `ss` prints it, or behind NUL, as the system has it.
    init(_ path: String) throws(Problem) {
        let isAbstract = path.utf8.first == UInt8(ascii: "@") || path.utf8.first == 0
        let name = isAbstract ? String(path.unicodeScalars.dropFirst()) : path
        guard !name.isEmpty else { throw Problem(words: isAbstract ? "has no name behind its first character" : "is empty") }
        guard isAbstract || !name.utf8.contains(0) else { throw Problem(words: "has a NUL character") }
        guard name.utf8.count <= Self.mostBytes else {
            throw Problem(words: "has \(name.utf8.count) bytes, and the address of a Unix socket has at most \(Self.mostBytes)")
        }
        text = isAbstract ? "@" + name : name
        bytes = isAbstract ? [0] + name.utf8 : name.utf8 + [0]
    }

    var isAbstract: Bool { bytes.first == 0 }

    /// In messages.
    var description: String { "the Unix socket \(text.onOneLine.debugDescription)" }

    // By the bytes, since a text is equal to others that are other names for the system.
    static func == (one: UnixSocket, other: UnixSocket) -> Bool { one.bytes == other.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
