import Foundation
import Testing

@testable import Firewheel

/// Requests that share a parent `Progress` and are on several threads.
@Suite("Progress objects with a common parent")
struct UnlockedProgressTests {
    @Test("Children that change at the same time add up in their parent")
    func addsUp() {
        for _ in 0..<40 {
            let parent = Progress(totalUnitCount: 16)
            let children = (0..<16).map { _ in TransferProgress(Progress(parent: nil, userInfo: nil)) }
            for child in children {
                child.begin(attempt: 1, total: 1_000)
                parent.addChild(child.object, withPendingUnitCount: 1)
            }
            DispatchQueue.concurrentPerform(iterations: 16) { number in
                for _ in 0..<1_000 { children[number].report(adding: 1, of: 1_000) }
            }
            #expect(parent.completedUnitCount == 16 && parent.isFinished)
            #expect(abs(parent.fractionCompleted - 1) < 1e-9)
        }
    }
}
