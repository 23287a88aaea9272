import Foundation

/// Runs the cases in order and prints the results.
@main
enum CurlCases {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let checkout = arguments.first else {
            print("usage: CurlCases <checkout of curl> [test number…]")
            exit(2)
        }
        let folder = URL(fileURLWithPath: checkout).appendingPathComponent("tests")
        let wanted = Set(arguments.dropFirst().compactMap { Int($0) })
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("data").path)
        let numbers = names.compactMap { $0.hasPrefix("test") ? Int($0.dropFirst(4)) : nil }.sorted()
        let process = ProcessInfo.processInfo.processIdentifier
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("curl-cases-\(process)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        let server = try ReplyServer()
        var report = Report()
        for number in numbers where wanted.isEmpty || wanted.contains(number) {
            let test = try TestFile(number: number, folder: folder, host: "127.0.0.1", port: server.port)
            report.seen += 1
            if let reason = test.reasonToSkip(port: server.port) {
                report.skipped[reason, default: 0] += 1
                continue
            }
            let url = "http://127.0.0.1:\(server.port)/\(number)"
            server.play(test)
            let curl = try byCurl(url, scratch: scratch)
            server.play(test)
            let chain = await byChain(url)
            report.add(test, chain: chain, curl: curl)
        }
        report.print()
        if !report.unexplained.isEmpty { exit(1) }
    }
}

extension TestFile {
    /// Why the case does not apply to a plain GET; nil if it does.
    fileprivate func reasonToSkip(port: Int) -> String? {
        guard servers == ["http"] else {
            return servers.contains { $0.hasPrefix("http") }
                ? "over TLS, HTTP/2, IPv6, a Unix socket, a proxy, or by two servers" : "not by HTTP"
        }
        if hasConnect { return "through a proxy" }
        let words = Set(command.split(separator: " ").map(String.init))
        if !words.isDisjoint(with: ["-x", "--proxy", "--preproxy", "--socks5", "--socks4"]) { return "through a proxy" }
        guard replies[0] != nil else { return "no reply to a request without credentials" }
        let isEndless = serverCommands.contains { $0.hasPrefix("idle") || $0.hasPrefix("stream") }
        if isEndless { return "the server sends nothing, or without end" }
        return replies.values.contains { $0.leadsElsewhere(port: port) } ? "redirects to another server" : nil
    }
}

extension [UInt8] {
    /// Whether a Location leads to another host, which must not be asked.
    fileprivate func leadsElsewhere(port: Int) -> Bool {
        lines.contains { line in
            let text = String(decoding: line, as: UTF8.self).lowercased()
            guard text.hasPrefix("location:") else { return false }
            let value = text.dropFirst("location:".count).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let slashes = value.range(of: "//") else { return false }
            let isRelative = value[..<slashes.lowerBound].contains { "/?#".contains($0) }
            let isOther = value.hasPrefix("http") || slashes.lowerBound == value.startIndex
            return !isRelative && isOther && !value[slashes.upperBound...].hasPrefix("127.0.0.1:\(port)")
        }
    }
}
