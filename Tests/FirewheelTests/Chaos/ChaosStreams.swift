import Firewheel
import Foundation

/// In what form a stream's handler gets the body.
enum ChaosForm: Sendable, Equatable {
    case data, text, lines

    /// Whether the sequence of a reader cancels the request; some do not.
    static func cancels(_ number: Int) -> Bool { !number.isMultiple(of: 3) }

    /// A body as a handler collects it: each line ends with LF.
    func collected(_ body: Data) -> Data {
        switch self {
        case .data: return body
        case .text: return Data(String(decoding: body, as: UTF8.self).utf8)
        case .lines: return Self.lines(of: body).reduce(into: Data()) { $0 += Data(String(decoding: $1, as: UTF8.self).utf8) + [0x0A] }
        }
    }

    /// LF, CRLF and CR end a line, and so does the end of the body.
    private static func lines(of body: Data) -> [ArraySlice<UInt8>] {
        let bytes = [UInt8](body)
        var lines: [ArraySlice<UInt8>] = []
        var (start, index) = (0, 0)
        while index < bytes.count {
            if bytes[index] == 0x0A || bytes[index] == 0x0D {
                lines.append(bytes[start..<index])
                if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
                start = index + 1
            }
            index += 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }
}

extension ChaosScenario.Value {
    var form: ChaosForm {
        switch self {
        case .raw, .data, .own: .data
        case .string, .tolerant, .refusing: .text
        case .json, .decodable, .slow, .cancelling: .lines
        }
    }
}

extension ChaosScenario.Trip {
    /// Whether its validation refuses a status.
    func refuses(_ status: Int) -> Bool {
        switch validation {
        case .none, .passing: false
        case .standard: !(200..<300).contains(status)
        case .refusing: true
        }
    }
}

// MARK: - Requests

extension ChaosRequests {
    func streamRequest(_ number: Int, _ url: String, _ session: Session) -> DataStreamRequest {
        let trip = scenario.trips[number]
        if let upload = trip.upload { return duplexRequest(number, url, session, upload) }
        return switch trip.source {
        case .url: session.streamRequest(url, method: trip.method)
        case .urlRequest: session.streamRequest(Given(url: url, trip: trip, body: scenario.requestBody(number)))
        case .parameters: session.streamRequest(url, method: trip.method, parameters: ["page": 2])
        case .invalidURL: session.streamRequest("http:///nowhere", method: trip.method)
        case .invalidHeader: session.streamRequest(url, method: trip.method, headers: ["no token": "x"])
        case .throwingModifier: session.streamRequest(url, method: trip.method, requestModifier: { _ in throw Refusal() })
        }
    }

    private func duplexRequest(_ number: Int, _ url: String, _ session: Session, _ plan: ChaosScenario.Upload) -> DataStreamRequest {
        let trip = scenario.trips[number]
        let content = scenario.content(number)
        let (headers, modifier, target) = Self.flaws(of: trip.source, url)
        let length = plan.kind.hasLength ? Int64(content.count) : nil
        let pieces = ChaosPieces(body: content, plan: plan)
        return trip.source == .urlRequest
            ? session.streamRequest(Given(url: url, trip: trip, body: nil), uploading: pieces, length: length)
            : session.streamRequest(
                target, uploading: pieces, length: length, method: trip.method, headers: headers, requestModifier: modifier)
    }

    func validated(_ request: DataStreamRequest, _ trip: ChaosScenario.Trip) -> Request {
        switch trip.validation {
        case .none: request
        case .standard: request.validate()
        case .passing: request.validate { _, _ in .success(()) }
        case .refusing: request.validate { _, _ in .failure(Refusal()) }
        }
    }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Makes streams of some trips. It has a generator of its own, so that the rest of a seed's scenario does not depend on it.
    mutating func drawStreams() {
        var dice = ChaosDice(seed: seed ^ 0x5EED_057E_A350_0001)
        for index in trips.indices where trips[index].kind == .data {
            switch trips[index].upload?.kind {
            case nil: if dice.chance(30) { trips[index].kind = .stream }
            case .sequence, .sequenceOfKnownLength: if dice.chance(50) { trips[index].kind = .stream }
            default: break
            }
        }
    }
}
