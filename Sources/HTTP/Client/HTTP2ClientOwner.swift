package import Networking

/// Starts requests without a task for each. Called on the loop.
package protocol HTTP2ClientOwner: AnyObject {
    func requestDidEnd(_ id: UInt64, _ result: Result<HTTP2Response, TransportError>)
    /// Bytes came or left: there may be room for more requests.
    func connectionDidProgress()
}

extension HTTP2ClientCore {
    /// Peer's limit; 0 before its SETTINGS.
    package var peerMaxConcurrentStreams: Int { session?.peerMaxConcurrentStreams ?? 0 }

    package var openStreamCount: Int { session?.openStreamCount ?? 0 }

    /// True while connected, without GOAWAY from either side.
    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// The peer's window is closed (RFC 9113 section 5.2), or the socket is full. Send new requests on another
    /// connection.
    package var unsentBodyByteCount: Int { session?.unsentBodyByteCount ?? 0 }

    /// Body bytes up to the end of the peer's window (RFC 9113 section 6.9) or our next mark in it.
    package var bodyRoomByteCount: Int { session?.bodyRoomByteCount ?? 0 }

    /// True while a body is sent in part.
    package var isBodyCut: Bool { session?.isBodyCut ?? false }
}
