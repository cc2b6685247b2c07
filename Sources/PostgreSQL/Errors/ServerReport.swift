internal import CPostgreSQL

/// Severity and code of an error or warning that the server sent; its texts may hold contents, and are dropped.
struct ServerReport: Equatable {
    let severity: String
    /// nil for an error of the library's own, such as a lost connection.
    let state: SQLState?

    /// False if the server ends the session with it.
    var endsSession: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Warning without a code of its own, as that of a cancelled wait for the standby (syncrep.c). Its text depends on
    /// the server's language, and this project's statements raise no warnings.
    var mayBeUnconfirmed: Bool { severity == "WARNING" && state?.description == "01000" }

    /// Error of a statement whose transaction was rolled back.
    var error: PostgreSQLError {
        guard let state else { return .notDone(.connectionLost) }
        switch state.description {
        case "53300": return .overloaded(.tooManyConnections)
        case "53200": return .overloaded(.serverOutOfMemory)
        case "53100": return .notDone(.diskFull)
        case "57P01", "57P02", "57P03", "57P05": return .notDone(.serverNotReady)
        case "57014": return .notDone(.cancelledByServer)
        case "55P03", "40P01": return .notDone(.lockNotAvailable)
        case "25006": return .broken(.readOnly)
        case "3D000": return .broken(.noDatabase)
        case "42501": return .broken(.permissionDenied)
        default: break
        }
        switch state.classCode {
        case "28": return .broken(.authenticationFailed)
        case "42", "3F": return .broken(.schemaMismatch(state))
        case "58", "XX": return .broken(.serverDamaged(state))
        default: return .notDone(.refused(state))
        }
    }

    init(severity: String, state: SQLState?) {
        self.severity = severity
        self.state = state
    }

    /// - Parameter result: of libpq's; stays the caller's.
    init(_ result: OpaquePointer?) {
        severity = unsafe cpostgresql_severity(result).map { unsafe String(cString: $0) } ?? ""
        state = unsafe cpostgresql_state(result).flatMap { unsafe SQLState(String(cString: $0)) }
    }
}
