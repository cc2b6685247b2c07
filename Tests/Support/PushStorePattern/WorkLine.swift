package import PushStore

/// A worker's line before and after each call to a store: all that is left of the worker when it is killed.
package enum WorkLine: Equatable, Sendable {
    /// Before a request with a key goes in: the numbers of its entries are `number ..< number + count`.
    case enqueuing(number: UInt64, count: Int)
    /// After that request.
    case stored(number: UInt64, ids: [EntryID])
    /// After that request, with its entries in flight.
    case sending(number: UInt64, ids: [EntryID])
    case marking(EntryID)
    case marked(EntryID)
    /// Before the entry gets this state; a retry is `queued`.
    case finishing(EntryID, String)
    case finished(EntryID, String)
    /// After the end of an attempt that wrote nothing: it does not count.
    case putOff(EntryID, String)
    case receipting(EntryID)
    case receipted(EntryID)
    /// Before at most so many claimed fallbacks begin to be sent.
    case claiming(count: Int)
    /// Its fallback is being sent.
    case claimed(EntryID)
    /// After the lines of all fallbacks that began.
    case claims(count: Int)
    /// Its fallback was sent, and its hook is there.
    case reported(EntryID)
    /// Before a hook is finished; its kind.
    case telling(EntryID, String)
    case told(EntryID, String)
    case putting(device: Int, version: UInt64)
    case put(device: Int, version: UInt64)
    case deleting(device: Int)
    case deleted(device: Int)

    /// The line's entry; nil for requests and devices.
    package var entryID: EntryID? {
        switch self {
        case .marking(let id), .marked(let id), .finishing(let id, _), .finished(let id, _), .putOff(let id, _),
            .receipting(let id),
            .receipted(let id), .claimed(let id), .reported(let id), .telling(let id, _), .told(let id, _):
            id
        case .enqueuing, .stored, .sending, .claiming, .claims, .putting, .put, .deleting, .deleted: nil
        }
    }

    package var text: String {
        switch self {
        case .enqueuing(let number, let count): "enqueuing \(number) \(count)"
        case .stored(let number, let ids): "stored \(number) " + ids.map { "\($0.value)" }.joined(separator: ",")
        case .sending(let number, let ids): "sending \(number) " + ids.map { "\($0.value)" }.joined(separator: ",")
        case .marking(let id): "marking \(id.value)"
        case .marked(let id): "marked \(id.value)"
        case .finishing(let id, let state): "finishing \(id.value) \(state)"
        case .finished(let id, let state): "finished \(id.value) \(state)"
        case .putOff(let id, let state): "put-off \(id.value) \(state)"
        case .receipting(let id): "receipting \(id.value)"
        case .receipted(let id): "receipted \(id.value)"
        case .claiming(let count): "claiming \(count)"
        case .claimed(let id): "claimed \(id.value)"
        case .claims(let count): "claims \(count)"
        case .reported(let id): "reported \(id.value)"
        case .telling(let id, let kind): "telling \(id.value) \(kind)"
        case .told(let id, let kind): "told \(id.value) \(kind)"
        case .putting(let device, let version): "putting \(device) \(version)"
        case .put(let device, let version): "put \(device) \(version)"
        case .deleting(let device): "deleting \(device)"
        case .deleted(let device): "deleted \(device)"
        }
    }

    /// Reads one whole line; it ends with a full stop, so that a truncated one is refused.
    package init?(text: Substring) {
        guard text.last == "." else { return nil }
        let words = text.dropLast().split(separator: " ").map(String.init)
        guard words.count >= 2 else { return nil }
        let id = Int64(words[1]).flatMap(EntryID.init)
        let second = words.count > 2 ? words[2] : ""
        switch words[0] {
        case "enqueuing":
            guard let number = UInt64(words[1]), let count = Int(second) else { return nil }
            self = .enqueuing(number: number, count: count)
        case "stored", "sending":
            guard let number = UInt64(words[1]) else { return nil }
            let ids = second.split(separator: ",").compactMap { Int64($0).flatMap(EntryID.init) }
            self = words[0] == "stored" ? .stored(number: number, ids: ids) : .sending(number: number, ids: ids)
        case "putting", "put":
            guard let device = Int(words[1]), let version = UInt64(second) else { return nil }
            self =
                words[0] == "put" ? .put(device: device, version: version) : .putting(device: device, version: version)
        case "claiming", "claims":
            guard let count = Int(words[1]) else { return nil }
            self = words[0] == "claims" ? .claims(count: count) : .claiming(count: count)
        case "deleting", "deleted":
            guard let device = Int(words[1]) else { return nil }
            self = words[0] == "deleted" ? .deleted(device: device) : .deleting(device: device)
        default:
            guard let id else { return nil }
            switch words[0] {
            case "marking": self = .marking(id)
            case "marked": self = .marked(id)
            case "finishing": self = .finishing(id, second)
            case "finished": self = .finished(id, second)
            case "put-off": self = .putOff(id, second)
            case "receipting": self = .receipting(id)
            case "receipted": self = .receipted(id)
            case "claimed": self = .claimed(id)
            case "reported": self = .reported(id)
            case "telling": self = .telling(id, second)
            case "told": self = .told(id, second)
            default: return nil
            }
        }
    }
}
