import Foundation

/// The instructions of a decoded response outside JSONDecoder. Unlike processor time they do not depend on how busy the machine is.
///
/// As in ``Check`` the figure is the difference between two processes, one with twice as many requests.
struct JSONCheck {
    private let options: Options
    private let valgrind: Valgrind
    private let bodyLength: Int

    static func run(_ options: Options) async throws {
        guard let valgrind = try Valgrind() else { throw Failure("valgrind is not installed") }
        defer { valgrind.remove() }
        let check = JSONCheck(options: options, valgrind: valgrind, bodyLength: try await options.target.bodyLength())
        print("Instructions of a response of \(figure(Double(check.bodyLength))) bytes of JSON, decoded:\n")
        print(try check.table().markdown)
    }

    private func table() throws -> Table {
        var table = Table(["client", "in flight", "a response", "not JSONDecoder's", "beyond the C loop"])
        for inFlight in options.inFlight ?? [1, 64] {
            let (decoder, loop) = (try instructions(.decoder, inFlight), try instructions(.loop, inFlight))
            for client in options.clients ?? [.loop, .chain, .async] {
                let all = client == .loop ? loop : try instructions(client, inFlight)
                let share = { (part: Double) in "\(figure(part / all * 100, decimals: 1)) %" }
                table.add([client.name, "\(inFlight)", figure(all), share(all - decoder), client == .loop ? "–" : share(all - loop)])
            }
        }
        return table
    }

    private func instructions(_ client: Client, _ inFlight: Int) throws -> Double {
        let once = max(1, options.requestsToCount / inFlight) * inFlight
        let work = { (times: Int) in
            Work(
                client: client, task: .json, url: options.target.url, bodyLength: bodyLength, inFlight: inFlight, requests: times * once,
                handlerQueue: .own, counting: .nothing, wire: options.wire)
        }
        return Double(try valgrind.instructions(of: work(2)) - valgrind.instructions(of: work(1))) / Double(once)
    }
}
