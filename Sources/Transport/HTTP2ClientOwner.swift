/// Who started requests on a connection without waiting for each in a task of its own. Called on the loop.
package protocol HTTP2ClientOwner: AnyObject {
    /// Request `id` has ended, and its name is free.
    func requestDidEnd(_ id: UInt64, _ result: Result<HTTP2Response, TransportError>)
    /// Something came, or bytes left: there may be room for requests that there was none for.
    func connectionDidProgress()
}

extension HTTP2ClientCore {
    /// How many requests the peer allows at once; 0 before its SETTINGS have come.
    package var peerMaxConcurrentStreams: Int { session?.peerMaxConcurrentStreams ?? 0 }

    /// How many requests have a stream.
    package var openStreamCount: Int { session?.openStreamCount ?? 0 }

    /// Whether requests are taken: connected, and neither side has said goodbye.
    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// Bytes of bodies that were submitted and could not yet be written: the peer's window is closed (RFC 9113 section
    /// 5.2), or the socket is full. What is put behind them would be better off on another connection.
    package var unsentBodyByteCount: Int { session?.unsentBodyByteCount ?? 0 }

    /// How much more of bodies can be submitted so that none of them is cut: up to the end of the peer's window (RFC 9113
    /// section 6.9) or to the next of our own marks in it.
    package var bodyRoomByteCount: Int { session?.bodyRoomByteCount ?? 0 }

    /// Whether one body is out in part, and not to its end.
    package var isBodyCut: Bool { session?.isBodyCut ?? false }
}
