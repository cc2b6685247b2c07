import Envelope
import FuzzSupport

@testable import NotificationCore

/// An attachment's first bytes, and its sender's media type. The first byte chooses the kind; for an unknown kind, the
/// media type is the text up to a line's end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMedia(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let file = input.rest
    guard Int(input.selector) < known.count else {
        checkName(file)
        return 0
    }
    guard let type = MediaType(known[Int(input.selector)]), let format = AttachmentFormat(type) else {
        require(false, "a known type has a format")
        return 0
    }
    check(file, format)
    return 0
}

private let known = [
    "image/jpeg", "image/gif", "image/png", "audio/aiff", "audio/wav", "audio/mpeg", "audio/mp4", "video/mpeg",
    "video/mp4", "video/vnd.avi",
]

private func checkName(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let type = MediaType(text) else { return }
    require(type.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !(0x41...0x5A).contains($0) }, "a type is lower case")
    require(type.text.utf8.count { $0 == UInt8(ascii: "/") } == 1, "a type has one slash")
    guard let format = AttachmentFormat(type) else { return }
    require(!format.fileExtension.contains { $0 == "/" || $0 == "." }, "a file's name is ours")
}

private func check(_ file: [UInt8], _ format: AttachmentFormat) {
    let header = Array(file.prefix(AttachmentFormat.headerByteCount))
    let isHeader = format.isHeader(header)
    require(format.isHeader(file) == isHeader, "the first bytes tell a format")
    require(!isHeader || !header.isEmpty, "nothing is no file of any format")
    let formats = known.compactMap { MediaType($0).flatMap { AttachmentFormat($0) } }
    // The mark of MPEG-4 stands behind four bytes, which may be another's.
    let names = Set(formats.filter { $0.isHeader(header) }.map(\.typeIdentifier))
    require(names.subtracting(["public.mpeg-4", "public.mpeg-4-audio"]).count <= 1, "a file is of one format")
    guard let picture = format.picture else { return }
    checkSize(file, picture)
}

private func checkSize(_ file: [UInt8], _ picture: AttachmentFormat.Picture) {
    var readCount = 0
    let size = PictureSize(picture) { offset, count in
        readCount += 1
        guard offset < UInt64(file.count) else { return [] }
        return Array(file[Int(offset)...].prefix(count))
    }
    require(readCount <= 257, "a file is looked at in a bounded number of places")
    guard let size else { return }
    require(size.width > 0 && size.height > 0 && size.pixelCount >= UInt64(size.width), "a picture has a size")
    // Bytes behind the size do not matter.
    let longer = PictureSize(picture) { offset, count in
        let all = file + [UInt8](repeating: 0xFF, count: 64)
        guard offset < UInt64(all.count) else { return [] }
        return Array(all[Int(offset)...].prefix(count))
    }
    require(longer == size, "a size stands where it stands")
}
