extension HTTP2Session {
    package enum Role: Sendable {
        case client, server
    }

    package enum Event: Equatable {
        /// A request (server) or response (client) is complete: `takeMessage`.
        case message(slot: Int)
        /// Server with a budget for bodies: a request's fields are there: `takeMessage`, without the body.
        case head(slot: Int)
        /// Server with a budget for bodies: nothing of the request's body is kept any more.
        case bodyRefused(slot: Int, HTTPBodyFault)
        /// More than `bodyByteCountHardMax` came, and the stream is being reset.
        case bodyTooLarge(slot: Int)
        /// Client: the response breaks the rules for messages (RFC 9113 section 8.1.1), and the stream is being reset.
        case malformed(slot: Int)
        /// The last event of a slot; `code` as in RFC 9113 section 7, 0 for a stream that ended well.
        case closed(slot: Int, code: UInt32)
        /// The peer's settings came: `peerMaxConcurrentStreams` may have changed.
        case settings
        /// The peer will take no new streams: `peerGoAway`.
        case goAway
        /// The peer answered a PING.
        case pong
        /// The peer floods; the session has said GOAWAY with ENHANCE_YOUR_CALM.
        case flooded
        /// The peer used a stream that it has closed or, at a server, did what a setting ends the connection for; the session
        /// has said GOAWAY.
        case ended
    }

    package struct GoAway: Equatable {
        /// Streams with a higher number were not acted on.
        package let lastStreamID: Int32
        package let code: UInt32
        package let debugData: [UInt8]
    }

    /// A complete request or response.
    package struct Message {
        /// Without `:status`, with all else, in order.
        package var headers = HeaderBlock()
        /// 0 for a request.
        package var status = 0
        /// Empty when there was more than `bodyByteCountMax`.
        package var body: [UInt8] = []
        /// What really came.
        package var bodyByteCount = 0
        /// The header block was larger than allowed, and what is here is its beginning.
        package var isHeaderTooLarge = false
    }

    /// Server: what there has been of streams.
    package struct Tally: Equatable, Sendable {
        /// Those that were let in.
        package var openedStreamCount = 0
        /// Those that were one too many.
        package var refusedStreamCount = 0
        /// Those that either side broke off before their answer.
        package var brokenStreamCount = 0
        /// Whether the peer was shown out for a flood.
        package var isFlooded = false
    }
}
