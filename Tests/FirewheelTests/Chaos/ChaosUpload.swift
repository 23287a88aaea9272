import Firewheel
import FirewheelTesting
import Foundation

extension ChaosScenario {
    /// What an upload sends.
    struct Upload: Sendable, Equatable {
        enum Kind: String, Sendable, Equatable, CaseIterable {
            case data, file, stream, streamOfKnownLength, sequence, sequenceOfKnownLength
            /// A form below the threshold, which is sent from memory.
            case form
            /// A form above the threshold with a part from a file.
            case formOfFile
            /// A form above the threshold with a part from a stream.
            case formOfStream

            /// Whether the body can be produced only once.
            var isOneShot: Bool {
                switch self {
                case .stream, .streamOfKnownLength, .sequence, .sequenceOfKnownLength, .formOfStream: true
                case .data, .file, .form, .formOfFile: false
                }
            }

            var isForm: Bool { self == .form || self == .formOfFile || self == .formOfStream }

            var hasLength: Bool { self != .stream && self != .sequence }
        }

        var kind = Kind.data
        /// The largest piece of a stream or sequence, in bytes, and the microseconds before each.
        var piece = 20_000
        var pause = 0
        /// Whether its progress is watched.
        var isWatched = true
    }

    /// How much of a request's body a server reads, and what it does then.
    enum Intake: Sendable, Equatable {
        case whole
        /// It gives its final response after this many bytes.
        case answers(after: Int)
        /// It breaks the connection after this many bytes.
        case resets(after: Int)
        case closes(after: Int)

        var breaks: Bool {
            switch self {
            case .resets, .closes: true
            case .whole, .answers: false
            }
        }

        /// The most bytes it reads; nil for all.
        var limit: Int? {
            switch self {
            case .whole: nil
            case .answers(let count), .resets(let count), .closes(let count): count
            }
        }
    }
}

extension ChaosScenario.Trip {
    /// Whether its body can be produced only once.
    var isOneShot: Bool { upload?.kind.isOneShot == true }

    /// Whether no retry follows a complete response: its file was moved to a destination, or its bytes were handed over.
    var isFinalWhenComplete: Bool {
        switch kind {
        case .data, .download(.none): false
        case .download, .stream: true
        }
    }
}

// MARK: - On the wire

extension ChaosScenario {
    static func formBoundary(_ trip: Int) -> String { "chaos-\(trip)" }

    /// The bytes of a form with a text and a file of these bytes (RFC 7578).
    static func form(_ trip: Int, _ content: Data) -> Data {
        let boundary = formBoundary(trip)
        let head = """
            --\(boundary)
            Content-Disposition: form-data; name="note"

            a form
            --\(boundary)
            Content-Disposition: form-data; name="body"; filename="body.bin"
            Content-Type: application/octet-stream


            """
        return Data(head.replacing("\n", with: "\r\n").utf8) + content + Data("\r\n--\(boundary)--\r\n".utf8)
    }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Adds uploads to some scenarios. It has a generator of its own, so that the rest of a seed's scenario does not depend on it.
    mutating func drawUploads(isCalm: Bool) {
        var dice = ChaosDice(seed: seed ^ 0x5EED_0B0D_1E50_00F1)
        dice.isCalm = isCalm
        guard dice.chance(40) else { return }
        expectsContinue = dice.one(of: [.above(1 << 20), .above(1 << 20), .never, .always, .above(20_000)])
        for _ in 0..<dice.number(1...2) { trips.append(dice.upload()) }
    }
}

extension ChaosDice {
    mutating func upload() -> ChaosScenario.Trip {
        var trip = trip()
        // What has no body is of no use here.
        trip.kind = .data
        trip.method = one(of: [.post, .put, .put])
        if trip.source == .parameters { trip.source = .url }
        if trip.source == .url { trip.idleTimeout = nil }
        var upload = ChaosScenario.Upload(kind: one(of: ChaosScenario.Upload.Kind.allCases))
        upload.piece = one(of: [1_000, 10_000, 60_000, 400_000])
        upload.pause = chance(30) ? number(0...1_000) : 0
        upload.isWatched = chance(70)
        trip.upload = upload
        trip.bodySize = one(of: [0, number(1...100), number(1...20_000), number(1...300_000), number(1...300_000)])
        trip.readPause = trip.bodySize > 20_000 && chance(25) ? number(0...400) : nil
        if !isCalm, chance(30) {
            let pauses = (0..<number(1...6)).map { _ in
                ChaosScenario.Step(
                    at: trip.begins + number(0...20_000), action: one(of: [.suspend, .resume]), isElsewhere: chance(10))
            }
            trip.steps = (trip.steps + pauses).sorted { $0.at < $1.at }
        }
        trip.hops = hops(for: trip)
        for index in trip.hops.indices { takeIn(&trip.hops[index], of: trip) }
        return trip
    }

    /// Chooses how a server takes an upload.
    mutating func takeIn(_ hop: inout ChaosScenario.Hop, of trip: ChaosScenario.Trip) {
        hop.isEarly = false
        if hop.leadsTo != nil, chance(60) { hop.status = one(of: [307, 308]) }
        hop.refusesExpectation = chance(15)
        if hop.fault == .resetBeforeReading {
            hop.fault = nil
            hop.intake = .resets(after: 0)
        } else if chance(isCalm ? 15 : 30) {
            let count = chance(30) ? 0 : number(0...trip.bodySize)
            hop.intake = one(of: [.answers(after: count), .answers(after: count), .resets(after: count), .closes(after: count)])
        }
    }
}

// MARK: - Description

extension ChaosScenario.Upload: CustomStringConvertible {
    var description: String {
        "upload of \(kind.rawValue) in pieces of \(piece)\(pause > 0 ? " every \(pause) µs" : "")\(isWatched ? ", watched" : "")"
    }
}
