import Firewheel
import FirewheelTesting
import Foundation

/// Makes the requests of a scenario.
struct ChaosRequests {
    struct Refusal: Error {}

    let scenario: ChaosScenario
    /// The folder for its files.
    let folder: URL

    func make(_ number: Int, _ url: String, _ session: Session, _ notes: ChaosNotes) throws -> Request {
        let trip = scenario.trips[number]
        switch trip.kind {
        case .data: return notes.with(trip.policies, on: validated(try dataRequest(number, url, session), trip))
        case .stream: return notes.with(trip.policies, on: validated(streamRequest(number, url, session), trip))
        case .download(let place):
            let request = downloadRequest(number, url, session, to: destination(number, place))
            return notes.with(trip.policies, on: validated(request, trip))
        }
    }

    private func dataRequest(_ number: Int, _ url: String, _ session: Session) throws -> DataRequest {
        let trip = scenario.trips[number]
        if let upload = trip.upload { return try uploadRequest(number, url, session, upload, scenario.content(number)) }
        return switch trip.source {
        case .url: session.request(url, method: trip.method)
        case .urlRequest: session.request(Given(url: url, trip: trip, body: scenario.requestBody(number)))
        case .parameters: session.request(url, method: trip.method, parameters: ["page": 2])
        case .invalidURL: session.request("http:///nowhere", method: trip.method)
        case .invalidHeader: session.request(url, method: trip.method, headers: ["no token": "x"])
        case .throwingModifier: session.request(url, method: trip.method, requestModifier: { _ in throw Refusal() })
        }
    }

    private func downloadRequest(
        _ number: Int, _ url: String, _ session: Session, to destination: DownloadRequest.Destination?
    ) -> DownloadRequest {
        let trip = scenario.trips[number]
        return switch trip.source {
        case .url: session.download(url, method: trip.method, to: destination)
        case .urlRequest: session.download(Given(url: url, trip: trip, body: scenario.requestBody(number)), to: destination)
        case .parameters: session.download(url, method: trip.method, parameters: ["page": 2], to: destination)
        case .invalidURL: session.download("http:///nowhere", method: trip.method, to: destination)
        case .invalidHeader: session.download(url, method: trip.method, headers: ["no token": "x"], to: destination)
        case .throwingModifier:
            session.download(url, method: trip.method, to: destination, requestModifier: { _ in throw Refusal() })
        }
    }

    /// A complete request given by the caller.
    struct Given: URLRequestConvertible {
        let url: String
        let trip: ChaosScenario.Trip
        let body: Data?

        func asURLRequest() throws -> URLRequest {
            var request = try URLRequest(url: url, method: trip.method)
            request.httpBody = body
            if let milliseconds = trip.idleTimeout { request.timeoutInterval = TimeInterval(milliseconds) / 1000 }
            return request
        }
    }

    private func destination(_ number: Int, _ place: ChaosScenario.Destination) -> DownloadRequest.Destination? {
        let folder = folder
        let file = folder.appendingPathComponent("\(number).file")
        switch place {
        case .none: return nil
        case .file: return { _, _ in (folder.appendingPathComponent("made/\(number).file"), .createIntermediateDirectories) }
        case .replacing:
            _ = FileManager.default.createFile(atPath: file.path, contents: Data("the previous file".utf8))
            return { _, _ in (file, .removePreviousFile) }
        case .missingFolder: return { _, _ in (folder.appendingPathComponent("missing/\(number).file"), []) }
        }
    }

    private func validated(_ request: DataRequest, _ trip: ChaosScenario.Trip) -> Request {
        switch trip.validation {
        case .none: request
        case .standard: request.validate()
        case .passing: request.validate { _, _, _ in .success(()) }
        case .refusing: request.validate { _, _, _ in .failure(Refusal()) }
        }
    }

    private func validated(_ request: DownloadRequest, _ trip: ChaosScenario.Trip) -> Request {
        switch trip.validation {
        case .none: request
        case .standard: request.validate()
        case .passing: request.validate { _, _, _ in .success(()) }
        case .refusing: request.validate { _, _, _ in .failure(Refusal()) }
        }
    }
}
