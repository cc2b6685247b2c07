internal import PostgreSQL
internal import PushStore

extension StoreError {
    init(_ error: PostgreSQLError) {
        if LeaseTable.isLateOwner(error) {
            self = .lateOwner
            return
        }
        switch error {
        case .uncertain: self = .uncertain
        case .overloaded: self = .overloaded
        case .broken(let reason):
            switch reason {
            case .readOnly: self = .unwritable
            case .unexpectedResult, .serverDamaged: self = .damaged
            default: self = .broken
            }
        case .notDone(let reason):
            switch reason {
            case .deadlineExceeded: self = .timedOut
            case .cancelled: self = .cancelled
            case .closed: self = .closed
            case .diskFull: self = .full
            case .cancelledByServer, .lockNotAvailable: self = .overloaded
            case .refused: self = .failed(operation: .step, code: 0)
            default: self = .disconnected
            }
        }
    }
}
