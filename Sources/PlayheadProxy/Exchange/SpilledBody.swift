import NIOCore
import NIOPosix

/// Sends a request body from a spill file, piece by piece, as the other end takes it.
///
/// Confined to the event loop; the file is read on threads.
final class SpilledBody {
    private static let pieceSize = 256 * 1024

    private let file: SpillFile.Reader
    private let eventLoop: any EventLoop
    private var isReading = false
    private var isDone = false
    private var isPaused = false
    /// Takes the next octets.
    var body: (ByteBuffer) -> Void = { _ in }
    /// Hears that there are no more, or why the rest is missing.
    var end: (SpillFile.Failure?) -> Void = { _ in }

    init(_ file: SpillFile, eventLoop: any EventLoop) {
        self.file = file.reader()
        self.eventLoop = eventLoop
    }

    func setPaused(_ paused: Bool) {
        self.isPaused = paused
        self.read()
    }

    /// Nothing more is sent.
    func cancel() {
        self.isDone = true
        self.body = { _ in }
        self.end = { _ in }
    }

    func read() {
        guard !self.isPaused, !self.isReading, !self.isDone else { return }
        self.isReading = true
        let file = self.file
        let piece = NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) {
            try file.next(Self.pieceSize)
        }
        piece.assumeIsolated().whenComplete { result in
            self.isReading = false
            guard !self.isDone else { return }
            switch result {
            case .success(let octets) where octets.readableBytes > 0:
                self.body(octets)
                self.read()
            case .success:
                self.isDone = true
                self.end(nil)
            case .failure(let error):
                self.isDone = true
                self.end(error as? SpillFile.Failure ?? SpillFile.Failure(code: 0))
            }
        }
    }
}

@available(*, unavailable)
extension SpilledBody: Sendable {}
