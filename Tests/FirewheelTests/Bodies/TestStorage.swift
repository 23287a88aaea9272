import Foundation
import Testing

@testable import Firewheel

/// Whether the files of a test's downloads can be resumed, because the server sends a validator: such files are elsewhere, locked, and kept
/// in more cases. A test with the trait `.eachStorage` runs once with each.
enum TestStorage: CaseIterable, Sendable {
    case temporary, partial

    @TaskLocal static var current = TestStorage.temporary

    /// The header fields of the server's response.
    var fields: [(String, String)] { self == .partial ? [("ETag", "\"1\"")] : [] }

    var headers: HTTPHeaders { HTTPHeaders(fields.map { HTTPHeader(name: $0.0, value: $0.1) }) }

    func makeSink(in folder: URL) -> FileSink { FileSink(in: folder, self == .partial ? .partial(RandomName.make()) : .temporary) }

    /// The name of the folder for partial files, which stays.
    static let folderName = "firewheel-partial-\(geteuid())"
}

struct StorageTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for storage in TestStorage.allCases {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("with a \(storage) file")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                try await TestStorage.$current.withValue(storage) { try await function() }
            }
        }
    }
}

extension Trait where Self == StorageTrait {
    /// Runs the tests with temporary and with partial files: see ``TestStorage/current``.
    static var eachStorage: Self { Self() }
}
