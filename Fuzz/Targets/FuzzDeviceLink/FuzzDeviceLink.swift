import FuzzSupport

@testable import DeviceLink

/// The link between a device and the simulator: the bytes of the wire, or frames of a fitting length. The second byte
/// is the length of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDeviceLink(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    guard input.bytes.count >= 2 else { return 0 }
    let rest = Array(input.bytes.dropFirst(2))
    let wire = input.selector & 1 == 0 ? rest : framed(rest)
    let whole = Read(wire, pieceByteCount: max(1, wire.count))
    let split = Read(wire, pieceByteCount: max(1, Int(input.bytes[1])))
    require(split == whole, "the same frames and the same fault, whatever the pieces")
    let written = whole.frames.flatMap(\.bytes)
    require(wire.starts(with: written), "a frame has one spelling")
    let restByteCount = wire.count - written.count
    let frameByteCountMax = DeviceFrame.lengthByteCount + DeviceFrame.byteCountMax
    require(whole.error != nil || restByteCount < frameByteCountMax, "no more than a frame waits")
    return 0
}

/// Frames behind their lengths: the byte before each is its length.
private func framed(_ steps: [UInt8]) -> [UInt8] {
    var (wire, rest): ([UInt8], ArraySlice<UInt8>) = ([], steps[...])
    while let count = rest.popFirst() {
        let frame = rest.prefix(Int(count))
        rest = rest.dropFirst(frame.count)
        wire += [0, 0, 0, UInt8(frame.count)] + frame
    }
    return wire
}

private struct Read: Equatable {
    private(set) var frames: [DeviceFrame] = []
    private(set) var error: DeviceLinkError?

    init(_ wire: [UInt8], pieceByteCount: Int) {
        var decoder = DeviceFrameDecoder()
        for start in stride(from: 0, to: wire.count, by: pieceByteCount) where error == nil {
            decoder.append(Array(wire[start..<min(start + pieceByteCount, wire.count)]).span)
            do throws(DeviceLinkError) {
                while let frame = try decoder.next() { frames.append(frame) }
            } catch {
                self.error = error
            }
        }
    }
}
