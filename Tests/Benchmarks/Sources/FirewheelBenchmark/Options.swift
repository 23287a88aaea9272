/// What the command line asks for.
struct Options {
    static let defaultURL = "http://127.0.0.1:18080/"

    static let usage = """
        usage: firewheel-benchmark [options]
          --url URL             what to GET (default \(defaultURL))
          --in-flight N,N,…     how many requests at a time (default 1,64)
          --requests N          requests a round (default 8000 at 1 in flight, 30000 above)
          --rounds N            rounds that count; one more is run first and discarded (default 5)
          --queue own|global    where the chain's handlers run: a concurrent queue of its own, or .global() (default own)
          --clients NAME,…      which of loop, chain and async to run (default all)
          --queued N,N,…        instead: submit N requests at once to one session, and time the whole
        """

    enum Mode {
        case inFlight([Int])
        case queued([Int])
    }

    enum HandlerQueue: String {
        case own
        case global
    }

    var url = Options.defaultURL
    var mode = Mode.inFlight([1, 64])
    var requests: Int?
    var rounds = 5
    var handlerQueue = HandlerQueue.own
    var clients = Client.Kind.allCases

    /// Reads `arguments` (without the program's name). Throws a ``Failure`` that says which of them cannot be understood.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Failure("\(name): unknown, or without a value\n\(Self.usage)") }
            switch name {
            case "--url": url = value
            case "--in-flight": mode = .inFlight(try Self.numbers(value, for: name))
            case "--queued": mode = .queued(try Self.numbers(value, for: name))
            case "--requests": requests = try Self.number(value, for: name)
            case "--rounds": rounds = try Self.number(value, for: name)
            case "--queue": handlerQueue = try Self.choice(value, for: name)
            case "--clients": clients = try value.split(separator: ",").map { try Self.choice(String($0), for: name) }
            default: throw Failure("\(name): unknown\n\(Self.usage)")
            }
        }
    }

    func requests(inFlight: Int) -> Int {
        requests ?? (inFlight == 1 ? 8_000 : 30_000)
    }

    private static func number(_ text: some StringProtocol, for name: String) throws -> Int {
        guard let number = Int(text), number > 0 else { throw Failure("\(name): '\(text)' is not a positive number\n\(usage)") }
        return number
    }

    private static func numbers(_ text: String, for name: String) throws -> [Int] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { try number($0, for: name) }
    }

    private static func choice<Choice: RawRepresentable<String>>(_ text: String, for name: String) throws -> Choice {
        guard let choice = Choice(rawValue: text) else { throw Failure("\(name): there is no '\(text)'\n\(usage)") }
        return choice
    }
}

/// Why a run ends early, in words for the person who started it.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
