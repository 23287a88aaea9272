import FirewheelClassic

/// Which of the tests' queues code runs on. Not by its thread: the main queue has no thread of its own in a program that awaits.
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

/// What the code in these tests has printed, so that it can stand as its users wrote it.
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

    /// The next lines, as soon as they are printed. For one test at a time.
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

/// Stands in front of Swift's `print` in this module.
func print(_ items: Any...) {
    printed.add(items.map { "\($0)" }.joined(separator: " "))
}
