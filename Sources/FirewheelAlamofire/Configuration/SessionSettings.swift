import Firewheel
import Foundation

/// What a `URLSessionConfiguration` means for the session of Firewheel that does the work: its options, and the storages of Foundation that
/// it shares.
///
/// Each property of the configuration either has its effect here or, if it has another value than Foundation's default and cannot be
/// honored, is one of the ``problems``. None is silently ignored.
struct SessionSettings: Sendable {
    /// The options of the session.
    var configuration = SessionConfiguration()
    /// Whose credentials answer challenges; nil for none.
    var credentialStorage: URLCredentialStorage?
    /// Why no request of the session may be sent; empty if all of them may.
    private(set) var problems: [ConfigurationProblem] = []

    init(_ own: URLSessionConfiguration) {
        let standard = URLSessionConfiguration.default
        for field in ConfigurationField.all {
            do throws(ConfigurationRefusal) {
                try field.apply(own, standard, &self)
            } catch {
                problems.append(ConfigurationProblem(field: field.name, reason: error.reason))
            }
        }
    }

    /// Every problem in one line; nil without any.
    var problem: String? { problems.isEmpty ? nil : problems.map(\.description).joined(separator: "; ") }

    /// Gives a session the credentials of the configuration's storage, now and when they change.
    ///
    /// - Returns: What the session's owner keeps as long as the session; nil without a storage.
    func shareCredentials(with session: Firewheel.Session) -> CredentialStorageBridge? {
        credentialStorage.map { CredentialStorageBridge(from: $0, to: session.credentials) }
    }
}

extension SessionSettings: CustomReflectable {
    /// Without the storages, which have credentials.
    var customMirror: Mirror {
        Mirror(self, children: ["configuration": configuration, "problems": problems], displayStyle: .struct)
    }
}
