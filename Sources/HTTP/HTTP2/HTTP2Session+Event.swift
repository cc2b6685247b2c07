extension HTTP2Session {
    package enum Role: Sendable {
        case client, server
    }

    package enum Event: Equatable {
        /// Complete request or response: `takeMessage`.
        case message(slot: Int)
        /// Server with a body budget: a request's fields, for `takeMessage`.
        case head(slot: Int)
        /// Server with a body budget: the body is discarded.
        case bodyRefused(slot: Int, HTTPBodyError)
        /// The stream is reset above `bodyByteCountHardMax`.
        case bodyTooLarge(slot: Int)
        /// Client: the stream of a malformed response is reset (RFC 9113 section 8.1.1).
        case malformed(slot: Int)
        /// Slot's last event; `code` as in RFC 9113 section 7, 0 for a clean end.
        case closed(slot: Int, code: UInt32)
        /// Peer's settings; `peerMaxConcurrentStreams` may have changed.
        case settings
        /// The peer takes no new streams: `peerGoAway`.
        case goAway
        case pong
        /// The peer flooded; GOAWAY with ENHANCE_YOUR_CALM is queued.
        case flooded
        /// The peer used a stream that it had closed or, at a server, did what a setting forbids; GOAWAY is queued.
        case ended
    }

    package struct GoAway: Equatable {
        /// Higher streams were not processed.
        package let lastStreamID: Int32
        package let code: UInt32
        package let debugData: [UInt8]
    }

    package struct Message {
        /// In order, without `:status`.
        package var headers = HeaderBlock()
        package var status = 0
        /// Empty above `bodyByteCountMax`.
        package var body: [UInt8] = []
        package var bodyByteCount = 0
        /// Headers cut at the limit.
        package var isHeaderTooLarge = false
    }

    package struct Tally: Equatable, Sendable {
        package var openedStreamCount = 0
        /// Streams above the limit.
        package var refusedStreamCount = 0
        /// Streams reset by either side before their response.
        package var brokenStreamCount = 0
        package var isFlooded = false
    }
}
