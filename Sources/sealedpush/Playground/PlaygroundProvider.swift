import APNS
import CommandLineTool
import HTTP
import Networking
import Platform
import Primitives

/// Back end of the page: pushes over TLS and HTTP/2 with the folder's key, as a team's own does.
actor PlaygroundProvider {
    /// Apple refuses a token after an hour, and a new one within twenty minutes.
    private static let tokenSecondCountMax: Int64 = 45 * 60

    nonisolated let authority: String
    private let port: UInt16
    private let context: TLSContext
    private let loop: EventLoop
    private let sign: @Sendable (_ issuedAt: Int64) throws(CommandError) -> [UInt8]
    private var connection: HTTP2ClientConnection?
    private var token: (issuedAt: Int64, authorization: [UInt8])?

    init(
        port: UInt16,
        context: TLSContext,
        loop: EventLoop,
        sign: @escaping @Sendable (Int64) throws(CommandError) -> [UInt8]
    ) {
        self.port = port
        self.context = context
        self.loop = loop
        self.sign = sign
        authority = "localhost:\(port)"
    }

    func authorization() throws(CommandError) -> [UInt8] {
        let now = Int64(SystemClock.millisecondsSince1970 / 1_000)
        if let token, now - token.issuedAt < Self.tokenSecondCountMax { return token.authorization }
        let authorization = try sign(now)
        token = (now, authorization)
        // A connection's new token would count against its twenty minutes.
        connection = nil
        return authorization
    }

    /// Value for a token that was issued this many seconds from now.
    func authorization(after seconds: Int64) throws(CommandError) -> [UInt8] {
        let now = Int64(SystemClock.millisecondsSince1970 / 1_000)
        return try sign(now.addingReportingOverflow(seconds).partialValue)
    }

    /// Sends once more if the connection had ended before: an idle one is closed.
    func send(_ request: HTTP2Request) async throws(TransportError) -> HTTP2Response {
        if let connection {
            do throws(TransportError) { return try await connection.send(request) } catch {
                self.connection = nil
                guard case .notProcessed = error else { throw error }
            }
        }
        let fresh = try await connect()
        connection = fresh
        do throws(TransportError) { return try await fresh.send(request) } catch {
            connection = nil
            throw error
        }
    }

    func connect() async throws(TransportError) -> HTTP2ClientConnection {
        try await .connect(host: "localhost", port: port, context: context, loop: loop)
    }
}
