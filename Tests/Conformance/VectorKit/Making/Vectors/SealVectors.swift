import Envelope
import Keys
import Primitives
import TestSupport

/// A sender's required output, byte for byte.
enum SealVectors {
    static func make() throws -> [Vector] {
        let cases: [(String, String, UInt8, String)] = [
            ("minimal", "a text and nothing else", 1, #"{"body":"b"}"#),
            ("hello", "a title and a text", 1, #"{"title":"Ada","body":"Hello"}"#),
            ("unlocked", "to the prekey of class 2", 2, #"{"title":"Ada","body":"Hello"}"#),
            ("unicode", "text beyond ASCII", 1, #"{"title":"Zoë 👩‍👩‍👧","body":"Grüße\nпример"}"#),
            (
                "attachments", "two attachments, the first a thumbnail", 1,
                #"{"title":"Ada","body":"b","attachments":[{"id":"AAECAwQFBgcICQoLDA0ODw","url":"https://blobs.example.com/v1/blobs/0","key":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","size":9,"stored":82,"type":"image/jpeg","thumbnail":true},{"id":"AAECAwQFBgcICQoLDA0ODg","url":"https://blobs.example.com/v1/blobs/1","key":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh4","size":20000,"stored":20568,"type":"image/jpeg","name":"Matterhorn"}]}"#
            ),
            ("removal", "an operation", 1, #"{"op":"remove","target":"AAECAwQFBgcICQoLDA0ODw"}"#),
            (
                "everything", "every member", 1,
                #"{"op":"replace","target":"AAECAwQFBgcICQoLDA0ODw","badge":3,"title":"t","subtitle":"s","body":"b","title-loc-key":"T","title-loc-args":["1","2"],"subtitle-loc-key":"S","loc-key":"B","thread-id":"i","category":"c","sound":"default","sound-volume":"0.25","level":"time-sensitive","relevance-score":"0.001","target-content-id":"x","sender":"Ada","user-info":{"a":-1,"b":true,"c":"z"},"crit":["sound"]}"#
            ),
        ]
        return try cases.map { name, title, protectionClass, body in
            var actors = try Actors(name: "seal-" + name)
            var bundle = try BundleRecipe(&actors)
            bundle.entries.append(try bundle.entry(protectionClass: 2))
            var vector = Vector(name: "seal-" + name, title: title, kind: "seal", cases: [], rules: [8])
            vector.add("topic", Actors.topic)
            vector.add("sender-secret", Base64URL.string(actors.senderSeed))
            vector.add("bundle", Base64URL.string(try bundle.bytes()))
            vector.add("pinned", Base64URL.string(actors.identity.rawRepresentation))
            vector.add("class-of-prekey", "\(protectionClass)")
            vector.add("now", "\(Actors.start)")
            vector.add("message-id", Base64URL.string(actors.random.bytes(count: 16)))
            vector.add("sent-at", "\(Actors.start)")
            vector.add("expires-at", "\(Actors.start + 3_600_000)")
            vector.add("flags", "0")
            vector.add("body", body)
            vector.add("ephemeral", Base64URL.string(actors.random.bytes(count: 32)))
            vector.add("trace", Base64URL.string(actors.random.bytes(count: 16)))
            vector.add("alert-loc-key", "SP_NEW")
            vector.add("expect", "sealed")
            vector.add("payload", String(decoding: try SealRun.payload(vector), as: UTF8.self))
            return vector
        }
    }
}
