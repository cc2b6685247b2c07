/// Failed call. Never holds a parameter, a row or a password: of the server's own text only its five-character code.
package enum PostgreSQLError: Error, Equatable, Sendable {
    /// Nothing was stored: call again.
    case notDone(Reason)
    /// The transaction may have been committed, perhaps on the primary alone: ask with the same key.
    case uncertain(Reason)
    /// Too much work, here or there; nothing was stored. Call again later.
    case overloaded(Reason)
    /// Nothing was stored, nor will be until the configuration, the server or this program is changed.
    case broken(Reason)

    package var reason: Reason {
        switch self {
        case .notDone(let reason), .uncertain(let reason), .overloaded(let reason), .broken(let reason): reason
        }
    }

    package enum Reason: Equatable, Sendable {
        /// No server answered; the library's words, which name host and port.
        case unreachable(String)
        case hostNotFound(String)
        /// Starting, stopping, or recovering from a crash.
        case serverNotReady
        case connectionLost
        case deadlineExceeded
        case cancelled
        case closed
        /// Committed on the primary; the wait for the standby was cancelled (syncrep.c).
        case standbyUnconfirmed
        case diskFull
        /// The server cancelled it: `statement_timeout`, or an operator.
        case cancelledByServer
        /// Another transaction held a lock for too long, or the two waited for each other.
        case lockNotAvailable
        /// Refused for another reason, by the server's code.
        case refused(SQLState)

        /// Pool's queue.
        case queueFull(countMax: Int)
        case tooManyConnections
        case serverOutOfMemory

        case badURL(URLProblem)
        /// Wrong user or password, or no entry in pg_hba.conf.
        case authenticationFailed
        case noDatabase
        /// TLS, the library's words: an unknown authority, another name, no TLS.
        case insecure(String)
        /// Standby, or a server with `default_transaction_read_only`.
        case readOnly
        /// Primary from before a failover that this process has seen.
        case olderTimeline
        case serverTooOld(version: Int)
        case permissionDenied
        /// Table, column or function that is not there.
        case schemaMismatch(SQLState)
        case serverDamaged(SQLState)
        case unexpectedResult(column: Int)
        /// Failed call of the library, without a reason.
        case library(call: String)
    }
}

/// The server's code of an error: five digits or capitals (its appendix A).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Returns: nil for other texts.
    package init?(_ text: some StringProtocol) {
        let isCode = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        guard text.utf8.count == 5, isCode else { return nil }
        description = String(text)
    }

    var classCode: Substring { description.prefix(2) }
}

/// Fault of a database's URL.
package enum URLProblem: Equatable, Sendable {
    case unreadable
    case missing(String)
    case unknownParameter(String)
    /// TLS mode that does not verify the server's name.
    case insecureMode
    case portCount
    case port
}
