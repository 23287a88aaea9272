import Firewheel

/// The client that makes the requests.
enum Client: String, Codable, CaseIterable {
    case loop
    case loopFields = "loop-fields"
    case curl
    case curlUpload = "curl-upload"
    case decoder
    case chain
    case chainSequence = "chain-sequence"
    case async
    case chainCached = "chain-cached"
    case asyncCached = "async-cached"
    case chainDisk = "chain-disk"
    case asyncDisk = "async-disk"
    case alamofireChain = "alamofire-chain"
    case alamofireAsync = "alamofire-async"
    case stream
    case streamHandler = "stream-handler"
    case transport
    case chainURLSession = "chain-urlsession"
    case urlsession
    #if Peers
        case ahc
    #endif
    case wrk

    /// The name in the tables.
    var name: String {
        switch self {
        case .loop: "C loop"
        case .loopFields: "C loop, same fields"
        case .curl: "`curl -o`"
        case .curlUpload: "`curl -T`"
        case .decoder: "JSONDecoder alone"
        case .chain: "Firewheel chain"
        case .chainSequence: "Firewheel chain, async sequence"
        case .async: "Firewheel async"
        case .chainCached: "Firewheel chain, from the cache"
        case .asyncCached: "Firewheel async, from the cache"
        case .chainDisk: "Firewheel chain, from a cache on disk"
        case .asyncDisk: "Firewheel async, from a cache on disk"
        case .alamofireChain: "FirewheelAlamofire chain"
        case .alamofireAsync: "FirewheelAlamofire async"
        case .stream: "Firewheel stream"
        case .streamHandler: "Firewheel stream, handler"
        case .transport: "Firewheel's transport alone"
        case .chainURLSession: "Firewheel chain on URLSession"
        case .urlsession: "URLSession"
        #if Peers
            case .ahc: "AsyncHTTPClient"
        #endif
        case .wrk: "wrk"
        }
    }

    var tasks: Set<Work.Task> {
        switch self {
        case .loop: [.get, .json, .queued, .held, .memory, .drop]
        case .loopFields: [.get]
        case .curl: [.file]
        case .curlUpload: [.sendFile, .sendStream]
        case .decoder: [.json]
        case .chain: [.get, .json, .queued, .held, .memory, .file, .sendFile, .sendStream]
        case .chainSequence: [.sendStream]
        case .async: [.get, .json, .held]
        case .alamofireChain, .alamofireAsync, .chainCached, .asyncCached, .chainDisk, .asyncDisk: [.get]
        case .stream, .streamHandler: [.drop, .lines, .slow]
        case .transport: [.drop]
        case .chainURLSession: [.get, .json, .memory, .file]
        case .urlsession: [.get, .json, .memory, .drop, .file]
        #if Peers
            case .ahc: [.get, .json, .memory, .drop, .lines, .file, .sendStream]
        #endif
        case .wrk: [.get]
        }
    }

    /// Whether it can be measured over `wire`, with a new connection for each request if `fresh`.
    func speaks(_ wire: Wire, fresh: Bool) -> Bool {
        switch self {
        // Foundation reads its authorities elsewhere.
        case .chainURLSession, .urlsession: wire == .http
        case .wrk: wire != .h2 && !fresh
        default: true
        }
    }

    /// The program that has to be installed.
    var tool: String? {
        switch self {
        case .curl, .curlUpload: "curl"
        case .wrk: "wrk"
        default: nil
        }
    }

    /// Whether the other clients go on when this one fails, because FoundationNetworking sometimes crashes or hangs.
    var mayFail: Bool { self == .urlsession || self == .chainURLSession }

    /// Does the work and returns its seconds. Every response is checked, and the first wrong one is thrown.
    func run(_ work: Work) async throws -> Double {
        switch self {
        case .loop: try CurlLoopClient.run(work, fields: [])
        case .loopFields: try CurlLoopClient.run(work, fields: .default)
        case .curl: try CurlTool.run(work)
        case .curlUpload: try CurlTool.upload(work)
        case .decoder: try await DecoderAlone.run(work)
        case .chain: try await FirewheelClient(work, transport: nil).runChains()
        case .chainSequence: try await FirewheelClient(work, transport: nil).runUploads(ofSequence: true)
        case .async: try await FirewheelClient(work, transport: nil).runTasks()
        case .chainCached: try await FirewheelClient.cached(work).runChains()
        case .asyncCached: try await FirewheelClient.cached(work).runTasks()
        case .chainDisk: try await FirewheelClient.cachedOnDisk(work) { try await $0.runChains() }
        case .asyncDisk: try await FirewheelClient.cachedOnDisk(work) { try await $0.runTasks() }
        case .alamofireChain: try await AlamofireClient(work).runChains()
        case .alamofireAsync: try await AlamofireClient(work).runTasks()
        case .stream: try await StreamClient(work).iterate()
        case .streamHandler: try await StreamClient(work).handle()
        case .transport: try await TransportClient.run(work, on: SocketTransport())
        case .chainURLSession: try await FirewheelClient.onURLSession(work).runChains()
        case .urlsession: try await URLSessionClient(work).run()
        #if Peers
            case .ahc: try await AsyncHTTPClientPeer(work).run()
        #endif
        case .wrk: try WrkTool.run(work)
        }
    }
}
