/// How far the header block has come that is on its way, if one is: while it lasts, the connection can do nothing else
/// (RFC 9113 section 4.3).
struct HTTP2HeaderProgress {
    /// When its first frame began; nil: no block is open.
    private(set) var began: MonotonicTime?
    private(set) var byteCount = 0
    private(set) var continuationCount = 0
    private var isLastFrame = false
    /// nghttp2 reads the rest for HPACK's sake, and reports nothing more of it.
    private var isIgnored = false

    /// HEADERS, or the promise of a push.
    mutating func begin(byteCount: Int, isLastFrame: Bool, now: MonotonicTime) {
        self = HTTP2HeaderProgress()
        began = now
        self.byteCount = byteCount
        self.isLastFrame = isLastFrame
    }

    mutating func goOn(byteCount: Int, isLastFrame: Bool) {
        self.byteCount += byteCount
        continuationCount += 1
        self.isLastFrame = isLastFrame
        if isIgnored && isLastFrame { began = nil }
    }

    /// What is left of it does not matter.
    mutating func ignoreRest() {
        isIgnored = true
        if isLastFrame { began = nil }
    }

    mutating func end() {
        began = nil
    }
}
