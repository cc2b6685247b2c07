package import Networking
import Platform
package import PushStore
package import ServiceParts

package enum ServiceError: Error, Equatable, Sendable {
    case configuration(ConfigurationErrors)
    case store(StoreError, path: String)
    /// Failed opening of a server's database, and what to do.
    case database(path: String, String, Persistence)
    case listen(address: String, port: UInt16, TransportError)
    case socket(SocketFileError)
    case system(TransportError)
    /// The certificate was valid when read.
    case tls(TLSError)
    case part(String)
}

extension ServiceError {
    package enum Persistence: Sendable {
        /// The same start fails again.
        case lasting
        case passing
    }
}

extension ServiceError: CustomStringConvertible {
    /// A line each for fault and advice, without a path.
    package var description: String {
        switch self {
        case .configuration(let error): error.faults.map(\.description).joined(separator: "\n")
        case .store(let error, let path): "\(path): \(error.advice)"
        case .database(let path, let text, _): "\(path): \(text)"
        case .listen(let address, let port, let error):
            "\(address.contains(":") ? "[\(address)]" : address):\(port): \(Self.listening(port, error))"
        case .socket(let error): error.description
        case .system(let error): error.description
        case .tls(let error): error.description
        case .part(let text): text
        }
    }
}

extension ServiceError {
    /// True if an unchanged start would fail again: systemd need not retry.
    package var isLasting: Bool {
        switch self {
        case .configuration, .database(_, _, .lasting): true
        case .store(.wrongKey, _), .store(.newerFile, _), .store(.notAStore, _), .store(.otherName, _): true
        // Other addresses may appear with the network, and ports become free.
        case .listen(_, _, .system("bind", EACCES)): true
        case .socket(let error): error.isLasting
        case .store, .database, .listen, .system, .tls, .part: false
        }
    }

    /// True while the disk accepts no writes, or no server answers: the same start succeeds later.
    package var passes: Bool {
        switch self {
        case .store(.full, _), .store(.unwritable, _), .database(_, _, .passing): true
        case .configuration, .store, .database, .listen, .socket, .system, .tls, .part: false
        }
    }

    private static func listening(_ port: UInt16, _ error: TransportError) -> String {
        switch error {
        case .system("bind", EACCES):
            "this user may not listen on port \(port): choose one from 1024 on, or allow it to every user "
                + "(sysctl net.ipv4.ip_unprivileged_port_start=\(port))"
        case .addressNotAvailable:
            "this machine has no such address now; see 'ip address', or listen on 0.0.0.0 or ::"
        default: error.description
        }
    }
}

extension StoreError {
    package var advice: String {
        switch self {
        case .inUse:
            "another process uses this database; stop it first, or give this one another database-file"
        case .wrongKey:
            "this database was made with another key: put that key back as token-key-file, from the back-up that is kept "
                + "apart from the database's; without it the registered device tokens cannot be read, and apps must "
                + "register again in an empty database"
        case .newerFile(let version, let newestKnown):
            "a later version of sealedpushd wrote this database (version \(version), and this one knows up to "
                + "\(newestKnown)); run that one, or restore an earlier back-up"
        case .notAStore: "the file is not a database of sealedpushd; give another database-file"
        case .damaged:
            "the database is damaged; 'sealedpushd integrity' says where; restore a back-up (docs/operations.md)"
        case .broken: "the disk lost acknowledged writes; check it, then start again"
        case .moved:
            "the file was moved, removed or replaced while the service ran, and it accepts nothing more: stop it, put the"
                + " file and the one with -wal behind its name back, and start it again; a start without them begins an"
                + " empty database"
        case .restored:
            "the database was restored: nothing is accepted or sent until you acknowledge that; stop the service, run"
                + " 'sealedpushd acknowledge-restore send' or '... drop' with its --config, and start it again"
                + " (docs/operations.md)"
        case .otherName:
            "the file has a second name (a hard link), by which another process could open it; remove the name that is not "
                + "database-file ('find -samefile' shows it)"
        case .full: "the disk is full; make room"
        case .unwritable: "the disk cannot be written: its file system is read-only, or it failed; check it"
        case .noStandby:
            "the database has no synchronous standby: start it, or set 'requires-standby' to false and accept a loss in a"
                + " failover"
        case .wrongClock(let seconds):
            "this relay's time is \(abs(seconds)) seconds \(seconds < 0 ? "behind" : "ahead of") the database's; set both"
                + " clocks (NTP)"
        case .otherSchema: "the database has the schema of another version; see 'sealedpushd migrate'"
        case .lateOwner: "another relay has taken over; this one tries again by itself"
        case .overloaded: "too many writes are waiting, or another process writes to the database"
        case .disconnected: "the connection to the database was lost; this is tried again by itself"
        case .timedOut: "the database took too long; check its disk"
        case .cancelled: "the call was cancelled"
        case .uncertain: "the disk failed during a write; check it, then start again"
        case .noPlace: "there is no slot for this device's id; use another id"
        case .closed: "the database is closed"
        case .invalidCursor, .byteCount: "a value is out of its range"
        case .failed(_, EMFILE), .failed(_, ENFILE):
            "too many files are open; raise the limit (LimitNOFILE of the unit, ulimit -n)"
        case .failed(let operation, let code):
            "the call '\(operation.rawValue)' failed with code \(code); is its folder the service's own, and writable?"
        }
    }
}
