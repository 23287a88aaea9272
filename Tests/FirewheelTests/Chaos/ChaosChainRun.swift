#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation

    @testable import Firewheel

    /// Downloads the file of a chain, leg by leg, each with the resume data of the one before. Blocks the calling thread.
    final class ChaosChainRun: Sendable {
        /// The field that names the leg of a request.
        static let stamp = "X-Chaos-Leg"

        private let chain: ChaosScenario.Chain
        private let file: ChaosFile
        private let run: Int
        private let server: ChaosServer
        private let folder: URL
        private let found = Locked<[String]>([])

        /// - Parameter folder: A folder of its own, which is created and removed.
        init(_ chain: ChaosScenario.Chain, _ file: ChaosFile, run: Int, server: ChaosServer, folder: URL) {
            self.chain = chain
            self.file = file
            self.run = run
            self.server = server
            self.folder = folder
        }

        private var temporary: URL { folder.appendingPathComponent("temporary") }
        private var target: URL { folder.appendingPathComponent("file") }
        private var partials: PartialFolder { PartialFolder(in: temporary.path) }

        private func note(_ problem: String) { found.withLock { $0.append("chain: \(problem)") } }

        /// - Returns: The record of each leg, and what is wrong besides.
        func perform() -> (records: [ChaosLegRecord], problems: [String]) {
            try? FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var records: [ChaosLegRecord] = []
            var data: Data?
            var place: ChaosChainSession?
            for number in chain.legs.indices {
                if place == nil || place?.isInvalid == true || chain.legs[number].isOnNewSession {
                    if let old = place.take() { end(old) }
                    place = ChaosChainSession(server, temporary)
                }
                guard let place else { break }
                let given = held(data)
                let leg = ChaosLegRun(chain.legs[number], number: number, place: place, data: data, target: target)
                let url = "\(server.base(chain.server))/r/\(run)/\(number)"
                guard leg.perform(url) else {
                    note("leg \(number) has handlers that were not called, or a request that is left; its state is \(leg.state)")
                    break
                }
                var record = leg.record
                record.given = given
                record.kept = held(leg.data)
                if leg.data == nil, isLeft(data) {
                    record.left = held(data)
                } else {
                    data = leg.data
                }
                record.servings = server.servings(run, leg: number)
                record.hasFile = FileManager.default.fileExists(atPath: target.path)
                leg.removeFile()
                count(&record)
                records.append(record)
                if !place.isInvalid, !waitUntil({ place.isIdle }) {
                    note("leg \(number) has left something: \(place.description)")
                }
            }
            if let place { end(place) }
            return (records, found.withLock { $0 })
        }

        private func waitUntil(_ condition: () -> Bool) -> Bool {
            ChaosRun.waitUntil(within: found.withLock(\.isEmpty) ? ChaosRun.patience : 2, condition)
        }

        private func end(_ place: ChaosChainSession) {
            place.release()
            if !waitUntil({ place.isGone }) { note("a session has left something: \(place.description)") }
        }

        /// What resume data says, and whether its partial file is right.
        private func held(_ data: Data?) -> ChaosLegRecord.Held? {
            guard let data else { return nil }
            guard let resume = try? ResumeData(data), let validator = resume.validator else {
                return .init(count: -1, condition: "what cannot be read", isRight: false)
            }
            let condition = validator.fieldValue
            let version = file.versions.indices.first { file.validator($0 + 1) == condition }
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: partials.path(resume.partial)))
            let wanted = version.map { file.versions[$0] } ?? Data()
            let isRight = bytes.map { $0.count >= resume.count && wanted.starts(with: $0.prefix(Int(resume.count))) } ?? false
            return .init(count: resume.count, condition: condition, isRight: isRight && resume.count <= wanted.count)
        }

        /// Whether the partial file of resume data is still there, once nobody has it open.
        private func isLeft(_ data: Data?) -> Bool {
            guard let data, let resume = try? ResumeData(data) else { return false }
            func isThere() -> Bool { FileManager.default.fileExists(atPath: partials.path(resume.partial)) }
            _ = waitUntil { !isThere() || (try? partials.reopen(resume.partial, count: resume.count)) != nil }
            return isThere()
        }

        /// Files are removed on another thread, so that they may be there a moment longer.
        private func count(_ record: inout ChaosLegRecord) {
            let expected = record.kept == nil && record.left == nil ? 0 : 1
            func names(_ path: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
            func strays() -> Int { names(temporary.path).count { !partials.path.hasSuffix("/" + $0) } }
            _ = waitUntil { strays() == 0 && names(partials.path).count == expected }
            record.strays = strays()
            record.partials = names(partials.path).count
        }
    }

    /// A session of a chain.
    final class ChaosChainSession: Sendable {
        private let session: Locked<Session?>
        private let handles: ChaosHandles?
        private let engine: ChaosWeak<Engine>
        private let wasInvalidated = Locked(false)

        init(_ server: ChaosServer, _ temporary: URL) {
            var configuration = SessionConfiguration()
            configuration.temporaryDirectory = temporary
            configuration.timeoutIntervalForRequest = ChaosRun.patience * 2
            let transport = server.transport(configuration)
            let new = Session(configuration: configuration, transport: transport)
            handles = ChaosHandles(transport)
            engine = ChaosWeak(new.engine)
            session = Locked(new)
        }

        var isInvalid: Bool { wasInvalidated.withLock { $0 } }

        @discardableResult
        func with<Result>(_ body: (Session) -> Result) -> Result? { session.withLock { $0 }.map(body) }

        func invalidate() {
            wasInvalidated.withLock { $0 = true }
            with { $0.invalidate() }
        }

        /// Whether nothing is under way.
        var isIdle: Bool { with { $0.engine.registry.all.isEmpty } ?? true && handles?.areBack ?? true }

        var description: String { handles?.description ?? "no loop" }

        func release() {
            let old = session.withLock { $0.take() }
            withExtendedLifetime(old) {}
        }

        /// Whether nothing is left.
        var isGone: Bool { engine.object == nil && handles?.areFreed ?? true }
    }
#endif
