import Firewheel
import FirewheelClassic
import Testing

/// A file that imports both modules and uses results with an error type of its own.
@Suite("Importing Firewheel and FirewheelClassic together")
struct BothImportsTests {
    private enum Refusal: Error { case tooSmall }

    private func check(_ value: Int) -> Swift.Result<Int, Refusal> {
        value < 5 ? .failure(.tooSmall) : .success(value)
    }

    @Test("With both modules imported, Swift.Result has two type parameters and Result has one")
    func names() {
        let typed: Swift.Result<Int, Refusal> = check(1)
        let plain: Result<Int> = Result { try typed.get() }
        #expect(typed.error == .tooSmall)
        #expect(plain.error as? Refusal == .tooSmall)
        #expect(check(7).value == 7)
    }
}
