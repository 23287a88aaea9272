/// Whose code a step runs, which decides on which thread it may run.
enum CodeOwner: Sendable {
    /// The library's code, which neither blocks nor is slow: it may run on any thread, including a transport's.
    case library
    /// The caller's code, which may block or be slow: it runs on a thread that may block.
    case caller

    /// The owner of steps that run together.
    static func of(_ owners: some Sequence<CodeOwner>) -> CodeOwner { owners.contains(.caller) ? .caller : .library }
}
