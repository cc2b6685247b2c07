/// One request to a server that authenticates itself.
package struct HTTPSRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// Certificate authorities to trust.
    package enum Trust: Sendable, Hashable {
        case system
        case file(path: String)
    }

    package struct Body: Sendable {
        package let byteCount: UInt64
        /// Fills the span as far as it can, on the exchange's thread: at least one byte until `byteCount` are read; nil
        /// on failure.
        package let read: @Sendable (inout MutableRawSpan) -> Int?

        package init(byteCount: UInt64, read: @escaping @Sendable (inout MutableRawSpan) -> Int?) {
            self.byteCount = byteCount
            self.read = read
        }
    }

    /// Timeouts for an idle server.
    package struct Patience: Sendable, Hashable {
        /// Seconds for name, connection and handshake: 1 or more.
        package var connectSeconds = 5
        /// Seconds without a byte: 1 or more.
        package var stallSeconds = 5
        /// Seconds for the whole exchange: 1 or more; nil for no limit.
        package var wholeSeconds: Int?

        package init() {}
    }

    /// Fixed addresses of a host: no socket connects elsewhere, whatever its name resolves to.
    package struct Pin: Sendable, Hashable {
        /// URL's host: a name, or an address without brackets.
        package let host: String
        package let port: UInt16
        /// 4 or 16 bytes each, in network order and order of trial.
        package let addresses: [[UInt8]]

        package init(host: String, port: UInt16, addresses: [[UInt8]]) {
            self.host = host
            self.port = port
            self.addresses = addresses
        }
    }

    package var method: Method
    /// URL, validated by the caller.
    package var url: String
    /// Names and values without line breaks.
    package var fields: [(name: String, value: String)] = []
    package var body: Body?
    package var trust = Trust.system
    /// Connects here in place of the URL's host; the certificate must still name that host.
    package var destination: (host: String, port: UInt16)?
    /// Addresses to connect to; nil for those of DNS. Not with `destination`.
    package var pin: Pin?
    /// Called with the server's address (4 or 16 bytes) after the handshake. False ends the request with
    /// `.refusedByCaller`, with nothing sent. May block in an `HTTPSExchange`.
    package var mayBegin: (@Sendable (_ address: [UInt8]) -> Bool)?
    /// Allows reused connections and HTTP/2: for `HTTPSConnections`.
    package var sharesConnections = false
    /// Allows `http`, which neither authenticates nor encrypts.
    package var allowsPlainHTTP = false
    package var patience = Patience()

    package init(_ method: Method, _ url: String) {
        self.method = method
        self.url = url
    }
}

package struct HTTPSHead: Sendable {
    /// 200 to 999; interim ones (RFC 9110, section 15.2) are skipped.
    package var status: Int
    package var fields: [(name: String, value: String)]

    package init(status: Int, fields: [(name: String, value: String)]) {
        self.status = status
        self.fields = fields
    }

    /// Value of a field; nil without it, or with values that differ.
    package subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

/// Reveals nothing of the request.
package enum HTTPSError: Error, Hashable, Sendable {
    case cancelled
    /// Answer rejected by the caller, or request's body unreadable.
    case refusedByCaller
    /// No name, route or listener, or too slow to connect.
    case notReached
    case notTrusted
    /// Certificate expired or not valid yet, by this machine's clock.
    case certificateHasBadDate
    /// Connection ended before the answer, or stalled.
    case connectionLost
    /// Answer not in HTTP, or head too long.
    case malformedAnswer
    case library(call: String, code: Int32)
}
