/// The parsed command line.
struct Options {
    static let usage = """
        usage: firewheel-benchmark [--json | --large | --lines | --slow-reader | --upload | --queued N,N,… | --check | --connections N] [options]
          --json                decode 10 kB of JSON, instead of requesting 27 bytes
          --large               1 GiB to memory, dropped and to a file
          --lines               1,000,000 lines of 100 bytes, each a string
          --slow-reader         read 1 MB/s of 1 GiB for 10 s, and fail if memory or what the server has sent is above its limit
          --upload              send a file of 1 GiB, and the same as a stream of unknown length
          --queued N,N,…        submit N requests at once to one session, and time the whole
          --check               count allocations and instructions a request, and fail if they are above their limits
          --check-json          count the instructions of 10 kB of JSON, and how many of them are not JSONDecoder's
          --connections N       have N requests in flight on as many connections, and fail if one takes more memory than it may
          --allocations         with --check: leave the instructions out
          --sites               with --check: print where allocations come from, instead of counting them
          --over http|https|h2  without TLS, HTTP/1.1 over TLS, or HTTP/2 over TLS (default http); only with nginx as the server
          --fresh resumed|full  with --over https: a new connection for each request, which resumes a TLS session or makes a full handshake
          --url URL             what to GET (default /, /objects.json or /big of \(Target.server), or of the server's port for --over)
          --in-flight N,N,…     how many requests at a time (default 1,16,64,256; with --json or a check 1,64)
          --requests N          requests a round (default 8000 at 1 in flight, 30000 above; with --json a quarter; with --fresh 2000; with --check 1280, with --check-json 128)
          --rounds N            rounds that count; one more is run first and discarded (default 5; with --check 1 and none)
          --queue own|global    where the chain's handlers run: a concurrent queue of its own, or .global() (default own)
          --clients NAME,…      only these of \(Client.allCases.map(\.rawValue).joined(separator: ", "))
        """

    enum Mode {
        case get
        case json
        case large
        case lines
        case slowReader
        case upload
        case queued([Int])
        case check
        case checkJSON
        case connections(Int)
    }

    var mode = Mode.get
    /// The rounds that count: 5, or 1 for a check.
    var rounds: Int { givenRounds ?? (isCheck ? 1 : 5) }
    /// Whether a check counts instructions too.
    var countsInstructions = true
    /// Whether a check prints allocation sites.
    var wantsSites = false
    var handlerQueue = Work.HandlerQueue.own
    private(set) var wire = Wire.http
    private(set) var fresh: Fresh?
    private var url: String?
    private var givenRounds: Int?
    private var requests: Int?
    private(set) var inFlight: [Int]?
    private(set) var clients: [Client]?

    /// Parses `arguments` (without the program's name). Throws a ``Failure`` that names the one that is invalid.
    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--json":
                mode = .json
                continue
            case "--large":
                mode = .large
                continue
            case "--lines":
                mode = .lines
                continue
            case "--slow-reader":
                mode = .slowReader
                continue
            case "--upload":
                mode = .upload
                continue
            case "--check":
                mode = .check
                continue
            case "--check-json":
                mode = .checkJSON
                continue
            case "--allocations":
                countsInstructions = false
                continue
            case "--sites":
                wantsSites = true
                continue
            default: break
            }
            guard let value = rest.popFirst() else { throw Failure("\(name): unknown, or without a value\n\(Self.usage)") }
            switch name {
            case "--over": wire = try Self.choice(value, for: name)
            case "--fresh": fresh = try Self.choice(value, for: name)
            case "--url": url = value
            case "--in-flight": inFlight = try Self.numbers(value, for: name)
            case "--queued": mode = .queued(try Self.numbers(value, for: name))
            case "--requests": requests = try Self.number(value, for: name)
            case "--connections": mode = .connections(try Self.number(value, for: name))
            case "--rounds": givenRounds = try Self.number(value, for: name)
            case "--queue": handlerQueue = try Self.choice(value, for: name)
            case "--clients": clients = try value.split(separator: ",").map { try Self.choice(String($0), for: name) }
            default: throw Failure("\(name): unknown\n\(Self.usage)")
            }
        }
        try checkWire()
    }

    /// Throws a ``Failure`` if what is to be measured cannot go over the chosen wire.
    private func checkWire() throws {
        switch mode {
        case .connections:
            guard wire == .http else { throw Failure("--over \(wire.rawValue): not with --connections, whose server has no TLS") }
        case .lines, .slowReader, .upload:
            guard wire == .http, url == nil else { throw Failure("--over, --url: not with a mode that has a server of its own") }
            fallthrough
        case .large, .queued, .check, .checkJSON:
            guard fresh == nil else { throw Failure("--fresh: only with requests of 27 bytes or --json") }
        case .get, .json: break
        }
        guard fresh == nil || wire == .https else { throw Failure("--fresh: only with --over https") }
    }

    /// Whether the server is that of the tests, whose certificate no system trusts.
    var usesTestAuthority: Bool { wire != .http && url == nil }

    /// Whether a request has a body of 1 GiB.
    var isLarge: Bool {
        switch mode {
        case .large, .upload: true
        default: false
        }
    }

    /// Whether what a request takes of the processor is shown.
    var showsProcessorTime: Bool {
        switch mode {
        case .get, .lines: true
        default: false
        }
    }

    var isCheck: Bool { if case .check = mode { true } else { false } }

    /// The number of requests n of a check, which is run with n and 2n.
    var requestsToCount: Int {
        if let requests { return requests }
        return if case .checkJSON = mode { 128 } else { 1_280 }
    }

    var target: Target {
        if let url { return Target(url: url, expectedLength: nil) }
        let server = wire.server(fresh: fresh)
        return switch mode {
        case .get, .queued, .check, .connections: Target(url: "\(server)/", expectedLength: 27)
        case .json, .checkJSON: Target(url: "\(server)/objects.json", expectedLength: 10_000)
        case .large, .lines, .slowReader, .upload: Target(url: "\(server)/big", expectedLength: 1 << 30)
        }
    }

    /// The measurements, one column of the table each.
    var columns: [Column] {
        switch mode {
        case .get, .json, .check, .checkJSON, .connections, .slowReader:
            let isJSON = if case .json = mode { true } else { false }
            return (inFlight ?? (isJSON ? [1, 64] : [1, 16, 64, 256])).map { count in
                Column(
                    title: "\(count) in flight", task: isJSON ? .json : .get, yardstick: .loop, inFlight: count,
                    requests: requests ?? (fresh != nil ? 2_000 : (count == 1 ? 8_000 : 30_000) / (isJSON ? 4 : 1)))
            }
        case .queued(let lengths):
            // The session's own limit, so that the C loop opens as many connections.
            return lengths.map {
                Column(title: "\(figure(Double($0))) at once", task: .queued, yardstick: .loop, inFlight: 64, requests: $0)
            }
        case .large:
            return [("to memory", Work.Task.memory, Client.loop), ("dropped", .drop, .loop), ("to a file", .file, .curl)].map {
                Column(title: $0, task: $1, yardstick: $2, inFlight: 1, requests: 1)
            }
        case .lines:
            #if Peers
                let yardstick = Client.ahc
            #else
                let yardstick = Client.streamHandler
            #endif
            return [Column(title: "lines", task: .lines, yardstick: yardstick, inFlight: 1, requests: 1)]
        case .upload:
            return [("a file", Work.Task.sendFile), ("a stream", .sendStream)].map {
                Column(title: $0, task: $1, yardstick: .curlUpload, inFlight: 1, requests: 1)
            }
        }
    }

    /// The clients that support one of `tasks` and were not excluded, and a description of those that are not installed.
    func clients(for tasks: [Work.Task]) -> (clients: [Client], missing: [String]) {
        let wanted = Client.allCases.filter {
            (clients?.contains($0) ?? true) && !$0.tasks.isDisjoint(with: tasks) && $0.speaks(wire, fresh: fresh != nil)
        }
        let missing = wanted.filter { $0.tool.map { findTool($0) == nil } ?? false }
        return (wanted.filter { !missing.contains($0) }, missing.map { "\($0.name) is left out: it is not installed" })
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
