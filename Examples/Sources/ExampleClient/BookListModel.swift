import Firewheel
import Observation

/// The view model of a list of books. A view reads `state`, and calls `load()` when it appears and `cancel()` when it disappears.
@MainActor @Observable
public final class BookListModel {
    public enum State: Equatable, Sendable {
        case idle
        case loading
        case loaded([Book])
        case failed(message: String)
    }

    public private(set) var state = State.idle

    @ObservationIgnored private let books: Books
    @ObservationIgnored private var loading: Task<Void, Never>?

    public init(books: Books) {
        self.books = books
    }

    /// Reloads all books. A load that is still running is cancelled, so only the last one takes effect.
    public func load() {
        loading?.cancel()
        state = .loading
        loading = Task {
            let outcome: State
            do {
                var list: [Book] = []
                for try await book in books.all() { list.append(book) }
                outcome = .loaded(list)
            } catch {
                outcome = .failed(message: error.localizedDescription)
            }
            // After cancellation only the canceller sets the state. A cancelled request also throws an error, which is not shown.
            if !Task.isCancelled { state = outcome }
        }
    }

    /// Stops loading. The request is cancelled with the task that awaits it.
    public func cancel() {
        loading?.cancel()
        loading = nil
        if state == .loading { state = .idle }
    }

    /// Returns when no load is running, for tests and for pull to refresh.
    public func finishLoading() async {
        await loading?.value
    }
}
