import CEvent
import Glibc
import Platform

/// What an HTTP/1.1 server allows and how long it waits.
package struct HTTP1Limits: Sendable {
    /// The request line and all fields.
    package var headerByteCountMax = 16 << 10
    /// Of one request; so much memory each connection may take.
    package var bodyByteCountMax = 1 << 20
    /// Who comes when there are so many waits in the system's queue.
    package var connectionCountMax = 128
    /// From the connection, or the last answer, to the end of the next request, however steadily its bytes drip in.
    package var requestDeadline: Duration = .seconds(60)
    /// For each 64 KiB of an answer.
    package var answerDeadline: Duration = .seconds(60)

    package init() {}
}

/// Listens, and serves HTTP/1.1 on a thread of its own: over TLS, or in plain text to this machine only.
///
/// Requests are handed on whole and one at a time: while a handler works, everybody waits.
package final class HTTP1Server: Sendable {
    /// The port it listens on: the one asked for, or the one the system chose for port 0.
    package let port: UInt16
    private let run: HTTP1ServerRun

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 literal, or "localhost".
    ///   - port: 0 lets the system choose.
    ///   - context: a server's, with `http/1.1` among its protocols.
    ///   - limits: what is allowed, and how long.
    ///   - handle: called on the server's thread for every request that is well-formed.
    /// - Returns: the server, which ends its connections and itself when its last reference goes.
    /// - Throws: `.addressInUse` with the port, among others.
    package static func start(
        address: String,
        port: UInt16,
        context: TLSContext,
        limits: HTTP1Limits = HTTP1Limits(),
        handle: @escaping @Sendable (HTTP1Request) -> HTTP1Response
    ) throws(TransportError) -> HTTP1Server {
        try listen(address, port, context, limits, handle)
    }

    /// Starts to listen on 127.0.0.1, in plain text: for people and their tools on this machine. Other programs of the
    /// machine can call it too, and so can every page in a browser on it: let each request prove that it may.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - limits: what is allowed, and how long; connections are not counted, and deadlines are for a silent caller.
    ///   - handle: as with TLS; it must not answer with a file.
    /// - Returns: the server, as with TLS. Closing it still writes what was answered.
    /// - Throws: `.addressInUse` with the port, among others.
    package static func startPlain(
        port: UInt16,
        limits: HTTP1Limits = HTTP1Limits(),
        handle: @escaping @Sendable (HTTP1Request) -> HTTP1Response
    ) throws(TransportError) -> HTTP1Server {
        try listen("127.0.0.1", port, nil, limits, handle)
    }

    private static func listen(
        _ address: String,
        _ port: UInt16,
        _ context: TLSContext?,
        _ limits: HTTP1Limits,
        _ handle: @escaping @Sendable (HTTP1Request) -> HTTP1Response
    ) throws(TransportError) -> HTTP1Server {
        let addresses = try SocketAddress.resolve(host: address, port: port, isPassive: true)
        let socket = try Socket(family: addresses[0].family)
        try socket.listen(at: addresses[0], backlog: 512)
        let boundPort = try socket.localPort()
        let run = HTTP1ServerRun(context: context, handle: handle)
        try run.start(listener: socket.release(), limits)
        return HTTP1Server(port: boundPort, run: run)
    }

    private init(port: UInt16, run: HTTP1ServerRun) {
        self.port = port
        self.run = run
    }

    deinit {
        run.stop {}
    }

    /// Ends all connections at once, and returns when the port is free.
    package func close() async {
        await withCheckedContinuation { continuation in run.stop { continuation.resume() } }
    }
}
