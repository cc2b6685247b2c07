internal import Networking

/// A batch from the caller's hand to its end. Lives on the pool's loop.
final class PoolCall {
    typealias Outcome = Result<[QueryResult], PostgreSQLError>

    let batch: Batch
    /// True for the pool's own call, which ends sessions.
    let isOwn: Bool
    private(set) var isDone = false
    /// Its own while it runs.
    var connection: ServerConnection?
    var timer: LoopTimer?
    private let completion: (Outcome) -> Void

    init(_ batch: Batch, isOwn: Bool = false, _ completion: @escaping (Outcome) -> Void) {
        self.batch = batch
        self.isOwn = isOwn
        self.completion = completion
    }

    func complete(_ result: Outcome) {
        guard !isDone else { return }
        isDone = true
        timer?.cancel()
        timer = nil
        connection = nil
        completion(result)
    }
}
