extension PostgreSQLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notDone(let reason): "the database stored nothing: \(reason)"
        case .uncertain(let reason): "the database may have stored it: \(reason); repeat it under the same key"
        case .overloaded(let reason): "the database is overloaded: \(reason)"
        case .broken(let reason): "the database cannot be used: \(reason)"
        }
    }
}

extension PostgreSQLError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let text): "no server answered (\(text)); check that it runs and that the URL names it"
        case .hostNotFound(let text): "its host's name has no address (\(text)); correct the URL or the name service"
        case .serverNotReady: "the server is starting or stopping; it is tried again"
        case .connectionLost: "the connection was lost"
        case .deadlineExceeded: "no answer within the call's time"
        case .cancelled: "the call was cancelled"
        case .closed: "this relay is stopping"
        case .standbyUnconfirmed: "the primary has it, and no standby confirmed it; check the standby"
        case .diskFull: "the server's disk is full; free space there"
        case .cancelledByServer: "the server cancelled the statement, which took too long; check its load"
        case .lockNotAvailable: "another transaction holds the same rows; it is tried again"
        case .refused(let state): "the server refused it with SQLSTATE \(state); its log says more"
        case .queueFull(let countMax): "\(countMax) calls wait already"
        case .tooManyConnections: "the server takes no more connections; raise max_connections, or use fewer"
        case .serverOutOfMemory: "the server has no memory left"
        case .badURL(let problem): "\(problem)"
        case .authenticationFailed:
            "the server refused user or password, or has no line for them in pg_hba.conf; correct the URL or that file"
        case .noDatabase: "the server has no database of that name; create it or correct the URL"
        case .insecure(let text):
            "no verified TLS (\(text)); give its authority as sslrootcert, and the name in its certificate as host"
        case .readOnly: "the server takes no writes; name the primary in the URL, or several hosts"
        case .olderTimeline:
            "the server was the primary before a failover; stop it, and make it a standby of the new one"
        case .serverTooOld(let version): "the server is version \(version / 10_000); use 14 or later"
        case .permissionDenied: "the user may not do this; migrate the schema as its owner, who grants the rights"
        case .schemaMismatch(let state): "a table or function is missing (SQLSTATE \(state)); migrate the schema first"
        case .serverDamaged(let state): "the server reports damage (SQLSTATE \(state)); read its log"
        case .unexpectedResult(let column): "column \(column) of a result is of another type; report this as a fault"
        case .library(let call): "\(call) of libpq failed; this process may be out of memory"
        }
    }
}

extension URLProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable: "its URL is unreadable; write postgresql://USER:PASSWORD@HOST/DATABASE, specials as %XX"
        case .missing(let name): "its URL has no \(name); add it"
        case .unknownParameter(let name): "its URL has the parameter '\(name)', which has no use here; remove it"
        case .insecureMode: "its URL asks for TLS without a check of the server's name; write sslmode=verify-full"
        case .portCount: "its URL has several ports, and another number of hosts; give one for each, or one for all"
        case .port: "its URL has a port that is no number up to 65535; correct it"
        }
    }
}
