/// What a session keeps of one stream, in a slot.
struct HTTP2Stream {
    /// 0: the slot is free.
    var id: Int32 = 0
    var openedAt = MonotonicTime(nanoseconds: 0)
    var incoming = HTTP2Session.Message()
    var headerByteCount = 0
    /// What comes now is trailers, which nothing here uses.
    var isHeadDone = false
    var isMessageDone = false
    /// Reset by us, or on its way to be.
    var isAbandoned = false
    /// nghttp2 has turned the head into bytes: the peer may come to know of it.
    var isWritten = false
    var outgoing: [UInt8] = []
    var outgoingOffset = 0
}
