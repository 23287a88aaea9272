import Firewheel

/// A request's entry in the ``HTTPSessionManager/completionGroup``: entered at once, and left once.
///
/// It is left with its last reference at the latest, because a request that is released without having started has no handler call, and a
/// group traps if it is released while it is entered.
final class GroupEntry: Sendable {
    private let group: DispatchGroup?
    private let isEntered = Locked(true)

    init(_ group: DispatchGroup?) {
        self.group = group
        group?.enter()
    }

    func leave() {
        let wasEntered = isEntered.withLock { isEntered in
            defer { isEntered = false }
            return isEntered
        }
        if wasEntered { group?.leave() }
    }

    deinit { leave() }
}
