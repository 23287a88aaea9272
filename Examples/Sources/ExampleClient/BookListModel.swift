import Firewheel
import Observation

/// What a list of books shows. A view reads `state`, and calls `load()` when it appears and `cancel()` when it goes.
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

    /// Loads all books anew. A load that is still going is cancelled: what is asked for last is what counts.
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
            // After a cancel the state belongs to whoever cancelled. A cancelled request is an error too, and nothing to show.
            if !Task.isCancelled { state = outcome }
        }
    }

    /// Stops loading, and the request with it: a request is cancelled with the task that awaits it.
    public func cancel() {
        loading?.cancel()
        loading = nil
        if state == .loading { state = .idle }
    }

    /// Returns when nothing is being loaded, for tests and for a pull to refresh.
    public func finishLoading() async {
        await loading?.value
    }
}
