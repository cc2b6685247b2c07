import FuzzSupport
import Localization

/// Tables of strings as text and as binary property list, and their formats: a part of a table equals the part of the
/// whole, and a format takes nothing but its arguments.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStrings(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 3 {
    case 0: check(table: input.rest)
    case 1: check(table: [0xFF, 0xFE] + input.rest)
    case 2: check(table: Array("bplist00".utf8) + input.rest)
    default: check(format: input.rest)
    }
    return 0
}

private func check(table bytes: [UInt8]) {
    do {
        let table = try StringsTable(bytes: bytes)
        for key in table.keys.prefix(3) {
            let part = try StringsTable(bytes: bytes, keeping: [key])
            require(part.count == 1 && part[key] == table[key], "a part of a table is what the whole says")
        }
        require(try StringsTable(bytes: bytes, keeping: []).count == 0, "nothing is kept that nobody wants")
    } catch {
        // Any proper refusal is right.
    }
}

/// Lines: the format, then its arguments.
private func check(format bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard let format = lines.first else { return }
    let text = LocalizedFormat.string(String(format), lines.dropFirst().map(String.init))
    require(text.utf8.count <= LocalizedFormat.byteCountMax, "a text has an end")
    let words = LocalizedFormat.string(String(format), [])
    require(words.utf8.count <= format.utf8.count, "without arguments, nothing comes but the format's own words")
}
