import Envelope
import Foundation
import FuzzSupport

/// The URL of an attachment: the reader takes all of the text, and Foundation, which fetches it, reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttachmentURL(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let text = String(decoding: input.rest, as: UTF8.self)
    check(input.selector & 1 == 0 ? text : "https://" + text)
    return 0
}

private func check(_ text: String) {
    guard let url = AttachmentURL(text) else { return }
    require(url.text == text && text.utf8.count <= 200, "what is read is the text")
    require(text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }, "it is plain")
    let authority =
        url.port == 443 && !text.hasPrefix("https://\(url.host):443/") ? url.host : "\(url.host):\(url.port)"
    let query = text.dropFirst("https://\(authority)\(url.path)".count)
    require(text == "https://\(authority)\(url.path)\(query)", "host, port and path are where they stand in it")
    require(query.isEmpty || query.hasPrefix("?"), "behind the path stands a query or nothing")
    let decoded = url.path.removingPercentEncoding.map { $0.split(separator: "/", omittingEmptySubsequences: false) }
    require(decoded?.contains { $0 == "." || $0 == ".." } != true, "the path goes nowhere else")
    guard let other = URL(string: text) else { return require(false, "Foundation reads it, too") }
    require(other.scheme == "https" && other.user == nil && other.fragment == nil, "Foundation sees nothing else")
    let host = other.host(percentEncoded: true).map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 }
    require(host == url.host, "Foundation sees the same host")
    require(other.port ?? 443 == Int(url.port), "Foundation sees the same port")
    require(other.path(percentEncoded: true) == url.path, "Foundation sees the same path")
}
