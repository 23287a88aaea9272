import Foundation

/// Shows the progress of several transfers in one line of a terminal. Where the output is no terminal, it prints a line for every tenth of
/// the whole, so that a log stays readable.
public final class ProgressBar: Sendable {
    private struct State: Sendable {
        var text = ""
        var tenths = -1
    }

    private let isTerminal: Bool
    private let lock = NSLock()
    // Used only while holding `lock`.
    private nonisolated(unsafe) var state = State()

    /// - Parameter isTerminal: Whether the output is a terminal. Default: what standard output is.
    public init(isTerminal: Bool = isatty(STDOUT_FILENO) == 1) {
        self.isTerminal = isTerminal
    }

    /// Shows how much is done.
    public func show(_ progress: Progress) {
        lock.withLock {
            if isTerminal { redraw(progress) } else { log(progress) }
        }
    }

    /// Ends the line.
    public func finish() {
        lock.withLock {
            if isTerminal, !state.text.isEmpty { print() }
            state = State()
        }
    }

    private func redraw(_ progress: Progress) {
        let text = Self.line(progress)
        guard text != state.text else { return }
        // What was longer before is overwritten.
        let padding = String(repeating: " ", count: max(0, state.text.count - text.count))
        state.text = text
        print("\r\(text)\(padding)", terminator: "")
        fflush(nil)
    }

    private func log(_ progress: Progress) {
        let tenths = Int(progress.fractionCompleted * 10)
        guard tenths != state.tenths else { return }
        state.tenths = tenths
        print("\(tenths * 10) %")
    }

    static func line(_ progress: Progress) -> String {
        let width = 40
        let filled = min(width, max(0, Int(progress.fractionCompleted * Double(width))))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "[\(bar)] \(Int(progress.fractionCompleted * 100)) %"
    }
}
