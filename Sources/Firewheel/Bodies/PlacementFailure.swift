import Foundation

/// Why a file cannot be moved to its destination.
enum PlacementFailure: Error, CustomStringConvertible {
    case notAFile(URL)
    case isDirectory(String)
    case exists(String)
    case special(String)

    var description: String { sentence.onOneLine }

    private var sentence: String {
        switch self {
        case .notAFile(let url): "the destination \(Redaction.url(url.absoluteString)) is not the path of a file"
        case .isDirectory(let path): "the destination \(path) is a directory, which a download never replaces"
        case .exists(let path): "something is at the destination \(path) already, and removePreviousFile was not given"
        case .special(let path):
            "what is at the destination \(path) is neither a file nor a symbolic link, and a download replaces nothing else"
        }
    }
}
