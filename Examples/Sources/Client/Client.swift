import ExampleClient
import Firewheel

/// Runs the example client against a library server that it starts itself:
///
///     swift run --package-path Examples client
@main
struct Client {
    static func main() async throws {
        let library = try FakeLibrary()
        defer { library.close() }
        let books = Books(session: Books.session(for: library.url))

        print("1. Every book, three to a page: the loop sees no pages, the library does")
        for try await book in books.all(pageSize: 3) { print("   \(book.id). \(book.title), \(book.author)") }
        print("   asked for: \(await library.newRequests())")

        print("2. The first book by Woolf: the loop ends, and so does the paging")
        for try await book in books.all(pageSize: 3) where book.author == "Virginia Woolf" {
            print("   \(book.title)")
            break
        }
        print("   asked for: \(await library.newRequests())")

        print("3. A new book, sent as JSON; the library gives it a number. Then it is removed")
        let added = try await books.add(NewBook(title: "Momo", author: "Michael Ende"))
        print("   added: \(added.id). \(added.title)")
        try await books.remove(added.id)
        print("   asked for: \(await library.newRequests())")

        print("4. A book that is not there: the library's own words, as an error with a type")
        do {
            _ = try await books.book(added.id)
        } catch let error as BooksError {
            print("   \(error.code): \(error.message)")
        }
        print("   asked for: \(await library.newRequests())")

        print("5. A report in CSV, by a serializer of our own. The first answer is a 503, which is tried again")
        for loan in try await books.loans() { print("   \(loan.reader) has \(loan.title)") }
        print("   asked for: \(await library.newRequests())")

        await showModel(BookListModel(books: books), of: library)
    }

    @MainActor
    static func showModel(_ model: BookListModel, of library: FakeLibrary) async {
        print("6. A view model: what a list shows while it loads, afterwards, and when loading is cancelled")
        model.load()
        show(model.state)
        await model.finishLoading()
        show(model.state)
        model.load()
        model.cancel()
        show(model.state)

        print("7. The library is closed: an error that says what happened")
        library.close()
        model.load()
        await model.finishLoading()
        show(model.state)
    }

    static func show(_ state: BookListModel.State) {
        switch state {
        case .idle: print("   idle")
        case .loading: print("   loading")
        case .loaded(let books): print("   loaded: \(books.count) books")
        case .failed(let message): print("   failed: \(message)")
        }
    }
}
