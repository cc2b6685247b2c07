import AttachmentStream
import Envelope
import FuzzSupport
import Primitives

/// A stored attachment, or an attacker's version: raw bytes, or a sealed file with some changes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttachment(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    var reader = ByteReader(input.rest[...])
    guard let length = reader.take(UInt16.self), let split = reader.take(UInt16.self) else { return 0 }
    if input.selector & 1 == 0 {
        check(stored: Array(input.rest.dropFirst(4)), split: split)
    } else {
        check(sealed: Sealed(byteCount: Int(length)), steps: &reader, split: split)
    }
    return 0
}

/// Up to four whole chunks and the end.
private struct Sealed {
    static let key = [UInt8](repeating: 7, count: ChunkFormat.keyByteCount)
    let plaintext: [UInt8]
    let bytes: [UInt8]

    init(byteCount: Int) {
        let plaintext = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var sealer = unsafe ChunkSealer(
            key: SecretBytes(copying: Self.key.span.bytes),
            salt: [UInt8](repeating: 1, count: ChunkFormat.saltByteCount),
            context: [2]
        )
        var sealed = sealer.head
        do {
            try unsafe sealer.update(plaintext.span.bytes) { sealed += [UInt8](copying: $0) }
            try sealer.finish { sealed += [UInt8](copying: $0) }
        } catch {
            require(false, "what is short can be sealed")
        }
        self.plaintext = plaintext
        bytes = sealed
    }
}

private struct Opened: Equatable {
    var released: [UInt8] = []
    var error: AttachmentError?

    init(_ bytes: [UInt8], pieceByteCount: Int) {
        var released: [UInt8] = []
        var opener = unsafe ChunkOpener(key: SecretBytes(copying: Sealed.key.span.bytes), context: [2])
        do throws(AttachmentError) {
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                let piece = Array(bytes[start..<min(start + pieceByteCount, bytes.count)])
                try unsafe opener.update(piece.span.bytes) { released += [UInt8](copying: $0) }
            }
            try opener.finish { released += [UInt8](copying: $0) }
        } catch {
            self.error = error
        }
        self.released = released
    }
}

private func check(stored bytes: [UInt8], split: UInt16) {
    let opened = Opened(bytes, pieceByteCount: bytes.count + 1)
    require(opened.error != nil && opened.released.isEmpty, "bytes that nobody sealed release nothing")
    require(opened.error != .truncated || bytes.count < ChunkFormat.headByteCount, "a head that is whole is looked at")
    require(Opened(bytes, pieceByteCount: Int(split) + 1) == opened, "a split makes no difference")
}

private func check(sealed: Sealed, steps reader: inout ByteReader, split: UInt16) {
    var bytes = sealed.bytes
    while let step = reader.take(UInt8.self), let place = reader.take(UInt16.self), let other = reader.take(UInt16.self)
    {
        change(&bytes, step, Int(place), Int(other))
    }
    let opened = Opened(bytes, pieceByteCount: Int(split) + 1)
    require((opened.error == nil) == (bytes == sealed.bytes), "what opens is what was sealed, all of it")
    if opened.error == nil { require(opened.released == sealed.plaintext, "it opens to what it was") }
    require(sealed.plaintext.starts(with: opened.released), "what is released is the beginning of what was sealed")
    let isWhole = opened.released.count % ChunkFormat.plaintextByteCount == 0
    require(opened.error == nil || isWhole, "before an error, whole chunks are released")
    require(Opened(bytes, pieceByteCount: bytes.count + 1) == opened, "a split makes no difference")
}

/// Offsets are of bytes, or of chunks, which a fuzzer would seldom hit.
private func change(_ bytes: inout [UInt8], _ step: UInt8, _ place: Int, _ other: Int) {
    let (here, there) = (chunk(place, of: bytes), chunk(other, of: bytes))
    switch step & 7 {
    case 0: if place < bytes.count { bytes[place] ^= UInt8(truncatingIfNeeded: other) }
    case 1: bytes.removeLast(min(place, bytes.count))
    case 2: bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: other), count: place)
    case 3: bytes.removeSubrange(here)
    case 4: bytes.insert(contentsOf: bytes[there], at: here.lowerBound)
    case 5:
        let copy = Array(bytes[there])
        bytes.replaceSubrange(here, with: copy)
    case 6: bytes.removeSubrange(min(place, bytes.count)..<min(place + other % 64, bytes.count))
    default: if here.upperBound > 0, !here.isEmpty { bytes[here.upperBound - 1] ^= UInt8(truncatingIfNeeded: other) }
    }
}

private func chunk(_ number: Int, of bytes: [UInt8]) -> Range<Int> {
    let start = min(ChunkFormat.headByteCount + number % 5 * ChunkFormat.sealedByteCount, bytes.count)
    return start..<min(start + ChunkFormat.sealedByteCount, bytes.count)
}
