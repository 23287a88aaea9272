import Firewheel

/// A stream and the events in it.
struct EventStreamCase: Sendable, CustomStringConvertible {
    let name: String
    let stream: [UInt8]
    let events: [ServerSentEvent]
    /// The last event ID in force at the end, which a reconnection would send.
    var lastEventID: String?
    /// The reconnection time at the end.
    var retry: Duration?

    init(_ name: String, _ stream: String, _ events: [ServerSentEvent], lastEventID: String? = nil, retry: Duration? = nil) {
        (self.name, self.stream, self.events, self.lastEventID, self.retry) = (name, Array(stream.utf8), events, lastEventID, retry)
    }

    /// Events that have only data.
    init(_ name: String, _ stream: String, data: String...) {
        self.init(name, stream, data.map { ServerSentEvent(data: $0) })
    }

    var description: String { name }
}

private typealias Event = ServerSentEvent

extension EventStreamCase {
    /// The data cases of web-platform-tests' `eventsource`, under its names. Its server appends the blank line of most of them.
    static let webPlatformTests: [EventStreamCase] = [
        .init("format-bom", "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n", data: "1", "3"),
        .init("format-bom-2", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n", data: "2", "3"),
        .init(
            "format-comments", "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:fail\r:\(long)\ndata:4\n\n", data: "1\n2\n3\n4"),
        .init(
            "format-data-before-final-empty-line", "retry:1000\ndata:test1\n\nid:test\ndata:test2",
            [Event(data: "test1", retry: .seconds(1))], retry: .seconds(1)),
        .init("format-field-data", "data:\n\ndata\ndata\n\ndata:test\n\n", data: "", "\n", "test"),
        .init(
            "event-data", "data:msg\ndata:msg\n\n:\nfalsefield:msg\n\nfalsefield:msg\n\ndata:\n\ndata:end\n\n", data: "msg\nmsg", "", "end"),
        .init(
            "format-field-parsing",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
            data: "\0\n 2\n1\n3\n\n4"),
        .init("format-leading-space", "data:\ttest\rdata: \ndata:test\n\n", data: "\ttest\n\ntest"),
        .init("format-newlines", "data:test\r\ndata\ndata:test\r\n\r", data: "test\n\ntest"),
        .init("format-null-character", "data:\0\n\n", data: "\0"),
        .init(
            "format-field-id", "id:…\nretry:200\ndata:hello\n\n", [Event(id: "…", data: "hello", retry: .milliseconds(200))],
            lastEventID: "…",
            retry: .milliseconds(200)),
        .init(
            "format-field-id-3, persists", "id: 1\ndata: 1\n\ndata:2\n\n", [Event(id: "1", data: "1"), Event(id: "1", data: "2")],
            lastEventID: "1"),
        .init(
            "format-field-id-3, changes", "id: 1\ndata: 1\n\nid: 2\ndata:2\n\ndata:3\n\n",
            [Event(id: "1", data: "1"), Event(id: "2", data: "2"), Event(id: "2", data: "3")], lastEventID: "2"),
        .init(
            "format-field-id-3, resets", "id: 1\ndata: 1\n\nid:\ndata:2\n\ndata:3\n\n",
            [Event(id: "1", data: "1"), Event(data: "2"), Event(data: "3")]),
        .init("format-field-id-null", "id:\0\0\ndata:hello\n\n", data: "hello"),
        // Read as decimal in spite of the leading zero.
        .init("format-field-retry", "retry:03000\ndata:x\n\n", [Event(data: "x", retry: .seconds(3))], retry: .seconds(3)),
        .init(
            "format-field-retry-bogus", "retry:2000\nretry:1000x\ndata:x\n\n", [Event(data: "x", retry: .seconds(2))], retry: .seconds(2)),
        .init("format-field-retry-empty", "retry\ndata:test\n\n", data: "test"),
        .init("format-field-event", "event:test\ndata:x\n\ndata:x\n\n", [Event(event: "test", data: "x"), Event(data: "x")]),
        .init("format-field-event-empty", "event: \ndata:data\n\n", data: "data"),
        .init(
            "format-field-unknown", "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n",
            data: "test\n\ntest"),
        .init("format-utf-8", "data:ok…\n\n", data: "ok…"),
    ]

    private static let long = String(repeating: "x", count: 2048)

    /// The parsing cases of LaunchDarkly's sse-contract-tests. Its two large messages are in tests of their own.
    static let basicParsing: [EventStreamCase] = [
        .init("one-line message", "data: Hello\n\n", data: "Hello"),
        .init("two messages with a shared chunk", "data: testtest\n\ndata:test\n\n", data: "testtest", "test"),
        .init("two one-line messages", "data: Hello\n\ndata: World\n\n", data: "Hello", "World"),
        .init("one two-line message", "data: Hello\ndata:World\n\n", data: "Hello\nWorld"),
        .init("empty data", "data:\n\n", data: ""),
        .init("specific type", "event: greeting\ndata: Hello\n\n", [Event(event: "greeting", data: "Hello")]),
        .init("ID", "id: abc\ndata: Hello\n\n", [Event(id: "abc", data: "Hello")], lastEventID: "abc"),
        .init(
            "type and ID", "event: greeting\nid: abc\ndata: Hello\n\n", [Event(id: "abc", event: "greeting", data: "Hello")],
            lastEventID: "abc"),
        .init("ID with a null", "id: a\0bc\ndata: Hello\n\n", data: "Hello"),
        .init(
            "last ID persists", "id: abc\ndata: first\n\ndata: second\n\n",
            [Event(id: "abc", data: "first"), Event(id: "abc", data: "second")],
            lastEventID: "abc"),
        .init(
            "last ID overridden by an empty one", "id: abc\ndata: first\n\nid: \ndata: second\n\n",
            [Event(id: "abc", data: "first"), Event(data: "second")]),
        .init(
            "reverse order", "data: Hello\nid: abc\nevent: greeting\n\n", [Event(id: "abc", event: "greeting", data: "Hello")],
            lastEventID: "abc"),
        .init("unknown field", "event: greeting\ncolor: blue\ndata: Hello\n\n", [Event(event: "greeting", data: "Hello")]),
        .init("no leading space", "event:greeting\ndata:Hello\n\n", [Event(event: "greeting", data: "Hello")]),
        .init("extra leading space", "event:  greeting\ndata:  Hello\n\n", [Event(event: " greeting", data: " Hello")]),
        .init("field without a colon", "data\n\ndata\ndata\n\n", data: "", "\n"),
        .init("multi-byte characters", "data: €豆腐\n\n", data: "€豆腐"),
        .init("many messages", (0..<100).map { "data: message \($0)\n\n" }.joined(), (0..<100).map { Event(data: "message \($0)") }),
    ]

    /// The cases of the same suite about byte order marks.
    static let byteOrderMarks: [EventStreamCase] = [
        .init("at the start", "\u{FEFF}data: Hello\n\n", data: "Hello"),
        .init(
            "before type and ID", "\u{FEFF}event: greeting\nid: abc\ndata: Hello\n\n", [Event(id: "abc", event: "greeting", data: "Hello")],
            lastEventID: "abc"),
        .init("multiple messages", "\u{FEFF}data: First\n\ndata: Second\n\n", data: "First", "Second"),
        .init("in later data", "data: First\n\ndata: \u{FEFF}Second\n\n", data: "First", "\u{FEFF}Second"),
        .init("only the first", "\u{FEFF}data: \u{FEFF}Hello\n\n", data: "\u{FEFF}Hello"),
        .init("none", "data: Hello\n\n", data: "Hello"),
        .init("multi-line data", "\u{FEFF}data: Line1\ndata: Line2\n\n", data: "Line1\nLine2"),
        .init("comment at the start", "\u{FEFF}:comment\ndata: Hello\n\n", data: "Hello"),
        .init("empty data field", "\u{FEFF}data:\n\n", data: ""),
    ]

    /// The cases of the same suite about comments, which are not reported.
    static let comments: [EventStreamCase] = [
        .init("single comment", ":Hello\n"), .init("two comments", ":Hello\n:World\n"),
        .init("before event", ":Hello\ndata: Hello\n\n", data: "Hello"), .init("after event", "data: Hello\n\n:Hello\n", data: "Hello"),
    ]

    /// The cases of the same suite about ends of lines: each with LF, CRLF and CR.
    static let lineFeeds: [EventStreamCase] = ["\n", "\r\n", "\r"].flatMap { end in
        [
            ("one line", "data: event 1||", ["event 1"]),
            (
                "one line, then two", "data: event 1||data: event 2 line 1|data: event 2 line 2||",
                ["event 1", "event 2 line 1\nevent 2 line 2"]
            ),
            ("empty line at the beginning", "data:|data: line2|data: line3||", ["\nline2\nline3"]),
            ("empty line in the middle", "data: line1|data:|data: line3||", ["line1\n\nline3"]),
            ("1 extra empty line", "data: event 1|||data: event 2||", ["event 1", "event 2"]),
            ("2 extra empty lines", "data: event 1||||data: event 2||", ["event 1", "event 2"]),
        ].map { name, stream, data in
            EventStreamCase(
                "\(name), \(end.debugDescription)", String(stream.map { $0 == "|" ? end : "\($0)" }.joined()), data.map { Event(data: $0) })
        }
    }
}
