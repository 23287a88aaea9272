import FirewheelClassic

/// The test queue on which code runs. Threads cannot tell, because the main queue has no fixed thread in an async program.
enum Place {
    private static let key: DispatchSpecificKey<String> = {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        return key
    }()

    static var current: String { DispatchQueue.getSpecific(key: key) ?? "elsewhere" }

    static func queue(_ name: String) -> DispatchQueue {
        let queue = DispatchQueue(label: name)
        queue.setSpecific(key: key, value: name)
        return queue
    }
}

/// Collects what the code under test prints, so that it can stand as its users wrote it.
struct Printed: Sendable {
    struct Line: Sendable {
        let text: String
        let isOnMainQueue: Bool
    }

    private let stream: AsyncStream<Line>
    private let continuation: AsyncStream<Line>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func add(_ text: String) {
        continuation.yield(Line(text: text, isOnMainQueue: Place.current == "main"))
    }

    /// The next printed lines. For one test at a time.
    func lines(_ count: Int) async -> [Line] {
        var lines: [Line] = []
        for await line in stream {
            lines.append(line)
            if lines.count == count { break }
        }
        return lines
    }
}

let printed = Printed()

/// Replaces Swift's `print` in this module.
func print(_ items: Any...) {
    printed.add(items.map { "\($0)" }.joined(separator: " "))
}
