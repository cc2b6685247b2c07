/// Pointers to files, in a message that a contact really sealed and signed.
enum AttachmentVectors {
    static func make() throws -> [Vector] { try opened() + malformedPointers() + malformedLists() + turnedOff() }

    /// An honest pointer but for `changes`: JSON for a member, nil for a missing member.
    private static func pointer(_ number: Int = 0, _ changes: KeyValuePairs<String, String?> = [:]) -> String {
        var members: [(name: String, value: String?)] = [
            ("id", #""\#(["A", "B", "C", "D", "E"][number])AECAwQFBgcICQoLDA0ODw""#),
            ("url", #""https://blobs.example.com/v1/blobs/\#(number)""#),
            ("key", #""AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh\#(["8", "4", "0", "w", "s"][number])""#),
            ("size", "20000"), ("stored", "20568"), ("type", #""image/jpeg""#),
        ]
        for (name, value) in changes {
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = value
            } else {
                members.append((name, value))
            }
        }
        let parts = members.compactMap { member in member.value.map { #""\#(member.name)":\#($0)"# } }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func body(_ pointers: [String], _ head: String = #""body":"b""#) -> String {
        "{\(head),\"attachments\":[\(pointers.joined(separator: ","))]}"
    }

    private static func sized(_ number: Int, _ size: String, _ stored: String) -> String {
        pointer(number, ["size": size, "stored": stored])
    }

    private static func opened() throws -> [Vector] {
        let thumbnail = ["thumbnail": "true"] as KeyValuePairs<String, String?>
        let cases: [(String, String, String, String)] = [
            ("one", "an attachment", body([pointer()]), body([pointer()])),
            (
                "name", "an attachment with a name, which is for display only",
                body([pointer(0, ["name": #""../../é.jpg""#])]), body([pointer(0, ["name": #""../../é.jpg""#])])
            ),
            (
                "name-64", "a name of 64 bytes",
                body([pointer(0, ["name": "\"\(String(repeating: "é", count: 32))\""])]),
                body([pointer(0, ["name": "\"\(String(repeating: "é", count: 32))\""])])
            ),
            (
                "empty-members", "a name that is empty and a thumbnail that is none are absent",
                body([pointer(0, ["name": #""""#, "thumbnail": "false"])]), body([pointer()])
            ),
            (
                "unknown-member", "a member that nobody knows", body([pointer(0, ["blurhash": "[1]"])]),
                body([pointer()])
            ),
            ("unknown-type", "a media type that nobody knows", type("x/y"), type("x/y")),
            (
                "four", "four attachments, in their order, two of them thumbnails",
                body([pointer(3, thumbnail), pointer(1), pointer(2, thumbnail), pointer(0)]),
                body([pointer(3, thumbnail), pointer(1), pointer(2, thumbnail), pointer(0)])
            ),
            (
                "lengths-small", "lengths that are not padded, and the first that is",
                body([sized(0, "0", "72"), sized(1, "1", "73"), sized(2, "8", "80"), sized(3, "9", "82")]),
                body([sized(0, "0", "72"), sized(1, "1", "73"), sized(2, "8", "80"), sized(3, "9", "82")])
            ),
            (
                "lengths-chunk", "lengths about a chunk",
                body([sized(0, "15872", "15944"), sized(1, "15873", "16472"), sized(2, "16384", "16472")]),
                body([sized(0, "15872", "15944"), sized(1, "15873", "16472"), sized(2, "16384", "16472")])
            ),
            (
                "length-max", "the greatest length", body([sized(0, "1099511627776", "1100585369672")]),
                body([sized(0, "1099511627776", "1100585369672")])
            ),
            ("none", "no attachments are absent", body([]), #"{"body":"b"}"#),
            (
                "crit", "attachments may be critical", body([pointer()], #""body":"b","crit":["attachments"]"#),
                body([pointer()])
            ),
            (
                "replace", "an operation that shows", body([pointer()], replace), body([pointer()], replace)
            ),
            (
                "hidden-user", "an at sign in the path is no user", url("https://good.example/@evil"),
                url("https://good.example/@evil")
            ),
        ]
        return try cases.map { name, title, body, shows in
            var scene = try MessageScene("attachments-\(name)", title, rules: [39])
            try scene.deliver("opened", shows: shows) { $0.setBody(body) }
            return scene.finished
        }
    }

    private static let replace = #""op":"replace","target":"AAECAwQFBgcICQoLDA0ODw","body":"b""#

    private static func type(_ text: String) -> String { body([pointer(0, ["type": "\"\(text)\""])]) }

    private static func url(_ text: String) -> String { body([pointer(0, ["url": "\"\(text)\""])]) }

    private static func malformedPointers() throws -> [Vector] {
        let cases: [(String, String, KeyValuePairs<String, String?>)] = [
            ("id-missing", "no id", ["id": nil]), ("id-empty", "an empty id", ["id": #""""#]),
            ("id-short", "an id of 15 bytes", ["id": #""AAECAwQFBgcICQoLDA0O""#]),
            ("id-spare-bits", "an id that is spelled otherwise", ["id": #""AAECAwQFBgcICQoLDA0ODx""#]),
            ("url-missing", "no URL", ["url": nil]), ("url-number", "a URL that is a number", ["url": "7"]),
            ("url-http", "a URL without TLS", ["url": #""http://blobs.example.com/""#]),
            ("url-user", "a URL whose host looks like another", ["url": #""https://good.example@evil.example/""#]),
            ("key-missing", "no key", ["key": nil]),
            ("key-short", "a key of 31 bytes", ["key": #""AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg""#]),
            ("key-long", "a key of 33 bytes", ["key": #""AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g""#]),
            ("key-number", "a key that is a number", ["key": "7"]),
            ("size-missing", "no length", ["size": nil]),
            ("size-string", "a length as a string", ["size": #""20000""#]),
            ("size-negative", "a negative length", ["size": "-1", "stored": "72"]),
            ("size-bool", "a length that is a boolean", ["size": "true", "stored": "73"]),
            (
                "size-beyond", "a length beyond the greatest, padded as it would be",
                ["size": "1099511627777", "stored": "1117782016072"]
            ),
            ("size-2-63", "the greatest integer as a length", ["size": "9223372036854775807"]),
            ("stored-missing", "no stored length", ["stored": nil]),
            ("stored-unpadded", "a stored length without padding", ["stored": "20088"]),
            ("stored-short", "a stored length that is one byte less", ["stored": "20567"]),
            ("stored-long", "a stored length that is one byte more", ["stored": "20569"]),
            (
                "stored-one-chunk", "a stored length without the empty chunk at the end",
                ["size": "16384", "stored": "16456"]
            ),
            ("type-missing", "no media type", ["type": nil]),
            ("type-one-name", "a media type without a slash", ["type": #""image""#]),
            ("type-upper-case", "a media type in upper case", ["type": #""image/JPEG""#]),
            ("type-parameter", "a media type with a parameter", ["type": #""text/plain;charset=utf-8""#]),
            ("type-star", "a pattern of media types", ["type": #""image/*""#]),
            ("type-long", "a media type of 65 bytes", ["type": "\"x/\(String(repeating: "y", count: 63))\""]),
            ("name-long", "a name of 66 bytes", ["name": "\"\(String(repeating: "é", count: 33))\""]),
            ("name-array", "a name that is an array", ["name": "[]"]),
            ("name-nul", "a name with a NUL", ["name": #""x\u0000.png""#]),
            ("thumbnail-string", "a thumbnail that is a string", ["thumbnail": #""true""#]),
            ("thumbnail-number", "a thumbnail that is a number", ["thumbnail": "1"]),
        ]
        return try cases.map { name, title, changes in
            // In the first of two, so that a thumbnail is allowed there.
            try malformed(name, title, body([pointer(0, changes), pointer(1)]), name.hasPrefix("url-") ? [57] : [12])
        }
    }

    private static func malformedLists() throws -> [Vector] {
        let thumbnail = ["thumbnail": "true"] as KeyValuePairs<String, String?>
        let cases: [(String, String, String)] = [
            ("five", "five attachments", body((0..<5).map { pointer($0) })),
            ("object", "an attachment that stands alone", #"{"body":"b","attachments":\#(pointer())}"#),
            ("null", "attachments that are null", #"{"body":"b","attachments":null}"#),
            ("nested", "an array of arrays", body(["[\(pointer())]"])),
            ("same-id", "two files of one id", body([pointer(), pointer(1, ["id": #""AAECAwQFBgcICQoLDA0ODw""#])])),
            (
                "same-key", "two files of one key",
                body([pointer(), pointer(1, ["key": #""AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8""#])])
            ),
            ("thumbnail-alone", "a thumbnail of nothing", body([pointer(0, thumbnail)])),
            ("thumbnail-last", "a thumbnail behind its file", body([pointer(), pointer(1, thumbnail)])),
            (
                "thumbnail-twice", "a thumbnail of a thumbnail",
                body([pointer(0, thumbnail), pointer(1, thumbnail), pointer(2)])
            ),
            (
                "remove", "attachments of what is removed",
                body([pointer()], #""op":"remove","target":"AAECAwQFBgcICQoLDA0ODw""#)
            ),
            ("badge", "attachments beside a badge alone", body([pointer()], #""op":"badge","badge":1"#)),
            ("call", "attachments of a call", body([pointer()], #""op":"call","call":"c""#)),
            ("test", "attachments of a test", body([pointer()], #""op":"test","body":"b""#)),
        ]
        return try cases.map { name, title, body in try malformed(name, title, body, [12]) }
    }

    private static func malformed(
        _ name: String,
        _ title: String,
        _ body: String,
        _ cases: [Int]
    ) throws -> Vector {
        var scene = try MessageScene("attachments-\(name)", title, cases: cases, rules: [39])
        try scene.deliver("malformed") { $0.setBody(body) }
        return scene.finished
    }

    private static func turnedOff() throws -> [Vector] {
        var scene = try MessageScene("attachments-off", "attachments that the app turned off", rules: [41])
        scene.add("attachments", "refused")
        try scene.deliver("opened", shows: #"{"body":"b"}"#) { $0.setBody(body([pointer()])) }
        return [scene.finished]
    }
}
