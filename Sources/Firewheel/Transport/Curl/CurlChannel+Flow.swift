#if os(Linux)
    import Foundation

    // MARK: - Pausing and resuming transfers

    extension CurlChannel {
        func pause(_ id: TransportTaskID) {
            transfers[id]?.setPaused(true)
        }

        func resume(_ id: TransportTaskID) {
            guard let transfer = transfers[id], transfer.isPaused else { return }
            transfer.setPaused(false)
            goOn(transfer)
            if transfer.stage == .waiting, transfer.leftQueue != nil {
                // It became first in the queue while it was paused.
                transfer.leftQueue = nil
                transfer.lane = queue.lane(for: transfer.request.target.origin)
                queue.enqueue(transfer, in: transfer.lane)
            }
        }

        func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {
            guard let transfer = transfers[id], transfer.awaitsDecision else { return }
            switch body {
            case .deliver: transfer.deliverHeld()
            case .discard: if !transfer.discardHeld() { return endEarly(transfer) }
            }
            goOn(transfer)
        }

        func acknowledge(_ id: TransportTaskID, bytes: Int) {
            guard let transfer = transfers[id] else { return }
            transfer.acknowledge(bytes)
            watch(transfer)
        }

        /// Ends a transfer that libcurl has ended in the meantime, unless something else still stops it.
        private func goOn(_ transfer: CurlTransfer) {
            if let code = transfer.heldEnd, !transfer.isStopped { return end(transfer, code: code) }
            watch(transfer)
        }
    }
#endif
