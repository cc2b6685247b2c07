import Envelope
import FuzzSupport
import Primitives

@testable import PushService

/// Header fields of a server's push, `name: value` a line, and behind an empty line its body. The first byte allows or
/// forbids the draft.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGateway(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let (fields, body) = split(Array(input.rest))
    let request = APIRequest(method: "POST", path: "/wp/a", fields: fields, body: body)
    checkToken(request, allowsDraft: input.selector & 1 == 1)
    do throws(Problem) { checkPush(try WebPushRequest(request), body) } catch {
        require([400, 415].contains(error.kind.status), "a refusal says what is wrong with the fields")
    }
    return 0
}

private func split(_ bytes: [UInt8]) -> (fields: [APIRequest.Field], body: [UInt8]) {
    var fields: [APIRequest.Field] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        guard !line.isEmpty else { return (fields, Array(rest)) }
        let sides = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { continue }
        let name = String(decoding: sides[0], as: UTF8.self)
        fields.append(.init(name, String(decoding: sides[1].drop { $0 == 0x20 }, as: UTF8.self)))
    }
    return (fields, [])
}

private func checkPush(_ push: WebPushRequest, _ body: [UInt8]) {
    let kind = push.notificationClass
    require([.urgent, .normal, .background].contains(kind), "one of three classes")
    require(push.ttl >= 0 && push.expirySeconds <= push.ttl, "no life beyond what the server asked for")
    require(push.expirySeconds == 0 || kind.expirySeconds.contains(push.expirySeconds), "one of few expirations")
    require((1...32).contains(push.topic?.utf8.count ?? 1), "a topic is short")
    let record = push.record(body)
    let headByteCount = push.isDraft ? 86 : 0
    require(record.count == headByteCount + body.count, "the draft's fields have one length, and the body stays")
    require(record.suffix(body.count).elementsEqual(body), "the body is the server's")
    require(!push.isDraft || record[20] == 65, "the head is that of RFC 8188")
}

private func checkToken(_ request: APIRequest, allowsDraft: Bool) {
    let now = Timestamp(milliseconds: 1_900_000_000_000)
    for bound in [nil, Array(repeating: 0, count: 32)] as [[UInt8]?] {
        var verifier = VAPIDVerifier()
        let origin = "https://push.example.com"
        let first = Result { () throws(VAPIDError) in
            try verifier.check(request, boundTo: bound, origin: origin, allowsDraft: allowsDraft, now: now)
        }
        let again = Result { () throws(VAPIDError) in
            try verifier.check(request, boundTo: bound, origin: origin, allowsDraft: allowsDraft, now: now)
        }
        require(first == again, "the verdict is the same from memory")
        guard let key = (try? first.get()) ?? nil else { continue }
        require(bound == nil || key.hash == bound, "an endpoint's key is the only one for it")
    }
}
