import APNS
import Envelope
import FuzzSupport
import Primitives
import PushStore
import ServiceParts

@testable import PushService

/// The bodies of the API, and the fields that route them. The first byte chooses the body and the header fields; `~s`
/// and the like stand for fields that a fuzzer would not make (`Stock`).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAPI(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    let body = request(Stock.filled(input.rest), input.selector)
    do throws(Problem) {
        switch input.selector & 7 {
        case 0: try checkNotifications(body)
        case 1: try checkDevice(body)
        case 2: if input.selector & 8 == 0 { try checkReceipts(body) } else { try checkBundleQuery(body) }
        case 3: try checkResends(body)
        case 4: try checkReplay(body)
        case 5: try checkSAP(body)
        case 6: try checkRoute(input.rest)
        default:
            if input.selector & 0x10 != 0 {
                checkTags(input.rest)
            } else if input.selector & 8 == 0 {
                try checkQuery(input.rest)
            } else {
                checkDate(input.rest)
            }
        }
    } catch {
        check(error)
    }
    return 0
}

private let topic = "com.example.chat"
private let byteCountMax = 65_536

private func request(_ body: [UInt8], _ selector: UInt8 = 0) -> APIRequest {
    var fields: [APIRequest.Field] =
        switch selector & 0x30 {
        case 0: [.init("content-type", "application/json")]
        case 0x10: [.init("content-type", "Application/JSON; charset=utf-8"), .init("content-encoding", "identity")]
        case 0x20: [.init("content-type", "text/plain")]
        default: [.init("content-type", "application/json"), .init("content-encoding", "gzip")]
        }
    if selector & 0x40 != 0 { fields.append(.init("idempotency-key", "k")) }
    return APIRequest(method: "POST", path: "/", fields: fields, body: body)
}

/// Checks that an answer with a remedy is bounded, and JSON.
private func check(_ problem: Problem) {
    require(problem.fields.count <= FieldErrors.countMax, "no more faults are named than may be")
    let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 4, allowsFractions: false)
    require((try? JSONParser.parse(problem.json, limits: limits)) != nil, "an answer is JSON")
    require((400...503).contains(problem.kind.status), "a refusal has a refusal's status")
}

// MARK: Notifications

private func checkNotifications(_ request: APIRequest) throws(Problem) {
    let value = try RequestBody.json(request, byteCountMax: byteCountMax)
    let submission = try read(request, value)
    let again = try? RequestBody.json(request, byteCountMax: byteCountMax)
    let second = again.flatMap { try? read(request, $0) }
    require(second.map { isSame($0, submission) } ?? false, "a body says the same twice")
    require(!hasPlainText(value), "no body with text in clear is taken")
    require((1...4).contains(submission.recipients.count), "no more recipients than may be")
    let rejected = submission.rejected
    require(submission.isPartial || rejected.isEmpty, "none is left out of a whole request")
    let indexes = submission.recipients.map(\.index) + rejected.map(\.index)
    let count = value["recipients"]?.elements?.count ?? 0
    require(indexes.sorted() == Array(0..<count), "each recipient is taken or left out")
    let devices = submission.recipients.map(\.device) + rejected.compactMap(\.device)
    require(Set(devices).count == devices.count, "each device once")
    for recipient in rejected { check(recipient.problem) }
    let answer = RecipientRejection.json(rejected)
    let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 6, allowsFractions: false)
    require(rejected.isEmpty || (try? JSONParser.parse(answer, limits: limits)) != nil, "an answer is JSON")
    let kind = submission.notificationClass
    require(kind.expirySeconds.contains(submission.expirySeconds), "one of few expirations")
    require(submission.collapseWord == nil || kind.collapses, "a call replaces none")
    require(kind.pushType.expects(submission.priority), "a priority of Apple's for the push type")
    for recipient in submission.recipients { check(recipient, submission) }
}

private let webPushRoom = SealedPayload.webPushRoom(placeholder: Stock.placeholder)

private func isSame(_ one: NotificationSubmission, _ other: NotificationSubmission) -> Bool {
    one.bundleID == other.bundleID && one.notificationClass == other.notificationClass && one.priority == other.priority
        && one.expirySeconds == other.expirySeconds && one.activity == other.activity
        && one.collapseWord == other.collapseWord && one.idempotencyKey == other.idempotencyKey
        && one.recipients == other.recipients && one.isPartial == other.isPartial && one.rejected == other.rejected
        && one.digest == other.digest
}

private func read(_ request: APIRequest, _ value: JSONValue) throws(Problem) -> NotificationSubmission {
    var random = FixedRandom(seed: 1)
    return try NotificationSubmission(
        request,
        value,
        app: { $0.text == topic ? webPushRoom : nil },
        recipientCountMax: 4,
        random: &random
    )
}

/// Checks that Apple gets a payload that it accepts, of which only the field and the trace are the sender's.
private func check(_ recipient: NotificationSubmission.Recipient, _ submission: NotificationSubmission) {
    let kind = submission.notificationClass
    require(Identifier.isValid(recipient.device.text), "a device's id is one")
    // Only a Live Activity may be too large, which is a fault of its own.
    guard let payload = try? submission.payload(for: recipient, placeholder: Stock.placeholder) else {
        return require(kind == .liveActivity, "a payload is one that Apple takes")
    }
    require(payload.count <= kind.pushClass.payloadByteCountMax, "a payload is no larger than Apple takes")
    let limits = JSONParser.Limits(byteCountMax: payload.count, depthMax: 4, allowsFractions: false)
    guard let value = try? JSONParser.parse(payload, limits: limits) else {
        return require(false, "a payload is JSON")
    }
    let names = value.members?.map(\.name) ?? []
    if kind.sealing == .refused || kind == .liveActivity { return require(names == ["aps"], "only Apple's member") }
    guard let own = recipient.field else {
        require(kind.sealing != .required && names == ["aps", "trace"], "what only wakes has nothing of the sender's")
        return
    }
    require(names == ["aps", own.format.rawValue, "trace"], "a payload has three members")
    let field = value[own.format.rawValue]?.string ?? ""
    require(field.utf8.elementsEqual(own.text), "the field is the sender's")
    require(value["trace"]?.string == recipient.trace.text, "the trace is the recipient's")
}

/// As in docs/service.md: these names at any depth, in any case.
private func hasPlainText(_ value: JSONValue) -> Bool {
    let names = ["title", "body", "alert", "subtitle", "message", "text"]
    let own = value.members?.contains { names.contains($0.name.lowercased()) } ?? false
    let children = (value.members?.map(\.value) ?? []) + (value.elements ?? [])
    return own || children.contains(where: hasPlainText)
}

private func checkSAP(_ request: APIRequest) throws(Problem) {
    let value = try RequestBody.json(request, byteCountMax: byteCountMax, allowsFractions: true)
    let notification = try SAPNotification(
        request,
        value,
        allowsClearText: true,
        isApp: { $0.text == topic },
        now: 1_900_000_000
    )
    require(notification.topic.fits(notification.pushType), "the topic goes with the push type")
    require(notification.bundleID.text == topic, "no app but the tenant's")
    let room = notification.pushType.payloadByteCountMax
    require(notification.payload.count <= room, "a payload is no larger than Apple takes")
    let again = (try? PushPayload(json: notification.payload)).flatMap { try? $0.bytes(for: notification.pushType) }
    require(again == notification.payload, "a payload is one that Apple takes")
    require(Set(notification.devices).count == notification.devices.count, "each device once")
    require((1...SAPNotification.deviceCountMax).contains(notification.devices.count), "no more devices than may be")
    let isRefused = (try? SAPNotification(request, value, allowsClearText: false, isApp: { _ in true }, now: 0)) == nil
    require(isRefused, "nothing goes in clear for a tenant that does not allow it")
}

// MARK: Devices and back ends

private func checkDevice(_ request: APIRequest) throws(Problem) {
    let upload = try DeviceUpload(RequestBody.json(request, byteCountMax: byteCountMax))
    var writer = JSONWriter()
    writer.object { writer in
        writer.member("token", upload.token.hex)
        if let token = upload.voIPToken { writer.member("voip-token", token.hex) }
        writer.member("topic", upload.bundleID.text)
        writer.member("environment", upload.environment.rawValue)
        writer.member("bundle", Base64URL.string(upload.keyBundle))
        if let language = upload.language { writer.member("language", language) }
        if let region = upload.region { writer.member("region", region) }
        if let version = upload.appVersion { writer.member("app-version", version) }
    }
    let written = APIRequest(method: "PUT", path: "/", fields: request.fields, body: writer.bytes)
    let again = try? DeviceUpload(RequestBody.json(written, byteCountMax: byteCountMax))
    require(again == upload, "a registration that is taken can be written and reads the same")
}

private func checkReceipts(_ request: APIRequest) throws(Problem) {
    let batch = try ReceiptBatch(RequestBody.json(request, byteCountMax: byteCountMax), countMax: 64)
    require((1...64).contains(batch.items.count), "no more receipts than may be")
    require(batch.items.allSatisfy { ReceiptHash(text: $0.hash.text) == $0.hash }, "a hash has one text")
}

private func checkBundleQuery(_ request: APIRequest) throws(Problem) {
    let query = try BundleQuery(RequestBody.json(request, byteCountMax: byteCountMax))
    require((1...BundleQuery.countMax).contains(query.items.count), "no more devices than may be")
    require(query.items.allSatisfy { Identifier.isValid($0.device.text) }, "a device's id is one")
    require(query.items.allSatisfy { (1...64).contains($0.tag?.utf8.count ?? 1) }, "a tag is short")
}

private func checkResends(_ request: APIRequest) throws(Problem) {
    let resends = try ResendRequest(RequestBody.json(request, byteCountMax: byteCountMax))
    require((1...ResendRequest.countMax).contains(resends.items.count), "no more traces than may be")
    require(resends.items.allSatisfy { Trace(text: $0.trace.text) == $0.trace }, "a trace has one text")
    require(resends.items.allSatisfy { $0.prekeyID?.count ?? 8 == 8 }, "a prekey's id has 8 bytes")
}

private func checkReplay(_ request: APIRequest) throws(Problem) {
    let replay = try DeadLetterReplay(RequestBody.json(request, byteCountMax: byteCountMax))
    require((1...DeadLetterReplay.countMax).contains(replay.ids.count), "no more ids than may be")
    require(Set(replay.ids).count == replay.ids.count, "each id once")
}

// MARK: Routes

/// Method, path: two lines.
private func checkRoute(_ bytes: [UInt8]) throws(Problem) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2 else { return }
    let match = try Router.match(method: lines[0], path: lines[1])
    require(match.route.method.utf8.elementsEqual(lines[0]), "the method is the route's")
    let steps = match.route.pattern.split(separator: "/", omittingEmptySubsequences: false)
    let path = steps.map { $0.first == "{" ? match.id ?? "" : String($0) }.joined(separator: "/")
    require(path.utf8.elementsEqual(lines[1]), "a path has one spelling")
    require(match.id.map(Identifier.isValid) ?? true, "an id in a path is one")
}

private func checkQuery(_ bytes: [UInt8]) throws(Problem) {
    let text = String(decoding: bytes, as: UTF8.self)
    let query = try PageQuery(text)
    require((1...PageQuery.limitMax).contains(query.limit), "a page is no longer than may be")
    let written = "limit=\(query.limit)" + (query.cursor.map { "&cursor=\($0)" } ?? "")
    require((try? PageQuery(written)) == query, "a query that is taken can be written and reads the same")
}

/// The value of `If-None-Match`.
private func checkTags(_ bytes: [UInt8]) {
    let (list, tag) = (String(decoding: bytes, as: UTF8.self), EntityTag(of: []))
    require(tag.isIn(tag.field + ", " + list), "the first of a list is in it")
    let holds = list == "*" || list.utf8.count >= tag.field.utf8.count && list.contains(tag.text)
    require(holds || !tag.isIn(list), "what is not there is not in it")
}

private func checkDate(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let seconds = ISODateTime.unixSeconds(text), (0...253_402_300_799).contains(seconds) else { return }
    let written = ISODateTime.text(milliseconds: seconds * 1_000)
    require(ISODateTime.unixSeconds(written) == seconds, "a date that is written reads as the same")
}
