/// Answers to one batch, and what its end means. A value: no connection in it.
struct BatchProgress {
    enum Step: Equatable {
        case prepare(Statement)
        case call
        case sync
    }

    enum End {
        case results([QueryResult])
        /// The session can go on.
        case failed(PostgreSQLError)
        /// The session has ended, or cannot be used any more; `lost` has the error.
        case lost(PostgreSQLError.Reason)
    }

    private let writes: Bool
    private var steps: ArraySlice<Step>
    private var results: [QueryResult] = []
    /// First error. The server has rolled the transaction back, or will.
    private var failure: PostgreSQLError?
    private var isUnconfirmed = false
    private(set) var prepared: [Statement] = []
    /// True once its last byte left this process: before that the server cannot commit, since it has no Sync.
    var isSent = false

    init(_ steps: [Step], writes: Bool) {
        self.steps = steps[...]
        self.writes = writes
    }

    mutating func handle(_ warning: ServerReport) {
        if warning.mayBeUnconfirmed { isUnconfirmed = true }
    }

    /// - Returns: the batch's end; nil before.
    mutating func handle(_ reply: Session.Reply) -> End? {
        switch reply {
        case .end:
            guard let step = steps.first, step != .sync else { return broken }
            steps.removeFirst()
        case .result(let result):
            switch steps.first {
            case .prepare(let statement): prepared.append(statement)
            case .call: results.append(result)
            case .sync, nil: return broken
            }
        case .skipped: break
        case .failed(let report):
            if report.endsSession || report.state == nil { return .lost(report.error.reason) }
            failure = failure ?? report.error
        case .sync:
            guard steps.first == .sync else { return broken }
            if let failure { return .failed(failure) }
            if writes, isUnconfirmed { return .failed(.uncertain(.standbyUnconfirmed)) }
            return .results(results)
        }
        return nil
    }

    /// Error for a batch that ends before its Sync was answered.
    func lost(_ reason: PostgreSQLError.Reason) -> PostgreSQLError {
        if let failure { return failure }
        return writes && isSent ? .uncertain(reason) : .notDone(reason)
    }

    /// An answer out of turn.
    private var broken: End { .lost(.library(call: "PQgetResult")) }
}
