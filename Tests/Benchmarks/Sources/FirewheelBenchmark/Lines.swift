/// The body of `--lines`.
enum Lines {
    static let count = 1_000_000
    /// The bytes of a line with its LF.
    static let length = 100
}
