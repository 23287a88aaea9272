/// Whose code a step runs, which decides where it may run.
enum CodeOwner: Sendable {
    /// The library's own, which neither blocks nor takes long: it runs wherever its turn comes, on a transport's thread too.
    case library
    /// The caller's, which may do either: it runs on a thread that nobody else waits for.
    case caller

    /// The owner of steps that run as one.
    static func of(_ owners: some Sequence<CodeOwner>) -> CodeOwner { owners.contains(.caller) ? .caller : .library }
}
