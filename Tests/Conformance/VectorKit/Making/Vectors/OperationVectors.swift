import Envelope
import Keys
import Primitives
import TestSupport

/// Requirements of each operation, and the winner among several changes.
enum OperationVectors {
    private static let start = Actors.start

    static func make() throws -> [Vector] { try shapes() + order() + badges() + calls() }

    private static func shapes() throws -> [Vector] {
        let target = "AAECAwQFBgcICQoLDA0ODw"
        let bodies: [(String, String, String, String, String?)] = [
            ("show", "the operation show, spelled out", #"{"op":"show","body":"b"}"#, "opened", #"{"body":"b"}"#),
            ("test", "a test needs no text", #"{"op":"test"}"#, "opened", #"{"op":"test"}"#),
            (
                "remove", "a removal needs no text", #"{"op":"remove","target":"\#(target)"}"#, "opened",
                #"{"op":"remove","target":"\#(target)"}"#
            ),
            (
                "replace", "a replacement", #"{"op":"replace","target":"\#(target)","body":"b"}"#, "opened",
                #"{"op":"replace","target":"\#(target)","body":"b"}"#
            ),
            ("badge", "a badge", #"{"op":"badge","badge":9999}"#, "opened", #"{"op":"badge","badge":9999}"#),
            ("unknown", "an operation of the future", #"{"op":"poll","target":1,"body":[]}"#, "unsupported", nil),
            ("no-target", "a removal of nothing", #"{"op":"remove"}"#, "malformed", nil),
            ("target-on-show", "a target where none belongs", #"{"body":"b","target":"\#(target)"}"#, "malformed", nil),
            (
                "target-spelling", "a target with spare bits set",
                #"{"op":"remove","target":"AAECAwQFBgcICQoLDA0ODx"}"#, "malformed", nil
            ),
            (
                "replace-without-text", "a replacement by nothing", #"{"op":"replace","target":"\#(target)"}"#,
                "malformed", nil
            ),
            ("badge-without-number", "a badge without a number", #"{"op":"badge"}"#, "malformed", nil),
            ("badge-10000", "a badge of 10,000", #"{"op":"badge","badge":10000}"#, "malformed", nil),
            ("call-without-call", "a call without what it hands over", #"{"op":"call"}"#, "malformed", nil),
        ]
        return try bodies.map { name, title, body, expect, shows in
            var scene = try MessageScene("op-\(name)", title, rules: [27])
            try scene.deliver(expect, shows: shows) { $0.setBody(body) }
            return scene.finished
        }
    }

    private static func order() throws -> [Vector] {
        var vectors: [Vector] = []
        var scene = try MessageScene(
            "order-replace",
            "of two replacements the later one counts, whenever it comes",
            rules: [27]
        )
        let target = scene.actors.random.bytes(count: 16)
        try scene.show(target, at: start)
        try scene.change("replace", target, at: start + 20, "opened")
        try scene.change("replace", target, at: start + 10, "superseded")
        try scene.change("remove", target, at: start + 30, "opened")
        vectors.append(scene.finished)
        scene = try MessageScene("order-remove-first", "a removal that overtakes its message", rules: [27])
        try scene.change("remove", target, at: start + 10, "opened")
        try scene.show(target, at: start, "superseded")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "order-replace-before-show",
            "a replacement dated before the message it replaces",
            rules: [27]
        )
        try scene.show(target, at: start)
        try scene.change("replace", target, at: start - 10, "superseded")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "order-tie",
            "of two changes of one instant the one with the greater id counts",
            rules: [27]
        )
        try scene.show(target, at: start)
        try scene.change("replace", target, at: start + 5, id: [UInt8](repeating: 9, count: 16), "opened")
        try scene.change("replace", target, at: start + 5, id: [UInt8](repeating: 8, count: 16), "superseded")
        try scene.change("replace", target, at: start + 5, id: [UInt8](repeating: 10, count: 16), "opened")
        vectors.append(scene.finished)
        scene = try MessageScene("order-own-id", "a change that names its own id comes too late for it", rules: [27])
        try scene.change("replace", target, at: start + 10, id: target, "superseded")
        try scene.change("remove", target, at: start + 20, "opened")
        vectors.append(scene.finished)
        scene = try MessageScene(
            "order-target-no-show",
            "a change dated before what has its target's id, though that is no message to show",
            rules: [27]
        )
        let badge = scene.actors.random.bytes(count: 16)
        try scene.deliver("opened", shows: #"{"op":"badge","badge":1}"#) {
            ($0.messageID, $0.sentAt) = (badge, start)
            $0.setBody(#"{"op":"badge","badge":1}"#)
        }
        try scene.change("remove", badge, at: start - 1, "superseded")
        try scene.change("remove", badge, at: start + 1, "opened")
        let broken = scene.actors.random.bytes(count: 16)
        try scene.deliver("malformed") {
            ($0.messageID, $0.sentAt) = (broken, start)
            $0.setBody("{}")
        }
        try scene.change("replace", broken, at: start - 1, "superseded")
        let removal = scene.actors.random.bytes(count: 16)
        try scene.change("remove", target, at: start, id: removal, "opened")
        try scene.change("replace", removal, at: start - 1, "superseded")
        vectors.append(scene.finished)
        scene = try MessageScene("order-other-sender", "nobody's removal touches another's message", rules: [27])
        let other = try scene.stranger()
        scene.add(contact: other.key, "service -")
        try scene.change("remove", target, at: start + 10, "opened") { try $0.sign(as: other.seed) }
        try scene.show(target, at: start)
        vectors.append(scene.finished)
        return vectors
    }

    private static func badges() throws -> [Vector] {
        var scene = try MessageScene("badge-order", "a badge counts unless a later one was there", rules: [29])
        for (offset, badge, expect) in [(10, 1, "opened"), (30, 3, "opened"), (20, 2, "superseded")] {
            try scene.deliver(expect, shows: #"{"op":"badge","badge":\#(badge)}"#) {
                $0.sentAt = start - 100 + UInt64(offset)
                $0.setBody(#"{"op":"badge","badge":\#(badge)}"#)
            }
        }
        try scene.deliver("opened", shows: #"{"body":"b"}"#) {
            $0.sentAt = start - 75
            $0.setBody(#"{"body":"b","badge":7}"#)
        }
        try scene.deliver("opened", shows: #"{"badge":4,"body":"b"}"#) {
            $0.sentAt = start - 60
            $0.setBody(#"{"body":"b","badge":4}"#)
        }
        var person = try MessageScene(
            "badge-person",
            "a person has no say in the badge",
            rules: [29],
            contact: "person -"
        )
        try person.deliver("not-permitted") { $0.setBody(#"{"op":"badge","badge":1}"#) }
        try person.deliver("opened", shows: #"{"body":"b"}"#) { $0.setBody(#"{"body":"b","badge":1}"#) }
        return [scene.finished, person.finished]
    }

    private static func calls() throws -> [Vector] {
        let call = #"{"op":"call","call":"room 7"}"#
        let cases: [(String, String, String, UInt64, String)] = [
            ("call", "a call with the right to", "person call", 60_000, "opened"),
            ("call-61-s", "a call that would ring for more than a minute", "person call", 60_001, "malformed"),
            (
                "call-without-right", "a call from somebody who may not", "service critical,time-sensitive,links",
                60_000, "not-permitted"
            ),
        ]
        return try cases.map { name, title, contact, lifetime, expect in
            var scene = try MessageScene(name, title, rules: [29], contact: contact)
            try scene.deliver(expect, shows: call) {
                $0.setBody(call)
                $0.expiresAt = $0.sentAt + lifetime
            }
            if expect == "opened" { scene.deliverAgain("replay") }
            return scene.finished
        }
    }
}

extension MessageScene {
    fileprivate mutating func show(_ id: [UInt8], at sentAt: UInt64, _ expect: String = "opened") throws {
        try deliver(expect) {
            $0.messageID = id
            $0.sentAt = sentAt
        }
    }

    fileprivate mutating func change(
        _ operation: String,
        _ target: [UInt8],
        at sentAt: UInt64,
        id: [UInt8]? = nil,
        _ expect: String,
        _ further: (inout PushRecipe) throws -> Void = { _ in }
    ) throws {
        let text = operation == "replace" ? #","body":"new""# : ""
        let body = #"{"op":"\#(operation)","target":"\#(Base64URL.string(target))"\#(text)}"#
        try deliver(expect, shows: body) {
            $0.setBody(body)
            $0.sentAt = sentAt
            if let id { $0.messageID = id }
            try further(&$0)
        }
    }
}
