/// The address of a Unix socket on Linux: a path, or an abstract name (unix(7)).
struct UnixSocket: Sendable, Hashable {
    /// Why there is no such socket, to be put behind the name of what describes it.
    struct Problem: Error {
        let words: String
    }

    /// The most bytes of a path or a name: `sun_path` has 108, one of which is NUL.
    static let mostBytes = 107

    /// As people write it: an abstract name has `@` in front.
    let text: String

    /// - Parameter path: A path; or an abstract name behind `@`, as `ss` prints it, or behind NUL, as the system has it.
    init(_ path: String) throws(Problem) {
        let isAbstract = path.utf8.first == UInt8(ascii: "@") || path.utf8.first == 0
        let name = isAbstract ? String(path.unicodeScalars.dropFirst()) : path
        guard !name.isEmpty else { throw Problem(words: isAbstract ? "has no name behind the \"@\"" : "is empty") }
        guard isAbstract || !name.utf8.contains(0) else { throw Problem(words: "has a NUL character") }
        guard name.utf8.count <= Self.mostBytes else {
            throw Problem(words: "has \(name.utf8.count) bytes, and the address of a Unix socket has at most \(Self.mostBytes)")
        }
        text = isAbstract ? "@" + name : name
    }

    var isAbstract: Bool { text.utf8.first == UInt8(ascii: "@") }

    /// What the system has in `sun_path`.
    var bytes: [UInt8] { isAbstract ? [0] + text.utf8.dropFirst() : Array(text.utf8) + [0] }
}
