#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    extension ChaosServer {
        /// Serves the file of a chain, whose requests name their leg and attempt.
        func serveFile(_ exchange: MockExchange) throws {
            let request = exchange.request
            let run = request.path.split(separator: "/").compactMap { Int($0) }.first
            guard let run, let file = file(run), let leg = request.header(ChaosChainRun.stamp).flatMap({ Int($0) }),
                let attempt = request.header(ChaosNotes.stamp).flatMap({ Int($0) }), file.chain.legs.indices.contains(leg)
            else { return try exchange.send(MockResponse(status: 410)) }
            let plan = file.chain.legs[leg]
            var answer = plan.answers[min(attempt, plan.answers.count - 1)]
            if answer.manner == .redirect, request.query != nil { answer.manner = .right }
            let (response, serving) = response(request, answer, file, plan.version)
            note(ChaosServing(request, leg: leg, attempt: attempt, version: plan.version, serving), run)
            try exchange.send(response)
        }

        private func response(
            _ request: RecordedRequest, _ answer: ChaosScenario.Answer, _ file: ChaosFile, _ version: Int
        ) -> (MockResponse, ChaosServing.Kind) {
            let bytes = file.bytes(version)
            let fields = file.fields(version)
            func whole() -> (MockResponse, ChaosServing.Kind) {
                let (response, isCut, sent) = cut(MockResponse(headers: fields, body: bytes), answer)
                return (response, .file(isCut: isCut, sent: sent, isPart: false))
            }
            guard let start = ChaosServing.start(request), start < bytes.count else { return whole() }
            let rest = bytes.dropFirst(start)
            let isSame = file.chain.validator.isStrong && request.header("If-Range") == file.validator(version)
            func part(_ range: String?, _ body: Data, _ fields: [(String, String)]) -> MockResponse {
                MockResponse(status: 206, headers: fields + (range.map { [("Content-Range", "bytes \($0)")] } ?? []), body: body)
            }
            let all = "\(start)-\(bytes.count - 1)/\(bytes.count)"
            let half = (rest.count + 1) / 2
            switch answer.manner {
            case .right where isSame:
                let (response, isCut, sent) = cut(part(all, Data(rest), fields), answer)
                return (response, .file(isCut: isCut, sent: sent, isPart: true))
            case .right, .whole: return whole()
            case .short where isSame && rest.count > 1:
                return (part("\(start)-\(start + half - 1)/\(bytes.count)", Data(rest.prefix(half)), fields), .short)
            case .overlong where isSame && rest.count > 1:
                var response = part("\(start)-\(start + half - 1)/\(bytes.count)", Data(rest), fields)
                response.framing = .chunked
                return (response, .overlong)
            case .short, .overlong: return whole()
            case .wrongStart:
                let range = "\(start - 1)-\(bytes.count - 1)/\(bytes.count)"
                guard start > 0 else { return whole() }
                return (part(range, Data(bytes.dropFirst(start - 1)), fields), .useless)
            case .otherValidator:
                let foreign = [("ETag", "\"other\""), ("Last-Modified", "Sun, 06 Nov 1994 07:00:00 GMT")]
                return (part(all, Data(rest), foreign), .useless)
            case .withoutRange: return (part(nil, Data(rest), fields), .useless)
            case .multipart:
                let body = Data("--x\r\nContent-Range: bytes \(all)\r\n\r\n".utf8) + rest + Data("\r\n--x--\r\n".utf8)
                return (part(all, body, fields + [("Content-Type", "multipart/byteranges; boundary=x")]), .useless)
            case .gzip: return (part(all, Data(rest), fields + [("Content-Encoding", "gzip")]), .useless)
            case .unsatisfiable(let hasSize):
                let range = hasSize ? [("Content-Range", "bytes */\(bytes.count)")] : []
                return (MockResponse(status: 416, headers: range, body: Data("sorry".utf8)), .useless)
            case .refused(let status): return (MockResponse(status: status, body: Data("sorry".utf8)), .refused(status))
            case .redirect:
                let response = MockResponse(status: 307, headers: [("Location", request.path + "?moved")], body: Data("moved".utf8))
                return (response, .useless)
            }
        }

        /// Makes the body of a response as the answer says.
        private func cut(_ response: MockResponse, _ answer: ChaosScenario.Answer) -> (MockResponse, ChaosServing.Cut, sent: Int) {
            var response = response
            let count = response.body.count
            response.framing = answer.isChunked ? .chunked : .contentLength
            response.headDelay = TimeInterval(answer.headDelay) / 1000
            if answer.pieces > 0 { response.throttle = (max(1, count / answer.pieces), 0.001) }
            switch answer.cut {
            case .none: return (response, .no, count)
            case .resets(let after):
                response.fault = .resetInBody(after: after % count)
                return (response, .reset, after % count)
            case .closes(let after):
                response.fault = .closeInBody(after: after % count)
                return (response, .close, after % count)
            case .stalls(let after):
                // The framing's bytes count as well, so that at least one byte of the body is missing.
                response.throttle = (max(1, after % count), 600)
                if count == 1 { response.fault = .noAnswer }
                return (response, .stall, 0)
            }
        }
    }
#endif
