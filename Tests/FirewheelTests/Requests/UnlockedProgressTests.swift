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

    @Test("The numbers are final when the request's end has been reported, also if another thread reports")
    func final() {
        for _ in 0..<20_000 {
            let progress = TransferProgress(Progress(parent: nil, userInfo: nil))
            progress.begin(attempt: 1, total: 2)
            let numbers = Locked<(completed: Int64, isFinished: Bool)?>(nil)
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                guard number == 1 else { return progress.report(1) }
                progress.finish(2, isWhole: true)
                let object = progress.object
                numbers.withLock { $0 = (object.completedUnitCount, object.isFinished) }
            }
            let seen = numbers.withLock { $0 }
            #expect(seen?.completed == 2 && seen?.isFinished == true)
        }
    }

    @Test("A request that is added to a parent after another has ended does not meet that one's change")
    func oneAfterTheOther() {
        // Its threads are not those on which tests block.
        let queue = DispatchQueue(label: "reports", attributes: .concurrent)
        for _ in 0..<2_000 {
            let parent = Progress(totalUnitCount: 4)
            for _ in 0..<4 {
                let child = TransferProgress(Progress(parent: nil, userInfo: nil))
                child.begin(attempt: 1, total: 2)
                parent.addChild(child.object, withPendingUnitCount: 1)
                let hasEnded = DispatchSemaphore(value: 0)
                queue.async { child.report(1) }
                queue.async {
                    child.finish(2, isWhole: true)
                    hasEnded.signal()
                }
                hasEnded.wait()
            }
            #expect(parent.completedUnitCount == 4 && parent.isFinished)
        }
    }
}
