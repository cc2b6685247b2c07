/// Search for many needles of 16 bytes at once, which looks at one place in up to 13 (Wu and Manber, 1994).
///
/// Longer values are cut into needles: a part of a value that holds one of them is found too.
struct NeedleSearch {
    static let windowByteCount = 16
    private static let blockByteCount = 4
    private static let tableBitCount = 17

    struct Needle: Hashable {
        let canary: Int
        let form: CanaryForm
    }

    private struct Window: Hashable {
        let low: UInt64
        let high: UInt64
    }

    /// Bytes by which a window moves if it ends with a block of this hash; 0: it may hold a needle.
    private var shifts = [UInt8](
        repeating: UInt8(windowByteCount - blockByteCount + 1),
        count: 1 << tableBitCount
    )
    private var needles: [Window: Needle] = [:]

    var needleCount: Int { needles.count }

    init(_ canaries: [Canary]) {
        for (index, canary) in canaries.enumerated() {
            for form in CanaryForm.allCases {
                for spelling in form.spellings(of: canary.value) { add(spelling, Needle(canary: index, form: form)) }
            }
        }
    }

    private mutating func add(_ spelling: [UInt8], _ needle: Needle) {
        for start in stride(from: 0, through: spelling.count - Self.windowByteCount, by: Self.windowByteCount) {
            let piece = Array(spelling[start..<start + Self.windowByteCount])
            unsafe piece.withUnsafeBytes { bytes in
                let window = unsafe Self.window(bytes, at: 0)
                // Two forms may have one spelling: the first names it.
                guard needles[window] == nil else { return }
                needles[window] = needle
                for end in Self.blockByteCount...Self.windowByteCount {
                    let slot = unsafe Self.slot(bytes, endingAt: end)
                    shifts[slot] = min(shifts[slot], UInt8(Self.windowByteCount - end))
                }
            }
        }
    }

    /// Reports each needle with the offset of its first byte.
    func search(_ bytes: UnsafeRawBufferPointer, report: (Needle, Int) -> Void) {
        unsafe shifts.withUnsafeBufferPointer { shifts in
            var end = Self.windowByteCount
            while end <= bytes.count {
                let shift = unsafe shifts[Self.slot(bytes, endingAt: end)]
                guard shift == 0 else {
                    end += Int(shift)
                    continue
                }
                let start = end - Self.windowByteCount
                if let needle = unsafe needles[Self.window(bytes, at: start)] { report(needle, start) }
                end += 1
            }
        }
    }

    private static func window(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Window {
        Window(
            low: unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self),
            high: unsafe bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
        )
    }

    @inline(__always)
    private static func slot(_ bytes: UnsafeRawBufferPointer, endingAt end: Int) -> Int {
        let block = unsafe bytes.loadUnaligned(fromByteOffset: end - blockByteCount, as: UInt32.self)
        // Multiplicative hash (Knuth, volume 3, section 6.4).
        return Int(truncatingIfNeeded: (block &* 2_654_435_769) >> UInt32(32 - tableBitCount))
    }
}
