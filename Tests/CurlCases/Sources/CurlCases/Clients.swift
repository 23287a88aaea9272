import Firewheel
import Foundation

/// The result of a request.
enum Outcome: Equatable {
    case body(status: Int, [UInt8])
    case failure(String)
}

/// The idle timeout; some cases end by it.
private let patience = 2

func byChain(_ url: String) async -> Outcome {
    var configuration = SessionConfiguration()
    configuration.timeoutIntervalForRequest = TimeInterval(patience)
    // A session of its own, so that no connection of another case is reused.
    let session = Session(configuration: configuration)
    return await withCheckedContinuation { continuation in
        session.request(url).response { [session] response in
            withExtendedLifetime(session) {
                if let error = response.error {
                    continuation.resume(returning: .failure("\(error)"))
                } else {
                    continuation.resume(returning: .body(status: response.response?.statusCode ?? 0, Array(response.data ?? Data())))
                }
            }
        }
    }
}

/// The curl tool, told to behave like the chain: follow up to 20 redirects to http and https, and decode.
func byCurl(_ url: String, scratch: URL) throws -> Outcome {
    let file = scratch.appendingPathComponent("body")
    try? FileManager.default.removeItem(at: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
        "curl", "-q", "-sS", "--compressed", "-L", "--max-redirs", "20", "--proto", "=http,https", "--noproxy", "*", "-m", "\(patience)",
        "--globoff", "-o", file.path, "-w", "%{http_code}", url,
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let status = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return .failure(message.trimmingCharacters(in: .whitespacesAndNewlines)) }
    return .body(status: Int(status) ?? 0, Array((try? Data(contentsOf: file)) ?? Data()))
}
