#if os(Linux)
    import Foundation
    import Glibc

    extension HTTP1Connection {
        /// How far a request is.
        struct Sending {
            /// What is still to come of a body.
            enum Source {
                /// Nothing.
                case ended
                /// All of it, once the server agrees.
                case awaitsContinue(BodySource)
                case reader(any BodyReader, isAsked: Bool)
            }

            var hasBegun = false
            var writer = RequestWriter()
            /// What is sent next, and how much of it was sent.
            var output: [UInt8] = []
            var outputOffset = 0
            /// The number of the body's bytes in the output.
            var outputBody = 0
            /// The piece of the body that follows the output.
            var piece: Data?
            var pieceOffset = 0
            var source = Source.ended
            /// Whether the body's source was opened.
            var hasOpenedSource = false
            /// How many pieces the source was asked for.
            var asks = 0
            /// Whether the kernel takes no more for now.
            var isBlocked = false
            /// Whether all was sent.
            var isComplete = false
            var hasFailed = false
            /// Why the kernel takes no more; 0 if it does.
            var errorCode: Int32 = 0
            var bytesSent = 0
            /// The end of the response, if it came before the request was sent.
            var end: ResponseReader.End?
            /// When to look whether the request goes on, or the server has agreed.
            var nextLook: MonotonicInstant?
            /// The number of sent bytes at the last look.
            var bytesAtLook = 0

            /// Whether the kernel has accepted nothing.
            var isRefused: Bool { hasFailed && bytesSent == 0 }
        }
    }
#endif
